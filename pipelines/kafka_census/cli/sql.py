"""`kafka-census sql`: query a lake in SQL, on a path without Spark and without a JVM.

Rows of a lake in a catalog are read by Spark. Statements come from `-e`, from a file or from stdin; on a terminal there
is a prompt. Only results go to stdout, or to the file of `--output`; how old they are, and what became of a newer
census, is said on stderr.
"""

import argparse
import io
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

from kafka_census.cli.lake_to_read import lake_to_read, moment, require_packages
from kafka_census.cli.usage import add_config, add_spark_conf
from kafka_census.errors import ConfigError
from kafka_census.files import operator_file, whole_file
from kafka_census.reading.sql.output import ENDINGS, FORMATS, NO_TERMINAL
from kafka_census.terminal.display import write_lines
from kafka_census.terminal.log import Redactor

_LONGEST = 7 * 86_400
"""Seconds of `--timeout`, at most: threads cannot wait for much longer."""

HELP = "Query the published tables in SQL, with DuckDB."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `sql`."""
    text = parser.add_mutually_exclusive_group()
    text.add_argument("-e", "--execute", metavar="QUERY", help="one statement, or several separated by ;")
    text.add_argument("--file", metavar="FILE", help="a file of statements; without both: stdin, or a prompt")
    add_config(parser)
    add_spark_conf(parser)
    parser.add_argument("--format", choices=FORMATS, help="default: that of the name of --output, or table")
    words = "write the results to this file, which is replaced once all are there"
    parser.add_argument("--output", type=Path, metavar="FILE", help=words)
    shown = "current_<table> shows the last published census at a time (UTC), or at the publication of this census"
    parser.add_argument("--as-of", metavar="TIME|CENSUS_ID", help=shown)
    words = "the longest time of one statement; default: 600"
    parser.add_argument("--timeout", type=seconds, metavar="SECONDS", default=600, help=words)
    words = "the most memory of one statement, such as 512MiB; default: 2GB"
    parser.add_argument("--memory-limit", metavar="SIZE", default="2GB", help=words)


def run(args: argparse.Namespace, _redactor: Redactor) -> int:
    """Print the results of the statements; returns the exit code.

    Raises ConfigError for bad usage, BadQuery for what DuckDB refuses, CorruptLake where nothing is published.
    """
    require_packages("sql", "duckdb", "deltalake")
    from kafka_census.reading.sql.completion import Completion
    from kafka_census.reading.sql.limits import Limits
    from kafka_census.reading.sql.prompt import prompt
    from kafka_census.reading.sql.session import Session
    from kafka_census.reading.sql.shell import Shell

    lake = lake_to_read(args)
    at = moment(args.as_of, lake.open) if args.as_of else None
    session = Session(None, at, Limits(args.timeout, args.memory_limit))
    shell = Shell(session, lake.open, at, lake.present, _comments)
    text = _text(args)
    if text is None and args.output:
        raise ConfigError("--output needs statements: give them by -e, by --file or on stdin")
    form = args.format or ENDINGS.get(args.output.suffix if args.output else "", "table")
    if form == "parquet" and not args.output and sys.stdout.isatty():
        raise ConfigError(NO_TERMINAL)
    if text is None:
        write_lines(shell.banner(), sys.stdout)
        prompt(partial(shell.answer, form=form, out=sys.stdout), shell.describe, Completion(shell.opened))
    else:
        with _written(args.output) as out:
            shell.answer(text, form, out)
    return 0


@contextmanager
def _written(path: Path | None) -> Iterator[TextIO]:
    """Where results go: stdout, or a file that is replaced when all are written. Raises ConfigError."""
    if path is None:
        yield sys.stdout
        return
    try:
        with whole_file.replaced(path) as file:
            out = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
            yield out
            out.detach()
    except OSError as error:
        raise ConfigError(f"--output {path} cannot be written: {error.strerror or error}") from None


def _comments() -> Mapping[str, str]:
    """What a row of each table is; empty without Spark, in whose types tables are declared."""
    if find_spec("pyspark") is None:
        return {}
    from kafka_census.declarations.alerts import ALERTS
    from kafka_census.declarations.audit import CENSUS_AUDIT_TABLES
    from kafka_census.declarations.deletions import DELETION_AUDIT_TABLES
    from kafka_census.tables.all_tables import TABLES

    tables = (*TABLES, *CENSUS_AUDIT_TABLES, ALERTS, *DELETION_AUDIT_TABLES)
    return {table.name: table.comment for table in tables}


def seconds(text: str) -> float:
    """A number of seconds greater than 0. Raises ArgumentTypeError."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= _LONGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds between 0 and {_LONGEST:,}")
    return number


def _text(args: argparse.Namespace) -> str | None:
    """The statements; None for the prompt on a terminal."""
    if args.execute is not None:
        return str(args.execute)
    if args.file is None:
        return None if sys.stdin.isatty() and sys.stdout.isatty() else _from_stdin()
    try:
        return operator_file.content(args.file).decode("utf-8")
    except OSError as error:
        raise ConfigError(f"--file {args.file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"--file {args.file} is not UTF-8 text") from None


def _from_stdin() -> str:
    text = sys.stdin.read(operator_file.LARGEST + 1)
    if len(text) > operator_file.LARGEST:
        raise ConfigError(f"stdin holds more than {operator_file.LARGEST:,} characters; are these statements?")
    return text
