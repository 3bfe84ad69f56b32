"""Command lines: bad usage is an error like any other, reported in one line; options that several of them have."""

import argparse
from typing import NoReturn

from kafka_census.defaults import CONFIG
from kafka_census.errors import ConfigError


class Parser(argparse.ArgumentParser):
    """A parser that raises ConfigError where argparse would print its usage and exit; no option is abbreviated."""

    def __init__(self, **options: object) -> None:
        """As argparse's own, by keyword."""
        super().__init__(**{"allow_abbrev": False, **options})  # type: ignore[arg-type]

    def error(self, message: str) -> NoReturn:
        """Raise what was wrong."""
        raise ConfigError(f"{message}; see --help")


def add_config(parser: argparse.ArgumentParser) -> None:
    """`--config`: the file that is read."""
    parser.add_argument("--config", default=CONFIG, metavar="PATH", help=f"default: {CONFIG}")


def add_debug(parser: argparse.ArgumentParser) -> None:
    """`--debug`: see `kafka_census.ending`."""
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
