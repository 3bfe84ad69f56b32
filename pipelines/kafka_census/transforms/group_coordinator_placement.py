"""Where each group's coordinator is: by formula, by listing, and as Kafka answers.

Kafka hashes a group id to a partition of `__consumer_offsets`; that partition's leader
coordinates the group. Brokers take the number of partitions once, at their start, so
the formula is a cross-check and FindCoordinator the truth (it is what clients follow).
`agreement` says how the three compare, the first that holds:

    listed_twice      two brokers list the group: its coordinator is moving
    no_coordinator    FindCoordinator answered COORDINATOR_NOT_AVAILABLE
    unknown           FindCoordinator gave no coordinator for another reason, or was not asked
    listed_nowhere    a coordinator, but no broker lists the group (unknown where that broker's list was not read)
    listed_elsewhere  the broker that lists the group is not its coordinator: moved, or orphaned there since
                      __consumer_offsets grew
    unknown           no expected coordinator to compare with
    formula_differs   the coordinator is not the formula's broker: brokers keep the count of their start
    agree             all three are one broker
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.landed import OFFSETS_TOPIC
from kafka_census.transforms.items import broker, is_true, list_of, newest
from kafka_census.transforms.java_hash import java_hash, offsets_partition
from kafka_census.transforms.reasons import Gap, error_name, first_that_holds, not_read, not_read_from, words
from kafka_census.transforms.transform import Transform

_COORDINATOR_NOT_AVAILABLE = 15


def group_coordinator_placement(
    *,
    groups: DataFrame,
    coordinators: DataFrame,
    partitions: DataFrame,
    topics: DataFrame,
    brokers: DataFrame,
    gaps: Sequence[Gap],
) -> DataFrame:
    """One row a group id.

    Inputs are items: groups of ListGroups, coordinators of FindCoordinator, partitions of
    DescribeTopicPartitions, topics of Metadata, brokers of DescribeCluster; and the gaps.
    """
    offsets = partitions.where((F.col("topic") == OFFSETS_TOPIC) & F.col("partition").isNotNull())
    leaders = newest(offsets, "partition", "leader_id").select(
        F.col("partition").alias("offsets_partition"),
        broker(F.col("leader_id")).alias("expected_coordinator"),
        F.col("partition").isNotNull().alias("described"),
        F.col("received_at").alias("leader_at"),
    )
    alive = newest(brokers, "node_id", "is_fenced").select(
        F.col("node_id").alias("expected_coordinator"), is_true(F.col("is_fenced")).alias("is_fenced")
    )
    placed = (
        _listed_and_found(groups, coordinators)
        .crossJoin(F.broadcast(_offsets_topic(topics, partitions)))
        .withColumns(
            {
                "partitions_gap": not_read(gaps, "DescribeTopicPartitions", "topics"),
                "topics_gap": not_read(gaps, "Metadata", "names"),
                "brokers_gap": not_read(gaps, "DescribeCluster", "cluster"),
                "coordinators_gap": not_read(gaps, "FindCoordinator", "groups"),
                "list_gap": not_read_from(gaps, "ListGroups", "groups", "found_coordinator"),
                "hash": java_hash(F.col("group_id")),
            }
        )
        .withColumn("offsets_partition", offsets_partition(F.col("hash"), F.col("offsets_partitions")))
        .join(leaders, "offsets_partition", "left")
        .join(alive, "expected_coordinator", "left")
        .withColumn("expected_reason", _expected_reason())
    )
    doubts = _doubts()
    agreement = first_that_holds(*[(doubt, name) for doubt, name, _ in doubts], otherwise="agree")
    return placed.withColumns(
        {
            "observed_at": F.greatest("listed_at", "found_at", "leader_at"),
            "agreement": agreement,
            "reason": first_that_holds(*[(doubt, why) for doubt, _, why in doubts]),
        }
    ).select(*GROUP_COORDINATOR_PLACEMENT.columns)


def _listed_and_found(groups: DataFrame, coordinators: DataFrame) -> DataFrame:
    """Every group that a broker lists or FindCoordinator was asked for, once."""
    listed = groups.groupBy("group_id").agg(
        F.max("census_id").alias("listed_census_id"),
        F.max("cluster_id").alias("listed_cluster_id"),
        F.array_sort(F.collect_set("asked_node_id")).alias("listed_by"),
        F.max("received_at").alias("listed_at"),
        # Two brokers may differ on a group that moves: the later answer is the newer state.
        F.max_by(
            F.struct("group_type", "group_state", "protocol_type"), F.struct("received_at", "asked_node_id")
        ).alias("group"),
    )
    columns = ("census_id", "cluster_id", "error_code", "error_message", "node_id", "host", "port")
    answers = newest(coordinators, "key", *columns).withColumnRenamed("key", "group_id")
    named = F.col("error_code") == 0
    return listed.join(answers, "group_id", "full_outer").select(
        F.coalesce("listed_census_id", "census_id").alias("census_id"),
        F.coalesce("listed_cluster_id", "cluster_id").alias("cluster_id"),
        "group_id",
        "group.*",
        list_of(F.col("listed_by")).alias("listed_by"),
        F.when(named, broker(F.col("node_id"))).alias("found_coordinator"),
        F.when(named, F.col("host")).alias("found_host"),
        F.when(named, F.col("port")).alias("found_port"),
        error_name(F.col("error_code")).alias("found_error"),
        F.col("error_code").alias("found_error_code"),
        F.nullif("error_message", F.lit("")).alias("found_message"),
        "listed_at",
        F.col("received_at").alias("found_at"),
    )


def _offsets_topic(topics: DataFrame, partitions: DataFrame) -> DataFrame:
    """One row: the number of partitions of __consumer_offsets, null if it is not seen; its error when described."""
    listed = topics.where((F.col("topic") == OFFSETS_TOPIC) & (F.col("error_code") == 0))
    described = partitions.where(F.col("topic") == OFFSETS_TOPIC)
    return listed.agg(F.max("partition_count").alias("offsets_partitions")).crossJoin(
        described.agg(F.max(error_name(F.col("error_code"))).alias("offsets_error"))
    )


def _expected_reason() -> Column:
    """Why the formula names no broker; null when it does."""
    partition = words("partition ", F.col("offsets_partition"), f" of {OFFSETS_TOPIC}")
    unlisted = f"{OFFSETS_TOPIC} is not listed: it does not exist or is not visible to this principal"
    answer = F.coalesce("offsets_error", "partitions_gap", F.lit("it is not in the answer"))
    return first_that_holds(
        (F.col("expected_coordinator").isNotNull(), F.lit(None)),
        (F.col("offsets_partitions").isNull(), F.coalesce("topics_gap", F.lit(unlisted))),
        (F.col("described").isNull(), words(partition, " was not described: ", answer)),
        otherwise=words(partition, " has no leader"),
    )


def _doubts() -> tuple[tuple[Column, str, Column], ...]:
    """Condition, agreement, reason: the first whose condition is true is the row's; with none it agrees."""
    found, expected = F.col("found_coordinator"), F.col("expected_coordinator")
    lister = F.array_join("listed_by", ", ")
    by_formula = words("partition ", F.col("offsets_partition"), f" of {OFFSETS_TOPIC}")
    return (
        (
            F.size("listed_by") > 1,
            "listed_twice",
            words("listed by brokers ", lister, ", coordinator ", F.coalesce(found.cast("string"), F.lit("unknown"))),
        ),
        (F.col("found_error_code") == _COORDINATOR_NOT_AVAILABLE, "no_coordinator", _why_no_coordinator()),
        (
            F.col("found_error").isNotNull(),
            "unknown",
            words("FindCoordinator: ", F.concat_ws(": ", "found_error", "found_message")),
        ),
        (
            found.isNull(),
            "unknown",
            F.coalesce("coordinators_gap", F.lit("FindCoordinator did not answer for this group")),
        ),
        ((F.size("listed_by") == 0) & F.col("list_gap").isNotNull(), "unknown", F.col("list_gap")),
        (
            F.size("listed_by") == 0,
            "listed_nowhere",
            words("coordinator ", found, " does not list it, nor does another"),
        ),
        (
            ~F.array_contains("listed_by", found),
            "listed_elsewhere",
            words(
                "listed by broker ",
                lister,
                ", coordinator ",
                found,
                ": moved during the census, or left behind when the topic grew",
            ),
        ),
        (expected.isNull(), "unknown", words("no expected coordinator: ", F.col("expected_reason"))),
        (
            expected != found,
            "formula_differs",
            words(
                "broker ",
                expected,
                " leads ",
                by_formula,
                ", coordinator ",
                found,
                ": the topic grew since brokers started, or the leader moved",
            ),
        ),
    )


def _why_no_coordinator() -> Column:
    """Kafka has one code for four causes (KafkaApis.getCoordinator): say which it is, as far as other answers tell."""
    leader = words("broker ", F.col("expected_coordinator"), ", leader of partition ", F.col("offsets_partition"))
    return first_that_holds(
        (F.col("expected_coordinator").isNull(), F.col("expected_reason")),
        (F.col("brokers_gap").isNotNull(), words(leader, ": ", F.col("brokers_gap"))),
        (
            F.col("is_fenced").isNull(),
            words(leader, ", has no endpoint on the listener that was asked, or is not alive"),
        ),
        (F.col("is_fenced"), words(leader, ", is fenced")),
        otherwise=words(leader, ", does not coordinate yet"),
    )


GROUP_COORDINATOR_PLACEMENT_TRANSFORM = Transform(
    GROUP_COORDINATOR_PLACEMENT,
    group_coordinator_placement,
    {
        "groups": ("ListGroups", "groups"),
        "coordinators": ("FindCoordinator", "groups"),
        "partitions": ("DescribeTopicPartitions", "topics"),
        "topics": ("Metadata", "names"),
        "brokers": ("DescribeCluster", "cluster"),
    },
)
