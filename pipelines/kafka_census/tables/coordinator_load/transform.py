"""The load of each broker as coordinator, whether it is a fair share, and who would take over if the broker were lost.

An id is counted at the broker that FindCoordinator named, because clients follow that answer. The partition of an id
follows from the formula: where the broker does not lead that partition, the next coordinator is not foreseen. Ids on a
partition that no other broker could lead are stranded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.declarations.walks import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.coordinator_load.columns import COORDINATOR_LOAD
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.shared.fair_hash import spread
from kafka_census.tables.shared.items import is_true, newest
from kafka_census.tables.shared.next_leader import with_next_leader
from kafka_census.tables.shared.reasons import not_read, not_read_from, words
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT


@dataclass(frozen=True)
class _Kind:
    """A kind of coordinated id: the prefix of its columns, its internal topic, its partition's column, its listing."""

    ids: str
    topic: str
    partition: str
    listing: tuple[str, str]

    @property
    def led(self) -> str:
        """The column with the number of partitions that a broker leads."""
        return f"{self.partition}s_led"

    @property
    def mine(self) -> Column:
        """Whether a row is of this kind."""
        return F.col("topic") == self.topic


_GROUPS = _Kind("groups", OFFSETS_TOPIC, "offsets_partition", ("ListGroups", "groups"))
_TRANSACTIONAL_IDS = _Kind(
    "transactional_ids", TRANSACTIONS_TOPIC, "transactions_partition", ("ListTransactions", "transactions")
)
_KINDS = (_GROUPS, _TRANSACTIONAL_IDS)
_DESCRIBES = ("DescribeGroups", "ConsumerGroupDescribe", "ShareGroupDescribe", "StreamsGroupDescribe")


def coordinator_load(
    *,
    groups: DataFrame,
    transactions: DataFrame,
    partitions: DataFrame,
    brokers: DataFrame,
    classic_groups: DataFrame,
    consumer_groups: DataFrame,
    share_groups: DataFrame,
    streams_groups: DataFrame,
    missing: Sequence[MissingRead],
) -> DataFrame:
    """One row per broker. Columns: those of `COORDINATOR_LOAD`.

    Inputs are rows of group_coordinator_placement and transaction_coordinator_placement; items: partitions of
    DescribeTopicPartitions, brokers of DescribeCluster, and, for each type of group, the answers of its describing RPC;
    and the missing reads.
    """
    described = _described(classic_groups, consumer_groups, share_groups, streams_groups)
    internal = partitions.where(F.col("topic").isin(OFFSETS_TOPIC, TRANSACTIONS_TOPIC))
    held = _held(groups.join(described, "group_id", "left"), transactions)
    loads = _by_broker(with_next_leader(internal, brokers), held)
    known = _known(partitions, brokers).join(loads, "broker_id", "full_outer").where("broker_id IS NOT NULL")
    for kind, frame in ((_GROUPS, groups), (_TRANSACTIONAL_IDS, transactions)):
        known = known.crossJoin(F.broadcast(spread(frame, kind.ids, kind.topic, kind.partition)))
    origins = [frame.select("census_id", "cluster_id") for frame in (brokers, partitions, groups, transactions)]
    origin = reduce(DataFrame.union, origins).limit(1)
    known = known.crossJoin(F.broadcast(_undescribed(internal, missing))).crossJoin(F.broadcast(origin))
    return _judged(known, missing).select(*COORDINATOR_LOAD.computed.names)


def _described(*walks: DataFrame) -> DataFrame:
    """One row per group: its members, whether it was described, and the error if it was not."""
    columns = ("group_id", "member_id", "error_code", "received_at")
    return (
        reduce(DataFrame.union, [walk.select(*columns) for walk in walks])
        .groupBy("group_id")
        .agg(
            F.count_distinct("member_id").alias("members"),
            F.max(F.col("error_code") == 0).alias("described"),
            F.max(error_name("error_code")).alias("error"),
            F.max("received_at").alias("described_at"),
        )
    )


