"""What a command line says of the configuration, as the data that a configuration file would give.

A configuration comes from a file, else from the command line (`--bootstrap-server`, with Kafka's client.properties),
else from the environment's variables alone, else it is a lake alone, for what asks no broker. The environment's
variables apply to each of them. What stands on the command line wins.
"""

from collections.abc import Mapping

from kafka_census.config.client_properties import cluster_section
from kafka_census.config.cluster import environment_spelling
from kafka_census.declarations.given import PREFIX, Given
from kafka_census.defaults import CONFIG, LAKE
from kafka_census.errors import ConfigError
from kafka_census.files.properties_file import read_properties
from kafka_census.files.yaml_file import Source, read_source


def source_of(given: Given, environ: Mapping[str, str], *, asks: bool) -> Source:
    """The data before the environment's variables are applied.

    asks  whether brokers must be named

    Raises ConfigError where nothing says where they are, and for a file that cannot be read.
    """
    file = given.file()
    if file is not None:
        return read_source(file)
    if given.bootstrap_server is not None:
        return _of_command_line(given, given.bootstrap_server, environ)
    if any(variable.startswith(f"{PREFIX}CLUSTERS__") for variable in environ):
        return _with_lake("the environment", given.lake)
    if not asks:
        is_named = any(variable.startswith(f"{PREFIX}LAKE__") for variable in environ)
        return _with_lake("the command line", given.lake if is_named else given.lake_alone())
    if given.lake is not None:
        raise ConfigError("--lake is used without a configuration file: name brokers with --bootstrap-server HOST:PORT")
    return read_source(CONFIG)  # which is not there: the error says so


def decided(given: Given) -> tuple[str, ...]:
    """The variables over which the command line wins."""
    cluster = f"{PREFIX}CLUSTERS__{environment_spelling(given.name)}__BOOTSTRAP_SERVERS"
    of_lake = (f"{PREFIX}LAKE__ROOT", f"{PREFIX}LAKE__CATALOG")
    return (*(of_lake if given.lake is not None else ()), *((cluster,) if given.bootstrap_server is not None else ()))


def _with_lake(name: str, lake: str | None) -> Source:
    source = Source(name, {"lake": {"root": LAKE if lake is None else lake}})
    if lake is not None:
        source.locations["lake", "root"] = "--lake"
    return source


def _of_command_line(given: Given, servers: str, environ: Mapping[str, str]) -> Source:
    source = _with_lake("the command line", given.lake)
    at = ("clusters", given.name)
    section: dict[str, object] = {"bootstrap_servers": servers}
    source.locations[(*at, "bootstrap_servers")] = "--bootstrap-server"
    if given.command_config is not None:
        found = read_properties(given.command_config)
        made = cluster_section(found, given.command_config, tuple(servers.split(",")), environ)
        section |= made.section
        source.name = given.command_config
        source.locations |= {(*at, *path): location for path, location in made.locations.items()}
        source.properties[given.command_config] = found
        source.notes = made.notes
    source.data["clusters"] = {given.name: section}
    return source
