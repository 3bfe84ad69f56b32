"""What published complete censuses say about each group: the evidence of a plan.

`deletable_groups` has the findings of each census, and continues a group's empty run from census to
census, also across censuses that lacked answers. A plan is stricter: only complete censuses
count, and in every one of them, back to the first that is `empty_for` older than the last,
the group must have been read, without members, and with every offset that it has in the last census.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.census import started_at
from kafka_census.declarations.table import Table
from kafka_census.deletion.rules import DeletionRules
from kafka_census.errors import ConfigError
from kafka_census.lake import history, store, whole
from kafka_census.lake.cluster_key import require_own
from kafka_census.lake.lake import Lake
from kafka_census.lake.publications import last_published
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.shared.items import is_true


@dataclass(frozen=True)
class Window:
    """The complete censuses by which groups are judged, oldest first.

    lacks          why they are too few for any group to be deleted; None when they are enough
    shows_offsets  whether the last census has published consumer_lag, too
    """

    cluster_id: str
    census_ids: tuple[str, ...]
    lacks: str | None
    shows_offsets: bool

    @property
    def last(self) -> str:
        """The id of the last census, from which the plan is made."""
        return self.census_ids[-1]

    @property
    def since(self) -> datetime:
        """When the first census of the window started."""
        return started_at(self.census_ids[0])


def window(spark: SparkSession, lake: Lake, names: tuple[str, ...], rules: DeletionRules) -> Window:
    """The censuses that a plan made now is based on.

    names  the present name of the cluster, then its former names

    Raises ConfigError where no complete census is published, WrongCluster where its id was published under other names,
    CorruptLake where the rows of one of them are lost.
    """
    found = history.publications(spark, lake)
    lasts = last_published(spark, lake)
    rows = []
    if found is not None:
        ours = F.col("cluster").isin(*names) & F.col("is_complete")
        tables = F.map_from_entries(F.collect_set(F.struct("table_name", "row_count"))).alias("tables")
        rows = found.where(ours).groupBy("cluster_id", "census_id").agg(tables).orderBy("census_id").collect()
    complete = [row for row in rows if DELETABLE_GROUPS.name in row["tables"]]
    if not complete:
        raise ConfigError(
            f"cluster '{names[0]}' has no complete published census with {DELETABLE_GROUPS.name} in this lake: "
            "nothing is known of its groups; survey it first: "
            f"kafka-census run --cluster {names[0]}"
        )
    last = complete[-1]
    require_own(last["cluster_id"], names, lasts)
    ids = [row["census_id"] for row in complete if row["cluster_id"] == last["cluster_id"]]
    first, lacks = _first(ids, rules)
    counts = {row["census_id"]: row["tables"][DELETABLE_GROUPS.name] for row in complete}
    read: dict[Table, dict[str, int]] = {DELETABLE_GROUPS: {one: counts[one] for one in ids[first:]}}
    for table in (CONSUMER_LAG, GROUP_COORDINATOR_PLACEMENT):
        if table.name in last["tables"]:
            read[table] = {last["census_id"]: last["tables"][table.name]}
    whole.require_rows(spark, lake, read)
    return Window(last["cluster_id"], tuple(ids[first:]), lacks, CONSUMER_LAG.name in last["tables"])


def _first(census_ids: Sequence[str], rules: DeletionRules) -> tuple[int, str | None]:
    """The index of the window's first census: old enough, and with enough censuses after it; else 0 and the reason."""
    needed_at = started_at(census_ids[-1]) - rules.empty_for
    old = [number for number, census_id in enumerate(census_ids) if started_at(census_id) <= needed_at]
    if not old:
        return 0, f"complete censuses go back to {started_at(census_ids[0]):%Y-%m-%d %H:%M}Z only"
    if len(census_ids) < rules.censuses:
        return 0, f"there are {len(census_ids)} complete censuses only"
    return min(old[-1], len(census_ids) - rules.censuses), None


def seen(spark: SparkSession, lake: Lake, window: Window) -> DataFrame:
    """One row per group of the last census: the columns of `DELETABLE_GROUPS` and `same`, where `censuses_empty` and
    `same` are computed over the window.
    """
    rows = store.read(spark, lake, DELETABLE_GROUPS).where(F.col("census_id").isin(list(window.census_ids)))
    # A census that did not read the group is no evidence that the group was empty.
    empty = F.array_contains("evidence", "empty") & F.col("verdict").isin("deletable", "undecided")
    last = rows.where(F.col("census_id") == window.last).drop("censuses_empty")
    offsets = F.struct("offsets_fingerprint", "committed_partitions")
    now = last.select("group_id", offsets.alias("offsets_now"), F.col("offset_hashes").alias("hashes_now"))
    # An offset that was removed later is no sign of use. Rows of older releases have no hash per offset.
    hashed = F.size("offset_hashes") == F.col("committed_partitions")
    none_new = is_true(hashed & (F.size(F.array_except("hashes_now", "offset_hashes")) == 0))
    over = (
        rows.join(now, "group_id")
        .withColumns({"empty": empty, "same": offsets.eqNullSafe(F.col("offsets_now")) | none_new})
        .groupBy("group_id")
        .agg(F.count_if("empty").cast("int").alias("censuses_empty"), F.bool_and("same").alias("same"))
    )
    return last.join(over, "group_id")


def verdicts(spark: SparkSession, lake: Lake, window: Window) -> dict[str, int]:
    """By verdict: the number of groups in the last census."""
    rows = store.read(spark, lake, DELETABLE_GROUPS).where(F.col("census_id") == window.last)
    return {row["verdict"]: row["count"] for row in rows.groupBy("verdict").count().collect()}
