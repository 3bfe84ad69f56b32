"""`kafka-census`: what an operator types.

    kafka-census init
    kafka-census run --cluster prod

Only the subcommand that is chosen is imported, and `--help` needs neither Spark nor Great Expectations. How it ends is
in `kafka_census.ending`.
"""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Protocol, cast

from kafka_census import __version__
from kafka_census.ending import end
from kafka_census.log import Redactor
from kafka_census.usage import Parser

OWN = ("init", "config", "doctor", "sql", "diff")
"""Subcommands that are modules of this package, by the same names."""

JOBS: Mapping[str, str] = {
    "run": "census",
    "report": "report",
    "ingest": "ingest",
    "transform": "transform",
    "gate": "gate",
    "publish": "publish",
    "maintain": "maintain",
    "migrate": "migrate",
    "delete-groups": "delete_groups",
}
"""Subcommands that are jobs, by the names that these have in `workflows.jobs`."""

SUBCOMMANDS = (*OWN, *JOBS)


class Subcommand(Protocol):
    """What a subcommand offers; a module does it by two functions and a constant.

    HELP  what it does, in a line
    """

    @property
    def HELP(self) -> str: ...  # noqa: D102, N802 - the constant of a module, or what stands for it

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Give its parser the options; `--debug` it has."""

    def run(self, args: argparse.Namespace, redactor: Redactor) -> int:
        """Do it; the exit code. Results go to stdout. Raises CensusError for what a user can cause or meet.

        redactor  learns the secrets that are read, so that no error shows them
        """


def main() -> None:
    """The console's entry point: end the process with an exit code; on Databricks return or raise."""
    argv = sys.argv[1:]
    end(partial(command, argv), argv)


def command(argv: Sequence[str], redactor: Redactor) -> int:
    """Do what a command line says; its exit code. Raises CensusError."""
    args = parser(argv[:1] if argv[:1] and argv[0] in SUBCOMMANDS else SUBCOMMANDS).parse_args(argv)
    code: int = args.run(args, redactor)
    return code


def parser(names: Iterable[str]) -> argparse.ArgumentParser:
    """The command line with these subcommands."""
    this = Parser(prog="kafka-census", description="A census of Apache Kafka's control plane. See README.md.")
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

        return ReportCommand(JOBS[name])
    if name in JOBS:
        from kafka_census.cli.jobs import JobCommand

        return JobCommand(JOBS[name])
    return cast("Subcommand", import_module(f"kafka_census.cli.{name.replace('-', '_')}"))
