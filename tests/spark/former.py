"""A lake with one published census and the next one landed and staged, and all readers of the lake."""

from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import SparkSession

import kafka_census
from kafka_census.clock import Clock
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.runs import Runs
from kafka_census.pages.landed_census import read_landed_census
from kafka_census.progress import NullProgress
from kafka_census.publish.promote import promote
from kafka_census.quality.gate import Judgement, TableJudgement
from kafka_census.staging.stage import stage
from kafka_census.tables.quotas import QUOTAS
from kafka_census.tables.scram_users import SCRAM_USERS
from kafka_census.tables.table import Table
from spark.fake_lake import ITEMS, NOON, FakeLake, census, healthy, page
from spark.planted_tables import staged_row

TWO_TABLES = (QUOTAS, SCRAM_USERS)
"""The tables with the fewest walks to land, because tests publish and read them many times."""

FORMER, NEXT = (census(number, tuple(table.name for table in TWO_TABLES)) for number in (1, 2))
ROWS = {FORMER.census_id: (1, 1), NEXT.census_id: (3, 1)}
"""The number of rows of each of the two tables, by census."""

_CLUSTER = ("DescribeCluster", "cluster")
_PAGES = {
    _CLUSTER: healthy()[_CLUSTER],
    ("DescribeClientQuotas", "quotas"): [
        page(
            1,
            [("alice", None, None, False, False, False, False, quota, 1.0) for quota in ("a_rate", "b_rate", "c_rate")],
        )
    ],
    ("DescribeUserScramCredentials", "scram_users"): [page(1, [("alice", 0, "SCRAM-SHA-512", 8192)])],
}
_ITEMS = {
    "DescribeCluster": ITEMS["DescribeCluster"],
    "DescribeClientQuotas": "user STRING, client_id STRING, ip STRING, is_default BOOLEAN, user_is_default BOOLEAN, "
    "client_id_is_default BOOLEAN, ip_is_default BOOLEAN, key STRING, value DOUBLE",
    "DescribeUserScramCredentials": "user STRING, error_code INT, mechanism STRING, iterations INT",
}


def passing(*row_counts: int, tables: tuple[Table, ...] = TWO_TABLES) -> Judgement:
    """A judgement that publishes."""
    judged = (
        TableJudgement(table.name, True, (), "proven", 0, rows, NOON, NOON)
        for table, rows in zip(tables, row_counts, strict=True)
    )
    return Judgement("publish", tuple(judged), (), ())


@dataclass(frozen=True)
class Readers:
    """The readers of a lake: the views, and deltalake without Spark, both as the docs show them."""

    spark: SparkSession
    lake: Lake

    def all_see(self, seen: kafka_census.census.Census) -> None:
        """Check that all readers see this census completely, and no other, in both tables."""
        rows = [(seen.census_id,) * count for count in ROWS[seen.census_id]]
        assert self.by_views() == rows
        assert self.without_spark() == rows

    def by_views(self) -> list[tuple[str, ...]]:
        """The census id of each row that the views show."""
        kafka_census.register(self.spark, str(self.lake.root))
        found = (self.spark.table(f"current_{table.name}").select("census_id").collect() for table in TWO_TABLES)
        return [tuple(sorted(row.census_id for row in rows)) for rows in found]

    def without_spark(self) -> list[tuple[str, ...]]:
        """The census id of each row that deltalake reads."""
        found = kafka_census.current(str(self.lake.root), *[table.name for table in TWO_TABLES])
        return [tuple(sorted(rows.to_table(columns=["census_id"])["census_id"].to_pylist())) for rows in found]


def plant(spark: SparkSession, root: Path) -> Readers:
    """Fill the lake to the state that `jobs/transform.py` leaves."""
    lake = Lake(root=str(root))
    FakeLake(spark, lake, items=_ITEMS).land({NEXT: _PAGES}, [(*walk, None, True) for walk in _PAGES])
    landed = read_landed_census(spark, lake, NEXT.census_id, TWO_TABLES)
    stage(spark, lake, NEXT, TWO_TABLES, landed, NullProgress())
    for table in TWO_TABLES:
        row = spark.createDataFrame([staged_row(table, FORMER, FORMER.cluster_id)], table.schema)
        store.replace_census(row, lake, table, FORMER.census_id)
    promote(spark, lake, FORMER, passing(1, 1), NullProgress())
    Runs(spark, lake, Clock()).note(NEXT, "staged")
    return Readers(spark, lake)


def moved(readers: Readers, root: Path) -> Readers:
    """The same readers at a copy of the lake."""
    return replace(readers, lake=Lake(root=str(root)))
