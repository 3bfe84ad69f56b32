"""`kafka-census sql`: query a lake in SQL, without Spark and without a JVM.

Statements come from `-e`, from a file or from stdin; on a terminal there is a prompt. Only results go to stdout.
"""

import argparse
import sys
from pathlib import Path

from kafka_census.cli.path_lake import moment, path_lake, require_packages
from kafka_census.display import write_lines
from kafka_census.errors import ConfigError
from kafka_census.lake.cluster_key import mixed
from kafka_census.log import Redactor
from kafka_census.sql.output import FORMATS
from kafka_census.sql.prompt import prompt
from kafka_census.usage import add_config

HELP = "Query the published tables in SQL, with DuckDB."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `sql`."""
    text = parser.add_mutually_exclusive_group()
    text.add_argument("-e", "--execute", metavar="QUERY", help="one statement, or several separated by ;")
    text.add_argument("--file", metavar="FILE", help="a file of statements; without both: stdin, or a prompt")
    lake = parser.add_mutually_exclusive_group()
    add_config(lake)
    lake.add_argument("--lake", metavar="PATH", help="the lake itself, a folder or a URI; no configuration is read")
    parser.add_argument("--format", choices=FORMATS, default="table", help="default: table")
    shown = "current_<table> shows the last published census at a time (UTC), or at the publication of this census"
    parser.add_argument("--as-of", metavar="TIME|CENSUS_ID", help=shown)


def run(args: argparse.Namespace, _redactor: Redactor) -> int:
    """Print the results of the statements; returns the exit code.

    Raises ConfigError for bad usage, BadQuery for what DuckDB refuses, CorruptLake where nothing is published.
    """
    require_packages("sql", "duckdb", "deltalake")
    from kafka_census.sql.session import Session
    from kafka_census.without_spark import PublishedLake

    lake = path_lake(args)
    session = Session(lake.root, moment(args.as_of, lake.root) if args.as_of else None)
    told: set[str] = set()

    def answer(text: str) -> None:
        published = PublishedLake(lake.root)
        new = [line for line in mixed(published.lasts, lake.present) if line not in told]
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


def _text(args: argparse.Namespace) -> str | None:
    """The statements; None for the prompt on a terminal."""
    if args.execute is not None:
        return str(args.execute)
    if args.file is None:
        return None if sys.stdin.isatty() and sys.stdout.isatty() else sys.stdin.read()
    try:
        return Path(args.file).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--file {args.file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"--file {args.file} is not UTF-8 text") from None
