"""`kafka-census`: the command of operators.

    kafka-census init
    kafka-census run --cluster prod

Only the chosen subcommand is imported, and `--help` needs neither Spark nor Great Expectations.
`kafka_census.cli.ending` ends the process.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from importlib import import_module
from typing import Protocol, cast

from kafka_census import __version__
from kafka_census.cli.ending import end
from kafka_census.cli.usage import Parser
from kafka_census.declarations.jobs import COMMANDS
from kafka_census.terminal.log import Redactor

OWN = ("init", "config", "doctor", "impact", "sql", "diff")
"""Subcommands that are modules of this package, by the same names."""

SUBCOMMANDS = (*OWN, *COMMANDS)


_BEGIN = "Begin with: kafka-census doctor --bootstrap-server HOST:PORT, then run instead of doctor."


class Subcommand(Protocol):
    """The interface of a subcommand, which a module implements with two functions and a constant.

    HELP  one line that says what the subcommand does
    """

    @property
    def HELP(self) -> str: ...  # noqa: D102, N802 - the constant of a module, or what stands for it

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the subcommand to its parser, which already has `--debug`."""

    def run(self, args: argparse.Namespace, redactor: Redactor) -> int:
        """Run the subcommand; returns the exit code. Results go to stdout.

        redactor  receives the secrets that are read, so that no error shows them

        Raises CensusError for every expected failure.
        """


def main() -> None:
    """The console's entry point: end the process with an exit code; on Databricks return or raise."""
    argv = sys.argv[1:]
    end(partial(command, argv), argv)


def command(argv: Sequence[str], redactor: Redactor) -> int:
    """Run a command line; returns the exit code. Raises CensusError.

    `help` prints the help, and so does a command line without a subcommand, or with a wrong word, before its error.
    """
    if [*argv[:1]] == ["help"]:
        argv = [*argv[1:], "--help"]
    elif not argv or not (argv[0] in SUBCOMMANDS or argv[0].startswith("-")):
        parser(SUBCOMMANDS).print_help(sys.stderr)
    args = parser(argv[:1] if argv[:1] and argv[0] in SUBCOMMANDS else SUBCOMMANDS).parse_args(argv)
    code: int = args.run(args, redactor)
    return code


def parser(names: Iterable[str]) -> argparse.ArgumentParser:
    """The parser of the command line with these subcommands."""
    this = Parser(prog="kafka-census", description="A census of Apache Kafka's control plane.", epilog=_BEGIN)
    this.add_argument("--version", action="version", version=f"kafka-census {__version__}")
    chosen = this.add_subparsers(required=True, metavar="COMMAND", title="commands")
    for name in names:
        subcommand = _subcommand(name)
        of_it = chosen.add_parser(name, help=subcommand.HELP, description=subcommand.HELP)
        subcommand.add_arguments(of_it)
        of_it.set_defaults(run=subcommand.run)
    return this


def _subcommand(name: str) -> Subcommand:
    if name == "report":
        from kafka_census.cli.report import ReportCommand

        return ReportCommand(COMMANDS[name])
    if name in COMMANDS:
        from kafka_census.cli.jobs import JobCommand

        return JobCommand(COMMANDS[name])
    return cast("Subcommand", import_module(f"kafka_census.cli.{name.replace('-', '_')}"))
