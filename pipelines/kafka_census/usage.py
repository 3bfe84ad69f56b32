"""Command lines: bad usage is an error like any other, reported in one line; options that several of them have."""

import argparse
from typing import NoReturn

from kafka_census.defaults import CONFIG
from kafka_census.errors import ConfigError


class Parser(argparse.ArgumentParser):
    """A parser that raises ConfigError where argparse would print its usage and exit; no option is abbreviated.

    Every one takes `--debug`, for which `kafka_census.ending` looks: `debug` is in what it parses only if it is given.
    """

    def __init__(self, **options: object) -> None:
        """As argparse's own, by keyword."""
        super().__init__(**{"allow_abbrev": False, **options})  # type: ignore[arg-type]
        text = "show the traceback of an error"
        self.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=text)

    def error(self, message: str) -> NoReturn:
        """Raise what was wrong."""
        raise ConfigError(f"{message}; see --help")


def add_config(parser: "argparse._ActionsContainer") -> None:
    """`--config`: the file that is read."""
    parser.add_argument("--config", default=CONFIG, metavar="PATH", help=f"default: {CONFIG}")
