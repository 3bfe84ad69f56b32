"""`kafka-census sql`: query a lake in SQL, without Spark and without a JVM.

Statements come from `-e`, from a file or from stdin; on a terminal there is a prompt. Only results go to stdout.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from kafka_census.cli.path_lake import moment, path_lake, require_packages
from kafka_census.cli.usage import add_config
from kafka_census.errors import ConfigError
from kafka_census.files import operator_file
from kafka_census.lake.cluster_key import mixed
from kafka_census.reading.sql.output import FORMATS
from kafka_census.reading.sql.prompt import prompt
from kafka_census.terminal.display import write_lines
from kafka_census.terminal.log import Redactor

if TYPE_CHECKING:
    from kafka_census.reading.without_spark import PublishedLake

_LONGEST = 7 * 86_400
"""Seconds of `--timeout`, at most: threads cannot wait for much longer."""

HELP = "Query the published tables in SQL, with DuckDB."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `sql`."""
    text = parser.add_mutually_exclusive_group()
    text.add_argument("-e", "--execute", metavar="QUERY", help="one statement, or several separated by ;")
    text.add_argument("--file", metavar="FILE", help="a file of statements; without both: stdin, or a prompt")
    add_config(parser)
    parser.add_argument("--format", choices=FORMATS, default="table", help="default: table")
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
    from kafka_census.reading.sql.limits import Limits
    from kafka_census.reading.sql.session import Session
    from kafka_census.reading.without_spark import PublishedLake

    lake = path_lake(args)
    at = moment(args.as_of, lake.root) if args.as_of else None
    session = Session(lake.root, at, Limits(args.timeout, args.memory_limit))
    told: set[str] = set()

    def answer(text: str) -> None:
        published = PublishedLake(lake.root)
        notes = [*mixed(published.lasts, lake.present), *_newer(published, lake.present, at)]
        new = [line for line in dict.fromkeys(notes) if line not in told]
        told.update(new)
        write_lines([f"note: {line}" for line in new], sys.stderr)
        for result in session.results(text, published):
            FORMATS[args.format](result, sys.stdout)

    text = _text(args)
    if text is None:
        prompt(answer)
    else:
        answer(text)
    return 0


def _newer(published: "PublishedLake", present: Mapping[str, str], at: datetime | None) -> Iterator[str]:
    """A line for each cluster of which a newer census is not published: its rows are not in `current_<table>`."""
    for last in published.lasts:
        cluster = present.get(last.cluster, last.cluster)
        names = {cluster, *(name for name, its_present in present.items() if its_present == cluster)}
        line = published.later(names, last.census_id, at)
        if line:
            yield f"cluster {cluster}: {line}"


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
