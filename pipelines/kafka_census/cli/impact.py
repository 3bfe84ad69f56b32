"""`kafka-census impact`: may this broker, rack, log dir or controller be lost, or restarted, now? Without Spark.

Exit codes: 0 safe, 4 not safe, 3 not known; 2 bad usage or configuration, 1 no answer at all.
"""

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from kafka_census.cli.lake_to_read import lake_to_read, require_packages
from kafka_census.cli.usage import add_config, add_spark_conf
from kafka_census.errors import ConfigError
from kafka_census.impact.lost import Lost
from kafka_census.terminal.display import write_lines
from kafka_census.terminal.log import Redactor

if TYPE_CHECKING:
    from kafka_census.reading.without_spark import PublishedLake

HELP = "Tell what the loss or restart of a broker, rack, log dir or controller would stop."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `impact`."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--broker", type=int, metavar="ID", help="the broker that may be lost")
    what.add_argument("--rack", metavar="RACK", help="all brokers of this broker.rack")
    what.add_argument("--controller", type=int, metavar="ID", help="a voter of the metadata quorum")
    parser.add_argument("--log-dir", metavar="DIR", help="with --broker: this log dir of it alone")
    add_config(parser)
    add_spark_conf(parser)
    text = "a name in the configuration's clusters, or in the lake; needed where there are several"
    parser.add_argument("--cluster", metavar="NAME", help=text)
    text = "ask the brokers now, instead of the last published census"
    parser.add_argument("--live", action="store_true", help=text)
    text = "exit code 0 also where writes go on, and a partition is left with one in-sync replica, or a move stops"
    parser.add_argument("--accept-degraded", action="store_true", help=text)
    parser.add_argument("--json", action="store_true", help="one JSON object: the row of the table failure_impact")


def run(args: argparse.Namespace, redactor: Redactor) -> int:
    """Print what the loss would do; returns 0 for safe, 4 for not safe, 3 for not known. Raises CensusError."""
    require_packages("sql", "duckdb", "deltalake")
    from kafka_census.impact.text import exit_code, lines

    lost = _lost(args)
    since, row = _live(args, lost, redactor) if args.live else _published(args, lost)
    if args.json:
        write_lines([json.dumps(row, default=str)], sys.stdout)
    else:
        write_lines([*since, *lines(row)], sys.stdout)
    return exit_code(row["verdict"], accepts_degraded=args.accept_degraded)


def _lost(args: argparse.Namespace) -> Lost:
    if args.log_dir is not None:
        if args.broker is None:
            raise ConfigError("--log-dir is a dir of one broker: give --broker with it")
        return Lost("log_dir", f"{args.broker}:{args.log_dir}")
    if args.broker is not None:
        return Lost("broker", str(args.broker))
    return Lost("rack", args.rack) if args.rack is not None else Lost("controller", str(args.controller))


def _published(args: argparse.Namespace, lost: Lost) -> tuple[list[str], dict[str, Any]]:
    """How old the last published census is, and its row."""
    from kafka_census.clock import Clock
    from kafka_census.reading.newer import age

    where, now = lake_to_read(args), Clock().now()
    lake = where.open()
    names = {last.cluster: where.present.get(last.cluster, last.cluster) for last in lake.lasts}
    of = {args.cluster} if args.cluster else set(names.values())
    known = ", ".join(sorted(set(names.values()))) or "none"
    if len(of) > 1:
        raise ConfigError(f"the lake has several clusters, {known}: name one with --cluster")
    lasts = [last for last in lake.lasts if names[last.cluster] in of or last.cluster in of]
    if not lasts:
        raise ConfigError(f"no census of cluster '{args.cluster}' is published; there are {known}")
    last = max(lasts, key=lambda one: one.census_id)
    rows = _rows(lake, last.census_id)
    said = age(lake.published_at(last.census_id), now, where.max_age)
    since = f"Cluster {names[last.cluster]}, census {last.census_id}, published {said}."
    later = lake.later([name for name, present in names.items() if present == names[last.cluster]], last.census_id)
    return [since, *([later] if later else [])], _chosen(rows, lost, f"census {last.census_id}")


def _rows(lake: "PublishedLake", census_id: str) -> list[dict[str, Any]]:
    from kafka_census.reading.delta_tables import read

    table = "failure_impact"
    if table not in lake.lacking(census_id):
        raise ConfigError(f"census {census_id} has no table {table}: add it to `tables`, or ask the brokers by --live")
    rows = lake.census(table, census_id)
    found: list[dict[str, Any]] = read(rows, rows.schema.names, of=f"published/{table}").to_pylist()
    return found


def _live(args: argparse.Namespace, lost: Lost, redactor: Redactor) -> tuple[list[str], dict[str, Any]]:
    """When the brokers were asked, and their row."""
    from kafka_census.cli.configured import configured
    from kafka_census.clock import Clock
    from kafka_census.impact.answers import frames_of
    from kafka_census.impact.in_duckdb import foretold
    from kafka_census.impact.live import ask

    config, clock = configured(args), Clock()
    name = args.cluster or config.only_cluster
    settings = config.cluster(name)
    redactor.learn(settings)
    began = clock.monotonic()
    answers = ask(lost, settings, config.collect)
    rows = foretold(frames_of(answers, clock.now()))
    since = f"Cluster {name}, asked now, in {clock.monotonic() - began:.1f} s."
    return [since], _chosen(rows, lost, f"cluster {name}")


def _chosen(rows: list[dict[str, Any]], lost: Lost, where: str) -> dict[str, Any]:
    """The row of what may be lost. Raises ConfigError where there is none."""
    found = next((row for row in rows if (row["kind"], row["name"]) == (lost.kind, lost.name)), None)
    if found is None:
        known = sorted(row["name"] for row in rows if row["kind"] == lost.kind)
        raise ConfigError(f"{where} has no {lost}; there are {', '.join(known) or 'none'}")
    return found
