"""`kafka-census doctor`: whether a census can run, and why it would fail, in seconds and without Spark.

Exit codes: 0 nothing failed (there may be warnings), 1 a check failed that makes a census fail or be refused,
2 bad usage or configuration (nothing was sent).
"""

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from kafka_census.cli.usage import add_config
from kafka_census.errors import ConfigError
from kafka_census.spark.started_by import on_connect, on_databricks
from kafka_census.terminal.display import write_lines
from kafka_census.terminal.log import Redactor

if TYPE_CHECKING:
    from kafka_census.clock import Clock
    from kafka_census.config import Config
    from kafka_census.upkeep.doctor.facts import Configured, Taken
    from kafka_census.upkeep.doctor.finding import Part

HELP = "Check whether a census can run: the way to the brokers, rights, Java, jars, lake. Needs no Spark."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `doctor`."""
    add_config(parser)
    text = "a name in the configuration's clusters; repeat the option for several; default: all"
    parser.add_argument("--cluster", action="append", metavar="NAME", help=text)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(args: argparse.Namespace, redactor: Redactor) -> int:
    """Run the checks and print their findings; returns 1 where a check failed. Raises ConfigError."""
    from kafka_census.cli.configured import configured
    from kafka_census.clock import Clock
    from kafka_census.upkeep.doctor import text

    clock = Clock()
    began = clock.monotonic()
    config = configured(args)
    clusters = _configured(config, tuple(dict.fromkeys(args.cluster or config.clusters)))
    parts = _examined(config, clusters, clock, redactor)
    seconds = clock.monotonic() - began
    if args.json:
        write_lines(json.dumps(text.as_json(parts, seconds), indent=1).split("\n"), sys.stdout)
    else:
        write_lines(text.lines(parts, seconds), sys.stdout)
    return 1 if any(part.failed for part in parts) else 0


def _examined(config: "Config", configured: "Sequence[Configured]", clock: "Clock", redactor: Redactor) -> "list[Part]":
    """The findings about this machine, then about each cluster; clusters are examined at the same time."""
    from kafka_census.upkeep.doctor import checks, cluster, machine
    from kafka_census.upkeep.doctor.concurrently import concurrently
    from kafka_census.upkeep.doctor.finding import Part
    from kafka_census.upkeep.doctor.rights import principal

    def examined(one: "Configured") -> Part:
        settings = one.settings
        facts = cluster.look(one, config.collect, partial(machine.history, config.lake, one.names), clock)
        title = f"cluster {settings.name}: {settings.security_protocol}, {principal(settings)}"
        return Part(settings.name, title, checks.judged(checks.CLUSTER, facts))

    for one in configured:
        redactor.learn(one.settings)
    here = checks.judged(checks.MACHINE, machine.look(config.lake, _spark_given_by()))
    parts = [Part(None, "this machine", here), *concurrently(configured, examined)]
    return [part.shown(redactor.hide) for part in parts]


def _configured(config: "Config", names: "Sequence[str]") -> "list[Configured]":
    """The configuration of these clusters. Raises ConfigError with the mistakes of all of them."""
    from kafka_census.kafka.protocol.cluster import require_means
    from kafka_census.upkeep.doctor.facts import Configured

    configured, mistakes, taken = [], list[str](), _taken(config)
    for name in names:
        try:
            settings = config.cluster(name)
            require_means(settings)
        except ConfigError as error:
            mistakes += error.args
            continue
        rules = config.completeness
        configured.append(
            Configured(
                settings, config.names(name), taken, rules.unreachable_brokers, rules.visibility, config.exposed(name)
            )
        )
    if mistakes:
        raise ConfigError(*mistakes)
    return configured


def _taken(config: "Config") -> "tuple[Taken, ...]":
    """The walks of a census with this configuration, and the tables that read them."""
    from kafka_census.declarations.levels import walks_for
    from kafka_census.tables.all_tables import tables_named
    from kafka_census.upkeep.doctor.facts import Taken

    tables = tables_named(config.tables)
    reads = [(table.name, (read.rpc, read.scope), read.required) for table in tables for read in table.reads]
    return tuple(
        Taken(
            walk.name,
            tuple(table for table, name, _ in reads if name == walk.name),
            tuple(table for table, name, required in reads if name == walk.name and required),
            keyed=walk.keys is not None,
        )
        for walk in walks_for(tables)
    )


def _spark_given_by() -> str | None:
    """The platform that brings Spark, Java and the jars of Delta; None where this machine must have them."""
    if on_databricks():
        return "Databricks"
    return "Spark Connect" if on_connect() else None
