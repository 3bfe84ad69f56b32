"""The coordinator of an id: by formula, by listing, and by FindCoordinator; of groups and of transactional ids.

Kafka hashes an id to a partition of an internal topic; that partition's leader coordinates the id. Brokers read the
number of partitions once, at their start, so the formula is a cross-check, and FindCoordinator is authoritative
(clients follow it). `agreement` is the result of the comparison, the first that holds:

    listed_twice      two brokers list the id: its coordinator is moving
    no_coordinator    FindCoordinator answered COORDINATOR_NOT_AVAILABLE
    unknown           FindCoordinator gave no coordinator for another reason, or was not asked
    listed_nowhere    a coordinator, but no broker lists the id (unknown where that broker's list was not read)
    listed_elsewhere  the broker that lists the id is not its coordinator: moved, or orphaned there since
                      the internal topic grew
    unknown           no expected coordinator to compare with
    formula_differs   the coordinator is not the formula's broker: brokers keep the number that they read at their start
    agree             all three name the same broker
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.shared.items import broker, is_true, list_of, newest
from kafka_census.tables.shared.java_hash import NOT_APPLICABLE, formula_applies, java_hash, offsets_partition
from kafka_census.tables.shared.reasons import first_that_holds, not_read, not_read_from, words

_COMPARED = (
    "hash", "partition", "partitions", "expected_coordinator", "expected_reason", "listed_by",
    "found_coordinator", "found_host", "found_port", "found_error", "agreement", "reason",
)  # fmt: skip


@dataclass(frozen=True)
class Placed:
    """A kind of id that is placed on coordinators.

    id         the column of the id, in the listing and in the table
    noun       the word for the id in a reason
    topic      the internal topic whose leaders coordinate
    partition  the table's column of the id's partition; with an s appended, the column of the number of partitions
    listing    the walk (rpc, scope) that lists the ids
    listed     columns of the listing that the table has, too
    finding    the walk of FindCoordinator for these ids
    """

    id: str
    noun: str
    topic: str
    partition: str
    listing: tuple[str, str]
    listed: tuple[str, ...]
    finding: tuple[str, str]


def placement(
    placed: Placed,
    *,
    listing: DataFrame,
    coordinators: DataFrame,
    partitions: DataFrame,
    topics: DataFrame,
    brokers: DataFrame,
    missing: Sequence[MissingRead],
) -> DataFrame:
    """One row per id: census and cluster, `observed_at`, the id, the `listed` columns, and `placement_columns`.

    Inputs are items: the listing, coordinators of FindCoordinator, partitions of DescribeTopicPartitions, topics of
    Metadata, brokers of DescribeCluster; and the missing reads.
    """
    internal = partitions.where((F.col("topic") == placed.topic) & F.col("partition").isNotNull())
    leaders = newest(internal, "partition", "leader_id").select(
        "partition",
        broker(F.col("leader_id")).alias("expected_coordinator"),
        F.col("partition").isNotNull().alias("described"),
        F.col("received_at").alias("leader_at"),
    )
    alive = newest(brokers, "node_id", "is_fenced").select(
        F.col("node_id").alias("expected_coordinator"), is_true(F.col("is_fenced")).alias("is_fenced")
    )
    compared = (
        _listed_and_found(placed, listing, coordinators)
        .crossJoin(F.broadcast(_topic(placed, topics, partitions)))
        .withColumns(
            {
                "partitions_gap": not_read(missing, "DescribeTopicPartitions", "topics"),
                "topics_gap": not_read(missing, "Metadata", "names"),
                "brokers_gap": not_read(missing, "DescribeCluster", "cluster"),
                "coordinators_gap": not_read(missing, *placed.finding),
                "list_gap": not_read_from(missing, *placed.listing, "found_coordinator"),
                "hash": java_hash(F.col("id")),
            }
        )
        # Kafka has the same formula for __transaction_state (TransactionStateManager.partitionFor).
        .withColumn(
            "partition",
            F.when(formula_applies(F.col("cluster_id")), offsets_partition(F.col("hash"), F.col("partitions"))),
        )
        .join(leaders, "partition", "left")
        .join(alive, "expected_coordinator", "left")
        .withColumn("expected_reason", _expected_reason(placed.topic))
    )
    doubts = _doubts(placed)
    agreement = first_that_holds(*[(doubt, name) for doubt, name, _ in doubts], otherwise="agree")
    reported = compared.withColumns(
        {
            "observed_at": F.greatest("listed_at", "found_at", "leader_at"),
            "agreement": agreement,
            "reason": first_that_holds(*[(doubt, why) for doubt, _, why in doubts]),
        }
    ).select("census_id", "cluster_id", "observed_at", "id", *placed.listed, *_COMPARED)
    names = {"id": placed.id, "partition": placed.partition, "partitions": f"{placed.partition}s"}
    return reported.withColumnsRenamed(names)


def _listed_and_found(placed: Placed, listing: DataFrame, coordinators: DataFrame) -> DataFrame:
    """Every id that a broker lists or FindCoordinator was asked for, once."""
    listed = listing.groupBy(F.col(placed.id).alias("id")).agg(
        F.max("census_id").alias("listed_census_id"),
        F.max("cluster_id").alias("listed_cluster_id"),
        F.sort_array(F.collect_set("asked_node_id")).alias("listed_by"),
        F.max("received_at").alias("listed_at"),
        # Two brokers may disagree about an id that moves: the later answer is the newer state.
        F.max_by(F.struct(*placed.listed), F.struct("received_at", "asked_node_id")).alias("listed"),
    )
    columns = ("census_id", "cluster_id", "error_code", "error_message", "node_id", "host", "port")
    answers = newest(coordinators, "key", *columns).withColumnRenamed("key", "id")
    named = F.col("error_code") == 0
    return listed.join(answers, "id", "full_outer").select(
        F.coalesce("listed_census_id", "census_id").alias("census_id"),
        F.coalesce("listed_cluster_id", "cluster_id").alias("cluster_id"),
        "id",
        "listed.*",
        list_of(F.col("listed_by")).alias("listed_by"),
        F.when(named, broker(F.col("node_id"))).alias("found_coordinator"),
        F.when(named, F.col("host")).alias("found_host"),
        F.when(named, F.col("port")).alias("found_port"),
        error_name("error_code").alias("found_error"),
        F.col("error_code").alias("found_error_code"),
        F.nullif("error_message", F.lit("")).alias("found_message"),
        "listed_at",
        F.col("received_at").alias("found_at"),
    )


def _topic(placed: Placed, topics: DataFrame, partitions: DataFrame) -> DataFrame:
    """One row: the number of partitions of the topic, null if the topic is not listed; its error when described."""
    listed = topics.where((F.col("topic") == placed.topic) & (F.col("error_code") == 0))
    described = partitions.where(F.col("topic") == placed.topic)
    return listed.agg(F.max("partition_count").alias("partitions")).crossJoin(
        described.agg(F.max(error_name("error_code")).alias("topic_error"))
    )


def _expected_reason(topic: str) -> Column:
    """Why the formula names no broker; null where the formula names one."""
    partition = words("partition ", F.col("partition"), f" of {topic}")
    unlisted = f"{topic} is not listed: it does not exist or is not visible to this principal"
    answer = F.coalesce("topic_error", "partitions_gap", F.lit("it is not in the answer"))
    return first_that_holds(
        (~formula_applies(F.col("cluster_id")), F.lit(NOT_APPLICABLE)),
        (F.col("expected_coordinator").isNotNull(), F.lit(None)),
        (F.col("partitions").isNull(), F.coalesce("topics_gap", F.lit(unlisted))),
        (F.col("described").isNull(), words(partition, " was not described: ", answer)),
        otherwise=words(partition, " has no leader"),
    )


def _doubts(placed: Placed) -> tuple[tuple[Column, str, Column], ...]:
    """Condition, agreement, reason: the first true condition decides; if no condition is true, the sources agree."""
    found, expected = F.col("found_coordinator"), F.col("expected_coordinator")
    lister = F.array_join("listed_by", ", ")
    by_formula = words("partition ", F.col("partition"), f" of {placed.topic}")
    return (
        (
            F.size("listed_by") > 1,
            "listed_twice",
            words("listed by brokers ", lister, ", coordinator ", F.coalesce(found.cast("string"), F.lit("unknown"))),
        ),
        (
            F.col("found_error_code") == ErrorCode.COORDINATOR_NOT_AVAILABLE.value,
            "no_coordinator",
            _why_no_coordinator(),
        ),
        (
            F.col("found_error").isNotNull(),
            "unknown",
            words("FindCoordinator: ", F.concat_ws(": ", "found_error", "found_message")),
        ),
        (
            found.isNull(),
            "unknown",
            F.coalesce("coordinators_gap", F.lit(f"FindCoordinator did not answer for this {placed.noun}")),
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
    """Kafka has one error code for four causes (KafkaApis.getCoordinator): the cause that other answers show."""
    leader = words("broker ", F.col("expected_coordinator"), ", leader of partition ", F.col("partition"))
    return first_that_holds(
        (~formula_applies(F.col("cluster_id")), words("FindCoordinator: ", F.col("found_error"))),
        (F.col("expected_coordinator").isNull(), F.col("expected_reason")),
        (F.col("brokers_gap").isNotNull(), words(leader, ": ", F.col("brokers_gap"))),
        (
            F.col("is_fenced").isNull(),
            words(leader, ", has no endpoint on the listener that was asked, or is not alive"),
        ),
        (F.col("is_fenced"), words(leader, ", is fenced")),
        otherwise=words(leader, ", does not coordinate yet"),
    )
