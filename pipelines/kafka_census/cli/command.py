"""`kafka-census`: what an operator types, without Spark.

    kafka-census doctor --cluster prod
    kafka-census sql -e "SELECT * FROM current_group_lag"

Only the subcommand that is chosen is imported. Whatever goes wrong is one line on stderr, `error: ...`, and an exit
code, as of the jobs; with `--debug` the traceback comes before it.
"""

import argparse
import sys
import traceback
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import NoReturn, Protocol, cast

from kafka_census import __version__
from kafka_census.causes import explained
from kafka_census.display import printable_lines, write_lines
from kafka_census.errors import ConfigError
from kafka_census.log import Redactor
from kafka_census.wording import one_line

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

    def run(self, args: argparse.Namespace) -> int:
        """Do it; the exit code. Results go to stdout. Raises CensusError for what a user can cause or meet."""


class Parser(argparse.ArgumentParser):
    """A parser that raises ConfigError where argparse would print its usage and exit; no option is abbreviated."""

    def __init__(self, **options: object) -> None:
        """As argparse's own, by keyword."""
        super().__init__(**{"allow_abbrev": False, **options})  # type: ignore[arg-type]

    def error(self, message: str) -> NoReturn:
        """Raise what was wrong."""
        raise ConfigError(f"{message}; see --help")


def main() -> None:
    """The console's entry point: end the process with an exit code."""
    sys.exit(command(sys.argv[1:]))


def command(argv: Sequence[str]) -> int:
    """Do what a command line says; its exit code. Errors are reported on stderr, each mistake in a line."""
    redactor = Redactor()
    try:
        args = parser(argv[:1] if argv[:1] and argv[0] in SUBCOMMANDS else SUBCOMMANDS).parse_args(argv)
        code: int = args.run(args)
    except KeyboardInterrupt:
        write_lines(["error: interrupted"], sys.stderr)
        return _INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last resort of a process: reported in one line
        if "--debug" in argv:
            sys.stderr.write(printable_lines(redactor.hide("".join(traceback.format_exception(error)))))
        return _reported(error, redactor)
    return code


def parser(names: Iterable[str]) -> argparse.ArgumentParser:
    """The command line with these subcommands."""
    this = Parser(prog="kafka-census", description="A census of Apache Kafka's control plane. See README.md.")
    this.add_argument("--version", action="version", version=f"kafka-census {__version__}")
    chosen = this.add_subparsers(required=True, metavar="COMMAND", title="commands")
    for name in names:
        subcommand = cast("Subcommand", import_module(f"kafka_census.cli.{name}"))
        of_it = chosen.add_parser(name, help=subcommand.HELP, description=subcommand.HELP)
        of_it.add_argument("--debug", action="store_true", help="show the traceback of an error")
        subcommand.add_arguments(of_it)
        of_it.set_defaults(run=subcommand.run)
    return this


def _reported(error: Exception, redactor: Redactor) -> int:
    """Print what an error says, each mistake of a configuration in a line of its own; the exit code."""
    several = [ConfigError(one) for one in error.args] if isinstance(error, ConfigError) else [error]
    known = explained(error, redactor.hide)
    hint = "" if known else "; this is a bug, run again with --debug for the traceback"
    write_lines([f"error: {one_line(one, redactor.hide)}{hint}" for one in several], sys.stderr)
    return known.exit_code if known else 1
