"""What the books say of every census: the facts that `retention` decides on."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from kafka_census.census import Census, started_at
from kafka_census.maintenance.retention import Known
from kafka_census.tables import store
from kafka_census.tables.books import CENSUS_RUNS, PUBLICATIONS
from kafka_census.tables.lake import Lake

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_ledger(spark: SparkSession, lake: Lake) -> Mapping[str, tuple[Known, ...]]:
    """Every census by the id of its cluster; none where there is no lake yet. Raises CorruptLake."""
    runs, published = store.find(spark, lake, CENSUS_RUNS), store.find(spark, lake, PUBLICATIONS)
    if runs is None:
        return {}
    events = runs.groupBy("census_id", "cluster_id", "cluster").agg(
        F.max_by("tables", "at").alias("tables"),
        F.max(F.when(F.col("event") != "cleared", F.unix_micros("at"))).alias("touched_at"),
        F.bool_or(F.col("event") == "retired").alias("retired"),
        F.bool_or(F.col("event") == "cleared").alias("cleared"),
    )
    visible: Iterable[Row] = ()
    if published is not None:
        visible = published.groupBy("census_id").agg(F.collect_set("table_name").alias("tables")).collect()
    tables = {row["census_id"]: frozenset(row["tables"]) for row in visible}
    ledger: dict[str, list[Known]] = {}
    for row in events.collect():
        census_id = row["census_id"]
        made = Census(census_id, row["cluster_id"], row["cluster"], started_at(census_id), tuple(row["tables"]))
        touched_at = _EPOCH + timedelta(microseconds=row["touched_at"])
        known = Known(made, tables.get(census_id, frozenset()), touched_at, row["retired"], row["cleared"])
        ledger.setdefault(made.cluster_id, []).append(known)
    return {cluster_id: tuple(known) for cluster_id, known in sorted(ledger.items())}
