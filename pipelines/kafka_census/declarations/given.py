"""What a command line says of the configuration: the options that every command has for it."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from kafka_census.defaults import CONFIG, LAKE
from kafka_census.errors import ConfigError

PREFIX = "KAFKA_CENSUS__"
"""The beginning of the variables that are about a configuration."""

CLUSTER = "kafka"
"""The name of a cluster for which the command line gives none."""


@dataclass(frozen=True)
class Given:
    """The options of a command line; None for what is not given.

    bootstrap_server  host:port of brokers, separated by commas
    command_config    a file in Kafka's format of client.properties
    cluster           the name that the cluster of `bootstrap_server` has in the lake
    """

    config: str | None = None
    bootstrap_server: str | None = None
    command_config: str | None = None
    lake: str | None = None
    cluster: str | None = None

    @property
    def name(self) -> str:
        """The name of the cluster of `bootstrap_server`."""
        return self.cluster or CLUSTER

    def file(self) -> str | None:
        """The configuration file that is read; None where none is. Raises ConfigError for options that contradict."""
        instead = {"--bootstrap-server": self.bootstrap_server, "--lake": self.lake}
        others = [option for option, given in instead.items() if given is not None]
        if self.config is not None and others:
            raise ConfigError(f"--config and {others[0]} exclude each other: leave one of them out")
        if self.command_config is not None and self.bootstrap_server is None:
            raise ConfigError("--command-config goes with --bootstrap-server HOST:PORT")
        return self.config or (CONFIG if not others and Path(CONFIG).exists() else None)

    def lake_alone(self) -> str:
        """The lake, for what asks no broker and reads no file. Raises ConfigError where none is named or there."""
        if self.lake is None and self.bootstrap_server is None and not Path(LAKE).is_dir():
            raise ConfigError(
                f"neither {CONFIG} nor the lake {LAKE} is in this folder; name the lake with --lake PATH, or a "
                "configuration with --config PATH"
            )
        return LAKE if self.lake is None else self.lake

    def words(self) -> str:
        """The options that lead to the same configuration again, as a shell takes them."""
        return _words(
            {
                "--config": self.config if self.config != CONFIG else None,
                "--bootstrap-server": self.bootstrap_server,
                "--command-config": self.command_config,
                "--lake": self.lake,
            }
        )

    def to_read(self) -> str:
        """The options that lead to the same lake again, for what asks no broker."""
        return self.words() if self.bootstrap_server is None else _words({"--lake": self.lake or LAKE})


NOTHING = Given()
"""No option at all: the configuration, or the lake, of the current directory."""


def is_override(variable: str) -> bool:
    """Whether a variable of the environment is about a configuration."""
    return variable.startswith(PREFIX)


def _words(options: dict[str, str | None]) -> str:
    return " ".join(f"{option} {shlex.quote(value)}" for option, value in options.items() if value is not None)
