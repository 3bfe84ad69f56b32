"""Gate and publication, crashed between any two of their writes: readers see nothing, and a rerun repairs the lake."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

import kafka_census
from kafka_census.census.gate.gate import judge
from kafka_census.census.gate.policy import GatePolicy
from kafka_census.census.publish.promote import promote
from kafka_census.census.staging.stage import stage
from kafka_census.declarations.audit import PUBLICATIONS, QUARANTINE, VERDICTS
from kafka_census.declarations.census import Census
from kafka_census.lake import table_writer
from kafka_census.lake.lake import Lake
from kafka_census.pages.landed_census import LandedCensus, read_landed_census
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.tables.scram_users.columns import SCRAM_USERS
from kafka_census.tables.suites import SUITES
from kafka_census.terminal.progress import NullProgress
from spark import planted_tables
from spark.fake_lake import ITEMS, census, healthy, land, page, passing
from spark.landing_run import Crash

TABLES = (QUOTAS, SCRAM_USERS)
"""The tables with the fewest walks to land, because they are published and read many times."""

FORMER, NEXT = (census(number, tuple(table.name for table in TABLES)) for number in (1, 2))
ROWS = {FORMER: (1, 1), NEXT: (3, 1)}
"""The number of rows of each of the two tables, by census."""

CLUSTER = ("DescribeCluster", "cluster")
LIMITS = [("alice", None, None, False, False, False, False, quota, 1.0) for quota in ("a_rate", "b_rate", "c_rate")]
PAGES = {
    CLUSTER: healthy()[CLUSTER],
    ("DescribeClientQuotas", "quotas"): [page(1, LIMITS)],
    ("DescribeUserScramCredentials", "scram_users"): [page(1, [("alice", 0, "SCRAM-SHA-512", 8192)])],
}
OF_PAGES = {
    "DescribeCluster": ITEMS["DescribeCluster"],
    "DescribeClientQuotas": "user client_id ip is_default user_is_default client_id_is_default ip_is_default key value",
    "DescribeUserScramCredentials": "user error_code mechanism iterations",
}
WRITES = 3
"""The writes of gate and publication: the verdicts, quarantine, `publications`."""

# Two rules each, because only the writes are crashed, whatever is judged. The second rule warns about every row.
FEW_RULES = tuple(
    replace(suite, rules=(suite.rules[0], replace(suite.rules[-1], predicate="false"))) for suite in SUITES
)


def plant(spark: SparkSession, lake: Lake) -> LandedCensus:
    """One published census and one that is staged; returns the landed pages of the latter."""
    land(lake, {NEXT: PAGES}, [(*walk, None, True) for walk in PAGES], OF_PAGES)
    for table in TABLES:
        planted_tables.stage(lake, table, FORMER)
    landed = read_landed_census(spark, lake, NEXT.census_id, TABLES)
    stage(spark, lake, NEXT, TABLES, landed, NullProgress())
    promote(spark, lake, FORMER, passing(1, 1, tables=TABLES), NullProgress())
    return landed


def see(lake: Lake, seen: Census) -> None:
    """Check that readers without Spark see this census completely, and no other, in both tables."""
    datasets = kafka_census.current(str(lake.root), *(table.name for table in TABLES))
    found = [rows.to_table(columns=["census_id"])["census_id"].to_pylist() for rows in datasets]
    assert found == [[seen.census_id] * count for count in ROWS[seen]]


def views_show(spark: SparkSession, seen: Census) -> None:
    found = [[row.census_id for row in spark.table(f"current_{table.name}").collect()] for table in TABLES]
    assert found == [[seen.census_id] * count for count in ROWS[seen]]


def crash_after(writes: int, run: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run, and crash once that many writes are done: before the next one, or at the return."""
    done, save = 0, table_writer.save

    def counted(*arguments: object) -> None:
        nonlocal done
        if done == writes:
            raise Crash
        save(*arguments)
        done += 1
        if done == WRITES == writes:
            raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(table_writer, "save", counted)
        with pytest.raises(Crash):
            run()
    assert done == writes


def whole(lake: Lake) -> dict[str, list[str]]:
    """All rows that gate and publication leave, without the times of the writes."""
    times = {VERDICTS: "judged_at", QUARANTINE: "quarantined_at", PUBLICATIONS: "published_at"}
    rows = {
        table.name: DeltaTable(lake.path(table.layer, table.name)).to_pyarrow_table(
            columns=[name for name in table.columns if name != times.get(table)]
        )
        for table in (*TABLES, *times)
    }
    return {name: sorted(map(str, table.to_pylist())) for name, table in rows.items()}


def test_crashed_after_any_write_it_is_not_seen_and_is_repeated(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers see the previous census until the last write is done; the end state is that of a single run.

    One lake is crashed repeatedly, each time a write later: leftovers of earlier crashes are in the way, too.
    """
    lake, undisturbed = (Lake(root=str(tmp_path / name)) for name in ("crashed", "undisturbed"))
    landed = plant(spark, lake)
    kafka_census.register(spark, str(lake.root))
    shutil.copytree(str(lake.root), str(undisturbed.root))

    def publish(at: Lake = lake) -> None:
        judgement = judge(spark, at, NEXT, TABLES, GatePolicy(), landed, NullProgress(), suites=FEW_RULES)
        promote(spark, at, NEXT, judgement, NullProgress())

    for writes in range(1, WRITES):
        crash_after(writes, publish, monkeypatch)
        see(lake, FORMER)
    views_show(spark, FORMER)
    crash_after(WRITES, publish, monkeypatch)
    see(lake, NEXT)
    publish()
    see(lake, NEXT)
    views_show(spark, NEXT)
    publish(undisturbed)
    assert whole(lake) == whole(undisturbed)