def _held(groups: DataFrame, transactions: DataFrame) -> DataFrame:
    """One row per topic, partition (by formula) and coordinator: the number of ids and, for groups, of members."""
    described = F.coalesce("described", F.lit(False))
    of_groups = groups.select(
        F.lit(_GROUPS.topic).alias("topic"),
        F.col(_GROUPS.partition).alias("partition"),
        F.col("found_coordinator").alias("broker_id"),
        F.greatest("observed_at", "described_at").alias("at"),
        F.when(described, F.col("members")).alias("members"),
        (~described).alias("undescribed"),
        F.when(~described, F.coalesce("error", F.lit("no answer"))).alias("error"),
    )
    of_transactions = transactions.select(
        F.lit(_TRANSACTIONAL_IDS.topic).alias("topic"),
        F.col(_TRANSACTIONAL_IDS.partition).alias("partition"),
        F.col("found_coordinator").alias("broker_id"),
        F.col("observed_at").alias("at"),
    )
    both = of_groups.unionByName(of_transactions, allowMissingColumns=True)
    return both.groupBy("topic", "partition", "broker_id").agg(
        F.count("*").alias("ids"),
        F.max("at").alias("at"),
        F.sum("members").alias("members"),
        F.count_if("undescribed").alias("undescribed"),
        F.collect_set("error").alias("errors"),
    )


def _by_broker(led: DataFrame, held: DataFrame) -> DataFrame:
    """One row per broker that leads or coordinates: its load, and its `heirs` (broker_id, ids by kind)."""
    leads = F.col("led_at").isNotNull()
    slots = led.join(held, ["topic", "partition", "broker_id"], "full_outer")
    counts = {
        name: column
        for kind in _KINDS
        for name, column in (
            (kind.led, F.count_if(kind.mine & leads)),
            (f"{kind.ids}_foreseen", F.coalesce(F.sum(F.when(kind.mine & leads, F.col("ids"))), F.lit(0))),
            (f"{kind.ids}_unforeseen", F.coalesce(F.sum(F.when(kind.mine & ~leads, F.col("ids"))), F.lit(0))),
        )
    }
    by_next = slots.groupBy("broker_id", "next_leader").agg(
        *[column.alias(name) for name, column in counts.items()],
        F.sum("members").alias("members"),
        F.sum("undescribed").alias("undescribed"),
        F.flatten(F.collect_list("errors")).alias("errors"),
        F.greatest(F.max("led_at"), F.max("at")).alias("at"),
    )
    stranded = F.col("next_leader").isNull()
    heir = F.struct(
        F.col("next_leader").alias("broker_id"), *[F.col(f"{kind.ids}_foreseen").alias(kind.ids) for kind in _KINDS]
    )
    return by_next.groupBy("broker_id").agg(
        *[F.sum(name).alias(name) for name in counts],
        *[
            F.coalesce(F.sum(F.when(stranded, F.col(f"{kind.ids}_foreseen"))), F.lit(0)).alias(f"{kind.ids}_stranded")
            for kind in _KINDS
        ],
        F.sort_array(F.collect_list(F.when(~stranded, heir))).alias("heirs"),
        F.sum("members").alias("members"),
        F.sum("undescribed").alias("undescribed"),
        F.sort_array(F.array_distinct(F.flatten(F.collect_list("errors")))).alias("errors"),
        F.max("at").alias("at"),
    )


def _known(partitions: DataFrame, brokers: DataFrame) -> DataFrame:
    """One row per broker that is named or has a replica, with its state by DescribeCluster."""
    named = brokers.select(F.col("node_id").alias("broker_id"), "received_at")
    replicas = partitions.select(F.explode("replicas").alias("broker_id"), "received_at")
    state = F.when(is_true(F.col("is_fenced")), "fenced").otherwise("alive").alias("named_state")
    states = newest(brokers, "node_id", "is_fenced").select(F.col("node_id").alias("broker_id"), state)
    known = named.unionByName(replicas).groupBy("broker_id").agg(F.max("received_at").alias("known_at"))
    return known.join(F.broadcast(states), "broker_id", "left")


