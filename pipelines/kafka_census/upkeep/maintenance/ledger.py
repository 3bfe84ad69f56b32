"""What the audit tables say about every census: the facts that `retention` decides on."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.census import Census, checked, started_at
from kafka_census.errors import CorruptLake
from kafka_census.lake import history
from kafka_census.lake.cluster_key import KEY
from kafka_census.lake.lake import Lake
from kafka_census.upkeep.maintenance.retention import Known

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_ledger(spark: SparkSession, lake: Lake) -> Mapping[str, tuple[Known, ...]]:
    """Every census, by the id of its cluster; empty where there is no lake yet. Raises CorruptLake."""
    runs, published = history.census_runs(spark, lake), history.publications(spark, lake)
    if runs is None:
        return {}
    events = runs.groupBy("census_id", KEY, "cluster").agg(
        F.max_by("tables", "at").alias("tables"),
        F.max(F.when(F.col("event") != "cleared", F.unix_micros("at"))).alias("touched_at"),
        F.bool_or(F.col("event") == "published").alias("published"),
        F.bool_or(F.col("event") == "retired").alias("retired"),
        F.bool_or(F.col("event") == "cleared").alias("cleared"),
    )
    # Events are read first: a census is recorded as published only after it is visible.
    found = events.collect()
    visible: Iterable[Row] = ()
    if published is not None:
        visible = published.groupBy("census_id").agg(F.collect_set("table_name").alias("tables")).collect()
    tables = {row["census_id"]: frozenset(row["tables"]) for row in visible}
    ledger: dict[str, list[Known]] = {}
    for row in found:
        census_id = checked(row["census_id"], "audit/census_runs")
        made = Census(census_id, row[KEY], row["cluster"], started_at(census_id), tuple(row["tables"]))
        touched_at = _EPOCH + timedelta(microseconds=row["touched_at"])
        said = (row["retired"], row["cleared"], row["published"])
        ledger.setdefault(made.cluster_id, []).append(
            Known(made, tables.get(census_id, frozenset()), touched_at, *said)
        )
    return {cluster_id: tuple(known) for cluster_id, known in sorted(ledger.items())}


def require_whole(known: Iterable[Known]) -> None:
    """Raises CorruptLake where `publications` has lost censuses: treated as hidden, they would lose their rows."""
    lost = sorted(one.census.census_id for one in known if one.published and not one.retired and not one.visible_in)
    if lost:
        raise CorruptLake(
            f"audit/publications has lost rows: it does not have census {lost[0]} (of {len(lost)} such), which "
            "audit/census_runs says was published and never retired; restore publications from a copy of the lake; "
            "until then nothing is maintained"
        )
