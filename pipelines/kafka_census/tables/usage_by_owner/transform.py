"""What each owner has: sums over the rows of other tables by their column `owner`, which staging has added.

Each configured owner has a row, also without anything; what no pattern matches is the row of nobody, whose owner is
empty. Sums are of what is known; the number of topics and groups that they lack is beside them.
"""

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.owners import Owner
from kafka_census.declarations.transform import Transform
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.tables.producer_state.columns import PRODUCER_STATE
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.tables.topics.columns import TOPICS
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.usage_by_owner.columns import USAGE_BY_OWNER

_EXAMPLES = 20
_DAY_S = 86_400
_IDS = ["census_id", "cluster_id"]
_COUNTS = ("topics", "topics_without_bytes", "topics_without_growth", "groups", "groups_without_lag")
_FREE = ("contact", "cost_centre")
_IF_THERE = ("producer_ids", "quotas", "transactional_ids")
_SUMS = ("partitions", "replica_bytes", "lag_total")


def usage_by_owner(
    *,
    topics: DataFrame,
    groups: DataFrame,
    owners: Sequence[Owner],
    missing: Sequence[MissingRead],  # noqa: ARG001 - the rows that are summed say what was not read
    producers: DataFrame | None = None,
    quotas: DataFrame | None = None,
    transactional: DataFrame | None = None,
) -> DataFrame:
    """One row per owner, and one of nobody. Columns: those of `USAGE_BY_OWNER`.

    Inputs are rows of this census of topics, group_lag, producer_state, quotas and transaction_coordinator_placement;
    the census may lack the last three. Owners are the entries of the configuration.
    """
    parts = [_of_topics(topics), _of_groups(groups)]
    parts += [_counted(producers, F.sum("producer_ids").alias("producer_ids"))] if producers is not None else []
    parts += [_counted(quotas, F.count("*").alias("quotas"))] if quotas is not None else []
    if transactional is not None:
        named = _names("transactional_id")
        parts.append(_counted(transactional, F.count("*").alias("transactional_ids"), named))
    told = [name for name in _IF_THERE if any(name in one.columns for one in parts)]
    parts.append(_everybody(topics, owners))
    known = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)
    names = [name for name in known.columns if name not in (*_IDS, "owner", "observed_at", "named")]
    summed = known.groupBy(*_IDS, "owner").agg(
        F.max("observed_at").alias("observed_at"),
        *[F.max(name).alias(name) if name in ("lag_seconds", *_FREE) else F.sum(name).alias(name) for name in names],
        F.flatten(F.collect_list("named")).alias("named"),
    )
    whole = summed.groupBy(*_IDS).agg(F.nullif(F.sum("replica_bytes"), F.lit(0)).alias("of_all"))
    zero = {name: F.coalesce(name, F.lit(0)) for name in (*_COUNTS, *_SUMS, *told)}
    absent = {name: F.lit(None) for name in _IF_THERE if name not in told}
    rows = summed.join(F.broadcast(whole), _IDS).withColumns(zero | absent)
    return rows.withColumns(
        {
            "share_of_bytes": F.col("replica_bytes") / F.col("of_all"),
            "examples": F.when(F.col("owner") == "", F.slice(F.sort_array("named"), 1, _EXAMPLES)).otherwise(F.array()),
        }
    ).select(*[F.col(field.name).cast(field.dataType) for field in USAGE_BY_OWNER.computed])


def _of_topics(topics: DataFrame) -> DataFrame:
    seconds = F.col("observed_at").cast("double") - F.col("growth_since").cast("double")
    return _counted(
        topics,
        F.count("*").alias("topics"),
        F.sum("partitions").alias("partitions"),
        F.sum("replica_bytes").alias("replica_bytes"),
        F.count_if(F.col("replica_bytes").isNull()).alias("topics_without_bytes"),
        F.sum(F.when(seconds > 0, F.col("growth_bytes") / seconds * _DAY_S)).alias("growth_bytes_per_day"),
        F.count_if(F.col("growth_bytes").isNull()).alias("topics_without_growth"),
        _names("topic"),
    )


def _of_groups(groups: DataFrame) -> DataFrame:
    return _counted(
        groups,
        F.count("*").alias("groups"),
        F.sum("lag_total").alias("lag_total"),
        F.count_if(F.col("lag_total").isNull() & (F.col("partitions") > 0)).alias("groups_without_lag"),
        F.max("lag_seconds").alias("lag_seconds"),
        _names("group_id"),
    )


def _names(column: str) -> Column:
    """The first names of those that nobody has, with what they are; few are kept while they are summed."""
    kind = column.removesuffix("_id")
    name = F.when(F.col("owner").isNull(), F.concat(F.lit(f"{kind} "), F.col(column)))
    return F.slice(F.sort_array(F.collect_set(name)), 1, _EXAMPLES).alias("named")


def _counted(rows: DataFrame, *what: Column) -> DataFrame:
    """Sums by owner; empty is nobody."""
    owner = F.coalesce("owner", F.lit("")).alias("owner")
    return rows.groupBy(*_IDS, owner).agg(F.max("observed_at").alias("observed_at"), *what)


def _everybody(topics: DataFrame, owners: Sequence[Owner]) -> DataFrame:
    """A row per configured owner and one of nobody, with what is said of each first."""
    told: dict[str, tuple[str | None, str | None]] = {"": (None, None)}
    for one in owners:
        contact, cost_centre = told.get(one.name, (None, None))
        told[one.name] = contact or one.contact, cost_centre or one.cost_centre
    rows = F.array(
        *[
            F.struct(
                F.lit(name).alias("owner"),
                *[F.lit(value).cast("string").alias(column) for column, value in zip(_FREE, free, strict=True)],
            )
            for name, free in told.items()
        ]
    )
    cluster = topics.groupBy(*_IDS).agg(F.max("observed_at").alias("observed_at"))
    return cluster.select(*_IDS, "observed_at", F.inline(rows))


USAGE_BY_OWNER_TRANSFORM = Transform(
    USAGE_BY_OWNER,
    usage_by_owner,
    {
        "topics": TOPICS,
        "groups": GROUP_LAG,
        "producers": PRODUCER_STATE,
        "quotas": QUOTAS,
        "transactional": TRANSACTION_COORDINATOR_PLACEMENT,
    },
    wants=("owners",),
)
