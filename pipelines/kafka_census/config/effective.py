"""The effective values of a configuration, and the origin of each.

Files and variables that hold secrets are not read: a secret is shown by its reference.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from kafka_census.config.checked import read_checked
from kafka_census.config.mistakes import unknown_cluster
from kafka_census.config.model import LakeSection
from kafka_census.config.section import SecretSource, Section
from kafka_census.config.values import duration_text
from kafka_census.declarations.given import PREFIX, Given
from kafka_census.files.yaml_file import Path, Source
from kafka_census.kafka.protocol.redaction import HIDDEN


@dataclass(frozen=True)
class Effective:
    """One value of the configuration.

    key       such as collect.page_limit
    value     as plain data: text, numbers, true and false, None, lists, mappings; durations as the file writes them
    origin    command line, file, environment or default
    location  the option, the line (conf/census.yaml:12) or the variable that gives the value; None for a default
    """

    key: str
    value: object
    origin: str
    location: str | None


def effective(given: Given, environ: Mapping[str, str], cluster: str | None = None) -> tuple[Effective, ...]:
    """Every value of a configuration, in the order of its model; with a cluster's name, only that cluster's section.

    given  the options that lead to the configuration

    Raises ConfigError with all mistakes.
    """
    source, file = read_checked(given, environ)
    if cluster is not None:
        if cluster not in file.clusters:
            raise unknown_cluster(source.name, cluster, file.clusters)
        file = file.model_copy(update={"clusters": {cluster: file.clusters[cluster]}})
    return tuple(_values(file, (), source))


def _values(section: Section, path: Path, source: Source) -> Iterator[Effective]:
    for key, value in section:
        here = (*path, key)
        if isinstance(value, SecretSource):
            yield _secret(value, here, source)
        elif isinstance(value, Section):
            yield from _values(value, here, source)
        elif here == ("clusters",):
            for name, each in value.items():
                yield from _values(each, (*here, name), source)
        elif not (isinstance(section, LakeSection) and value is None):  # root and catalog are alternatives
            yield _effective(here, _plain(value), source.locations.get(here))


def _secret(secret: SecretSource, path: Path, source: Source) -> Effective:
    """The mask and the reference, in the file's notation; a variable for the secret's own key holds its text."""
    (kind, *_) = secret.model_dump(exclude_none=True)
    location = source.locations.get((*path, kind), source.locations.get(path))
    return _effective(path, f"{HIDDEN} {secret}", location)


def _effective(path: Path, value: object, location: str | None) -> Effective:
    origins = (("--", "command line"), (PREFIX, "environment"), ("", "file"))
    origin = next((name for prefix, name in origins if location is not None and location.startswith(prefix)), "default")
    return Effective(".".join(map(str, path)), value, origin, location)


def _plain(value: object) -> object:
    if isinstance(value, timedelta):
        return duration_text(value)
    if isinstance(value, tuple):
        return list(value)
    return value
