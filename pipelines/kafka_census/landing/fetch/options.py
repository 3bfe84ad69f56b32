"""Options of the Data Source, parsed once; an unknown or secret option is refused by name."""

from collections.abc import Mapping
from dataclasses import dataclass

from kafka_census.errors import ConfigError
from kafka_census.kafka.rpc import RPCS

KNOWN = ("config", "cluster", "rpc", "scope")
SECRET_WORDS = ("password", "secret", "token", "jaas", "credential", "keyfile", "private")


@dataclass(frozen=True)
class Options:
    """The options of one read: the RPC, and the configured cluster."""

    config: str
    cluster: str
    rpc: str
    scope: str


def parse(given: Mapping[str, str]) -> Options:
    """Parse the options of a `kafka_admin` read. Raises ConfigError, which never shows the value of a secret."""
    options = {name.lower(): value for name, value in given.items() if name.lower() != "path"}
    for name in options:
        if name in KNOWN:
            continue
        if any(word in name for word in SECRET_WORDS):
            raise ConfigError(
                f"kafka_admin: option '{name}' looks like a secret, and options end up in plans and logs; "
                "name a config file and a cluster in it instead (options config, cluster)"
            )
        raise ConfigError(f"kafka_admin: unknown option '{name}'; the options are {', '.join(KNOWN)}")
    for name in ("config", "cluster", "rpc"):
        if not options.get(name):
            raise ConfigError(f"kafka_admin: option '{name}' is missing")
    scopes = {known.scope for known in RPCS if known.name == options["rpc"]}
    if not scopes:
        names = ", ".join(sorted({known.name for known in RPCS}))
        raise ConfigError(f"kafka_admin: unknown rpc '{options['rpc']}'; one of {names}")
    scope = options.get("scope") or (next(iter(scopes)) if len(scopes) == 1 else None)
    if scope not in scopes:
        raise ConfigError(f"kafka_admin: {options['rpc']} needs option 'scope', one of {', '.join(sorted(scopes))}")
    return Options(options["config"], options["cluster"], options["rpc"], scope)
