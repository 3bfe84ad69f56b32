"""The plan of maintenance for one cluster's part of a lake; planning only reads.

A plan names censuses and, for each table, the censuses whose rows are to be deleted: carrying it
out deletes by census id and decides nothing. A plan depends only on the present rows of the
lake, so a plan made after a crash is the rest of the previous plan.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from itertools import groupby

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.audit import CALLS, QUARANTINE, REFUSALS, ROUTES, VERDICTS
from kafka_census.declarations.census import checked
from kafka_census.declarations.table import Table
from kafka_census.lake import store
from kafka_census.lake.cluster_key import KEY
from kafka_census.lake.lake import Lake
from kafka_census.upkeep.maintenance.retention import Known, Retention, removable, to_clear, to_retire

THINNED = (CALLS, ROUTES, VERDICTS, QUARANTINE, REFUSALS)
"""Audit tables that grow with every census: their rows are deleted with its tables' rows, but not before `daily`."""


@dataclass(frozen=True)
class Share:
    """Rows of one table to delete, by `census_ids`: their number, the files that hold them, and their size in bytes.

    A file of an audit table also holds other rows.
    """

    table: Table
    census_ids: tuple[str, ...]
    rows: int
    files: int
    size: int


@dataclass(frozen=True)
class Plan:
    """The plan of one cluster.

    clusters  its configured names; several where they stand for the same cluster
    visible   how many of its censuses readers see now
    retire    censuses to hide; clear: censuses whose landed pages are deleted
    shares    rows to delete, by table
    """

    cluster_id: str
    clusters: tuple[str, ...]
    visible: int
    retire: tuple[Known, ...]
    clear: tuple[Known, ...]
    shares: tuple[Share, ...]


def make_plan(
    spark: SparkSession,
    lake: Lake,
    known: Sequence[Known],
    tables: Collection[Table],
    rules: Retention,
    now: datetime,
) -> Plan:
    """The plan of one cluster. `known` are its censuses, `tables` the existing tables of the lake."""
    cluster_id = known[0].census.cluster_id
    return Plan(
        cluster_id=cluster_id,
        clusters=tuple(sorted({one.census.cluster for one in known})),
        visible=sum(bool(one.visible_in) for one in known),
        retire=to_retire(known, rules, now),
        clear=to_clear(known, rules, now),
        shares=_shares(spark, lake, known, tables, rules, now),
    )


def retiring(named: Sequence[Known], known: Collection[Known]) -> Plan:
    """The plan that hides the named censuses of one cluster, and leaves their rows to a later plan."""
    return Plan(
        cluster_id=named[0].census.cluster_id,
        clusters=tuple(sorted({one.census.cluster for one in known})),
        visible=sum(bool(one.visible_in) for one in known),
        retire=tuple(sorted(named, key=lambda one: one.census.census_id)),
        clear=(),
        shares=(),
    )


def _shares(
    spark: SparkSession,
    lake: Lake,
    known: Sequence[Known],
    tables: Collection[Table],
    rules: Retention,
    now: datetime,
) -> tuple[Share, ...]:
    """The rows to delete, by one query over all tables; of published tables only hidden censuses are read."""
    gone = removable(known, rules, now)
    stays = [one.census.census_id for one in known if one.census.census_id not in gone]
    conditions = {
        "landing": _older(now - rules.landed),
        "published": ~F.col("census_id").isin(stays),
        "audit": _older(now - rules.daily) & ~F.col("census_id").isin(stays),
    }
    ours = F.col(KEY) == known[0].census.cluster_id
    listed = [
        _files(store.read(spark, lake, table).where(ours & conditions[table.layer]), table)
        for table in tables
        if table.layer in conditions and (table.layer != "audit" or table in THINNED)
    ]
    if not listed:
        return ()
    by_file = (
        reduce(DataFrame.unionByName, listed)
        .groupBy("layer", "name", "census_id", "file")
        .agg(F.count("*").alias("rows"), F.first("size").alias("size"))
        .orderBy("layer", "name", "census_id")
    )
    # Published and audit rows of a census that `census_runs` does not know are left alone.
    found = [row for row in by_file.collect() if row["layer"] == "landing" or row["census_id"] in gone]
    named = {(table.layer, table.name): table for table in tables}
    return tuple(
        _share(named[key], list(rows)) for key, rows in groupby(found, lambda row: (row["layer"], row["name"]))
    )


def _files(rows: DataFrame, table: Table) -> DataFrame:
    """Per row (layer, name, census_id, file, size): its table, its census and its file."""
    return rows.select(
        F.lit(table.layer).alias("layer"),
        F.lit(table.name).alias("name"),
        "census_id",
        F.col("_metadata.file_path").alias("file"),
        F.col("_metadata.file_size").alias("size"),
    )


def _share(table: Table, found: list[Row]) -> Share:
    ids = tuple(checked(census_id, table.folder) for census_id in dict.fromkeys(row["census_id"] for row in found))
    sizes = {row["file"]: row["size"] for row in found}
    return Share(table, ids, sum(row["rows"] for row in found), len(sizes), sum(sizes.values()))


def _older(time: datetime) -> Column:
    """Whether a census started before this time, by its id, which Delta can prune by."""
    return F.col("census_id") < f"{time.astimezone(UTC):%Y%m%dT%H%M%S}"
