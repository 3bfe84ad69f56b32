"""Command lines: bad usage is an error like any other, reported in one line; options that several of them have."""

import argparse
from typing import NoReturn

from kafka_census.errors import ConfigError


class Parser(argparse.ArgumentParser):
    """A parser that raises ConfigError where argparse would print its usage and exit; no option is abbreviated."""

    def __init__(self, prog: str | None = None, description: str | None = None) -> None:
        """Parsers of its subcommands are made in the same way."""
        super().__init__(prog=prog, description=description, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raise what was wrong."""
        raise ConfigError(f"{message}; see --help")


def add_config(parser: "argparse._ActionsContainer") -> None:
    """`--config`: the file that is read."""
    parser.add_argument("--config", default="conf/census.yaml", metavar="PATH", help="default: conf/census.yaml")


def add_debug(parser: argparse.ArgumentParser) -> None:
    """`--debug`, for which `kafka_census.ending` is told to look."""
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
