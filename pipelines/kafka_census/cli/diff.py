"""`kafka-census diff`: the changes between two published censuses, or between two clusters, of a lake.

Results go to stdout, the worst first; tables that could not be compared are named on stderr.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from kafka_census.cli.lake_to_read import lake_to_read, require_packages
from kafka_census.cli.usage import add_config, add_spark_conf
from kafka_census.comparison.query import CHANGES
from kafka_census.errors import ConfigError
from kafka_census.terminal.columns import Shown, table, terminal_width, wrapped
from kafka_census.terminal.display import write_lines
from kafka_census.terminal.human import counted
from kafka_census.terminal.log import Redactor

if TYPE_CHECKING:
    from kafka_census.reading.sql.difference import Difference, Published

HELP = "Show the changes between two censuses, or between two clusters."

_MOST = 100
"""Rows that are printed of each kind of change."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `diff`."""
    named = "a census: its id or the beginning of its id, latest or previous"
    parser.add_argument("before", nargs="?", metavar="A", help=f"{named}; default: previous")
    parser.add_argument("after", nargs="?", metavar="B", help="another census; default: latest")
    parser.add_argument(
        "--cluster",
        action="append",
        metavar="NAME",
        help="the cluster; given twice: the latest censuses of both clusters",
    )
    add_config(parser)
    add_spark_conf(parser)
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table", help="default: table")


def run(args: argparse.Namespace, _redactor: Redactor) -> int:
    """Print the changes; returns the exit code, which is 0 whether or not there are changes.

    Raises ConfigError for bad usage, CorruptLake where nothing is published.
    """
    require_packages("sql", "duckdb", "deltalake")
    from kafka_census.reading.sql.difference import difference, published
    from kafka_census.reading.sql.output import TEXTS
    from kafka_census.reading.sql.session import Rows

    where = lake_to_read(args)
    lake = where.open()
    found = difference(lake, *_meant(args, published(lake, where.present)))
    write_lines(_not_compared(found), sys.stderr)
    if args.format == "table":
        write_lines(_lines(found), sys.stdout)
    else:
        TEXTS[args.format](Rows(found.columns, iter(found.rows)), sys.stdout)
    return 0


def _not_compared(found: "Difference") -> Iterator[str]:
    if found.not_compared:
        yield f"not compared: {', '.join(found.not_compared)}, which one of the two censuses does not have"
    if found.of_cluster:
        yield f"not compared: {', '.join(found.of_cluster)}, because these are two clusters, by id or by name"


def _meant(args: argparse.Namespace, censuses: "Sequence[Published]") -> "tuple[Published, Published]":
    """The earlier census, and the later one."""
    from kafka_census.reading.sql.difference import LATEST, PREVIOUS, named

    match args.cluster or [None]:
        case [one, other]:
            if args.before:
                raise ConfigError("two clusters are compared by their latest censuses: leave A and B out")
            return named(censuses, one, LATEST), named(censuses, other, LATEST)
        case [cluster]:
            after = named(censuses, cluster, args.after or LATEST)
            return named(censuses, cluster or after.cluster, args.before or PREVIOUS, after), after
        case _:
            raise ConfigError("--cluster is given once, or twice for two clusters")


def _lines(found: "Difference") -> Iterator[str]:
    """The lines for people: the compared censuses, the number of changes of each kind, then the changes."""
    width = terminal_width()
    before, after = found.before, found.after
    if (before.cluster, before.cluster_id) == (after.cluster, after.cluster_id):
        yield f"{after.cluster}: from {before.census_id} to {after.census_id}"
    else:
        yield f"from {before.cluster}, {before.census_id}"
        yield f"to {after.cluster}, {after.census_id}"
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    counts = Counter(row["change"] for row in rows)
    summed = ", ".join(f"{counts[change]:,} {change}" for change in CHANGES if counts[change])
    nothing = "nothing changed in what was compared" if found.not_compared or found.of_cluster else "nothing changed"
    yield f"{counted(len(rows), 'change')}: {summed}" if rows else nothing
    for change, group in groupby(rows, lambda row: str(row["change"])):
        mine = list(group)
        yield ""
        yield change
        yield from _unread(mine, width) if change == "unread" else _changed(mine, width)


def _changed(rows: Sequence[dict[str, object]], width: int) -> Iterator[str]:
    """One line per change; for a thing that appeared or is gone, a summary of the thing."""
    columns = (Shown("of", 11), Shown("key"), Shown("column", 22), Shown("before", 20), Shown("after", 20))
    cells = [
        [_text(row[name]) for name in ("subject", "key", "column_name", "before", "after")] for row in rows[:_MOST]
    ]
    yield from table(columns, cells, width)
    if len(rows) > _MOST:
        yield f"and {len(rows) - _MOST:,} more; --format csv or json has all"


def _unread(rows: Sequence[dict[str, object]], width: int) -> Iterator[str]:
    """One paragraph per reason: the things that were not read because of it."""
    why = Counter((str(row["reason"]), str(row["subject"])) for row in rows)
    for (reason, subject), count in sorted(why.items(), key=lambda one: -one[1]):
        such_as = next(str(row["key"]) for row in rows if (row["reason"], row["subject"]) == (reason, subject))
        things = f"{subject} {such_as}" if count == 1 else f"{counted(count, subject)}, such as {such_as}"
        yield from wrapped(f"{things}: {reason}", "", "  ", width)


def _text(value: object) -> str:
    return "-" if value is None else str(value)
