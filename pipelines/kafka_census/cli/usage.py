"""Command lines: bad usage is an error in one line; options that several command lines share."""

import argparse
from collections.abc import Callable
from typing import NoReturn

from kafka_census.defaults import CONFIG
from kafka_census.errors import ConfigError


class Once(argparse.Action):
    """Stores the value of an option that has one: given twice, one of the two would be ignored silently."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        _option_string: str | None = None,
    ) -> None:
        """Store the value. Raises ArgumentError where the option has been given before."""
        if getattr(namespace, self.dest, self.default) is not self.default:
            raise argparse.ArgumentError(self, "is given twice")
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """A parser that raises ConfigError where argparse would print its usage and exit; no option is abbreviated.

    An option without an action is given once. Every parser accepts `--debug`, which `kafka_census.cli.ending` reads;
    the namespace has `debug` only if it is given.
    """

    def __init__(self, **options: object) -> None:
        """Options of argparse's parser, by keyword."""
        super().__init__(**{"allow_abbrev": False, **options})  # type: ignore[arg-type]
        self.register("action", None, Once)
        text = "show the traceback of an error"
        self.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=text)

    def error(self, message: str) -> NoReturn:
        """Raise ConfigError with the message."""
        raise ConfigError(f"{message}; see --help")


def add_config(add_argument: Callable[..., object]) -> None:
    """Add `--config`, the path of the configuration, by this method of a parser or of a group of options."""
    add_argument("--config", default=CONFIG, metavar="PATH", help=f"default: {CONFIG}")
