"""`kafka-census`: what an operator types, without Spark.

    kafka-census doctor --cluster prod
    kafka-census sql -e "SELECT * FROM current_group_lag"

Only the subcommand that is chosen is imported. Whatever goes wrong is one line on stderr, `error: ...`, and an exit
code, as of the jobs; with `--debug` the traceback comes before it.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Protocol, cast

from kafka_census import __version__
from kafka_census.display import write_lines
from kafka_census.ending import report
from kafka_census.log import Redactor
from kafka_census.usage import Parser, add_debug

SUBCOMMANDS = ("doctor", "sql")
"""Modules of this package, by the same names."""

_INTERRUPTED = 130
"""The exit code of a process that Ctrl-C ends, as shells have it."""


class Subcommand(Protocol):
    """What the module of a subcommand offers.

    HELP  what it does, in a line
    """

    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Give its parser the options; `--debug` it has."""

    def run(self, args: argparse.Namespace, redactor: Redactor) -> int:
        """Do it; the exit code. Results go to stdout. Raises CensusError for what a user can cause or meet.

        redactor  learns the secrets that are read, so that no error shows them
        """


def main() -> None:
    """The console's entry point: end the process with an exit code."""
    sys.exit(command(sys.argv[1:]))


def command(argv: Sequence[str]) -> int:
    """Do what a command line says; its exit code. Errors are reported on stderr, each mistake in a line."""
    redactor = Redactor()
    try:
        args = parser(argv[:1] if argv[:1] and argv[0] in SUBCOMMANDS else SUBCOMMANDS).parse_args(argv)
        code: int = args.run(args, redactor)
    except KeyboardInterrupt:
        write_lines(["error: interrupted"], sys.stderr)
        return _INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last resort of a process: reported in one line
        return report(error, redactor, debug="--debug" in argv)
    return code


def parser(names: Iterable[str]) -> argparse.ArgumentParser:
    """The command line with these subcommands."""
    this = Parser(prog="kafka-census", description="A census of Apache Kafka's control plane. See README.md.")
    this.add_argument("--version", action="version", version=f"kafka-census {__version__}")
    chosen = this.add_subparsers(required=True, metavar="COMMAND", title="commands")
    for name in names:
        subcommand = cast("Subcommand", import_module(f"kafka_census.cli.{name}"))
        of_it = chosen.add_parser(name, help=subcommand.HELP, description=subcommand.HELP)
        add_debug(of_it)
        subcommand.add_arguments(of_it)
        of_it.set_defaults(run=subcommand.run)
    return this