def _undescribed(partitions: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """One row: why the leaders of a topic's partitions are not known; null where the topic was described."""
    reasons = []
    for kind in _KINDS:
        described = F.count(F.when(kind.mine, F.col("partition")))
        why = F.coalesce(
            words(f"{kind.topic} was not described: ", F.max(F.when(kind.mine, error_name("error_code")))),
            not_read(missing, "DescribeTopicPartitions", "topics"),
            F.lit(f"{kind.topic} is not described: it does not exist or is not visible to this principal"),
        )
        reasons.append(F.when(described == 0, why).alias(f"{kind.led}_reason"))
    return partitions.agg(*reasons)


def _judged(known: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """Every column of the table: a value that was not read becomes null, with a reason."""
    rows = known.withColumns(
        {
            "observed_at": F.greatest("known_at", "at", *[f"{kind.ids}_at" for kind in _KINDS]),
            "broker_state": _state(missing),
        }
    )
    for kind in _KINDS:
        rows = _with_kind(rows, kind, missing)
    unread = [not_read_from(missing, rpc, "groups", "broker_id") for rpc in _DESCRIBES]
    undescribed = F.coalesce("undescribed", F.lit(0))
    why = words(undescribed, " of its groups not described: ", F.concat_ws("; ", F.array_join("errors", ", "), *unread))
    counted, some = F.col("groups").isNotNull(), undescribed < F.col("groups")
    heirs = F.transform(
        F.coalesce("heirs", F.array()),
        lambda heir: F.struct(
            heir["broker_id"].alias("broker_id"),
            *[F.when(F.col(kind.ids).isNotNull(), heir[kind.ids]).alias(kind.ids) for kind in _KINDS],
        ),
    )
    return rows.withColumns(
        {
            "members": F.when(counted & ((undescribed == 0) | some), F.coalesce("members", F.lit(0))),
            "groups_undescribed": F.when(counted, undescribed),
            "members_reason": F.coalesce("groups_reason", F.when(undescribed > 0, why)),
            "if_lost": heirs,
        }
    )


def _state(missing: Sequence[MissingRead]) -> Column:
    """The state of a broker by DescribeCluster."""
    gap = not_read(missing, "DescribeCluster", "cluster")
    return F.coalesce("named_state", F.when(gap.isNotNull(), "unknown"), F.lit("not_alive"))


def _with_kind(rows: DataFrame, kind: _Kind, missing: Sequence[MissingRead]) -> DataFrame:
    """Adds the load of a broker of one kind, or why the load is not known."""
    ids, led, zero = kind.ids, F.col(kind.led), F.lit(0)
    foreseen, unforeseen, stranded = (
        F.coalesce(f"{ids}_{part}", zero) for part in ("foreseen", "unforeseen", "stranded")
    )
    listed, total = F.col(f"{ids}_reason").isNull(), F.col(f"{ids}_total")
    # A broker without partitions can coordinate nothing, so its list is not needed.
    may_coordinate = led.isNull() | (led > 0)
    return (
        rows.withColumn(kind.led, F.when(F.col(f"{kind.led}_reason").isNull(), F.coalesce(led, zero)).cast("int"))
        .withColumn(f"{ids}_reason", F.when(may_coordinate, not_read_from(missing, *kind.listing, "broker_id")))
        .withColumns(
            {
                ids: F.when(listed, foreseen + unforeseen),
                f"{ids}_stranded": F.when(listed, stranded),
                f"{ids}_unforeseen": F.when(listed, unforeseen),
                f"{ids}_expected": F.when(total == 0, F.lit(0.0)).otherwise(total * led / F.col(f"{kind.partition}s")),
            }
        )
    )


COORDINATOR_LOAD_TRANSFORM = Transform(
    COORDINATOR_LOAD,
    coordinator_load,
    {
        "groups": GROUP_COORDINATOR_PLACEMENT,
        "transactions": TRANSACTION_COORDINATOR_PLACEMENT,
        "partitions": ("DescribeTopicPartitions", "topics"),
        "brokers": ("DescribeCluster", "cluster"),
        "classic_groups": ("DescribeGroups", "groups"),
        "consumer_groups": ("ConsumerGroupDescribe", "groups"),
        "share_groups": ("ShareGroupDescribe", "groups"),
        "streams_groups": ("StreamsGroupDescribe", "groups"),
    },
)
