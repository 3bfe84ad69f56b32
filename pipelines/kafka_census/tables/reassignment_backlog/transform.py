"""What reassignments and log dir moves still have to copy, one row per replica.

There are three kinds of rows. `move`: a replica that a reassignment adds, copied from the leader to another broker.
`log_dir_move`: a JBOD future replica, copied from the current replica on the same broker. `remove`: a replica that a
reassignment takes away; nothing is copied, so all its bytes are 0, and the row exists so that a reassignment that only
removes replicas is shown, too.

Bytes come from sizes, since OffsetLag of a current replica is always 0. They are an estimate: compaction and retention
make copies differ, and a leader that is written to grows. A replica in the ISR counts as done, and no other one: a copy
that is not smaller than its source has 0 bytes left, but no end that sizes could tell. A broker that answered and has
no such replica has copied 0 bytes; where a broker did not answer, or has an offline log dir (KAFKA_STORAGE_ERROR) that
may hold the replica, bytes are null with the reason.

Progress is measured from the previous census, for the same topic (by its id) and the same copy, else null. It is the
number of bytes that the copy gained: bytes left also fall where retention deletes segments of a leader while nothing
is copied. If retention or compaction deleted more of a copy than was added, and no more bytes are left than before,
progress is unknown.

Sizes are of local segments. For a topic with tiered storage that is what a copy gets: a new replica begins at the
leader's first local offset, and reads earlier records from remote storage. A dir `remote://...`, as Redpanda lists its
object storage, is no log dir: a replica in it is not a replica of its broker.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.tables.shared.items import broker, is_true, list_of
from kafka_census.tables.shared.moving_replicas import PARTITION, current_or_future, moving_replicas
from kafka_census.tables.shared.reasons import first_that_holds, not_read, not_read_from, words
from kafka_census.tables.shared.throttles import Throttle, with_configs


def reassignment_backlog(
    *,
    reassignments: DataFrame,
    partitions: DataFrame,
    log_dirs: DataFrame,
    topic_configs: DataFrame,
    broker_configs: DataFrame,
    missing: Sequence[MissingRead],
    previous: DataFrame,
) -> DataFrame:
    """One row per replica that is added, removed or moved between log dirs. Columns: those of `REASSIGNMENT_BACKLOG`.

    Inputs are items: reassignments of ListPartitionReassignments, partitions of DescribeTopicPartitions, log_dirs of
    DescribeLogDirs, topic_configs and broker_configs of DescribeConfigs; the missing reads; and `previous`, the rows of
    this table of the last published census, maybe none.
    """
    rows = moving_replicas(reassignments, log_dirs)
    sized = _with_sizes(_with_partition(rows, _of_the_topics(partitions, rows), missing), log_dirs, missing)
    configured = with_configs(sized, topic_configs, broker_configs, "source_id", "replica_id")
    reported = _with_bytes(_with_throttles(configured, missing))
    return _with_progress(reported, previous).select(*REASSIGNMENT_BACKLOG.computed.names)


def _of_the_topics(items: DataFrame, rows: DataFrame) -> DataFrame:
    """Items of the topics of `rows`: of a million partitions few move, and only these need to be sorted."""
    return items.join(F.broadcast(rows.select("topic").distinct()), "topic", "left_semi")


def _with_partition(rows: DataFrame, partitions: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """Adds the description by DescribeTopicPartitions: the leader to copy from, and the ISR."""
    facts = ("leader_id", "isr", "replicas", "topic_id", "received_at")
    described = (
        partitions.where(F.col("partition").isNotNull())
        .groupBy(*PARTITION)
        .agg(F.max_by(F.struct(*facts), "received_at").alias("described"))
    )
    adding, removing = list_of(F.col("adding_replicas")), list_of(F.col("removing_replicas"))
    # A log dir move has no reassignment: its replicas are as described, and do not change.
    current = list_of(F.coalesce("replicas", "described.replicas"))
    leader, isr = broker(F.col("described.leader_id")), F.col("described.isr")
    return rows.join(described, PARTITION, "left").withColumns(
        {
            "partitions_gap": not_read(missing, "DescribeTopicPartitions", "topics"),
            "topic_id": F.col("described.topic_id"),
            "original_replicas": F.array_except(current, adding),
            "target_replicas": F.array_except(current, removing),
            "adding_replicas": adding,
            "removing_replicas": removing,
            "in_isr": F.array_contains(isr, F.col("replica_id")),
            "adding_in_isr": F.when(isr.isNotNull(), F.size(F.array_intersect(adding, isr))),
            "adding_total": F.size(adding),
            "source_id": F.when(F.col("kind") == "move", leader).when(
                F.col("kind") == "log_dir_move", F.col("replica_id")
            ),
        }
    )


def _with_sizes(rows: DataFrame, log_dirs: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """Adds the sizes of source and copy, each with the reason where it is not known."""
    sized = rows
    current = current_or_future(_of_the_topics(log_dirs, rows), future=False)
    for node, prefix in (("source_id", "source"), ("replica_id", "held")):
        replicas = current.select(
            F.col("node_id").alias(node),
            *PARTITION,
            F.col("log_dir").alias(f"{prefix}_log_dir"),
            F.col("size").alias(f"{prefix}_size"),
        )
        answers = _answers(log_dirs, node, prefix)
        gap = not_read_from(missing, "DescribeLogDirs", "log_dirs", node)
        sized = sized.join(replicas, [node, *PARTITION], "left").join(answers, node, "left")
        sized = sized.withColumn(f"{prefix}_gap", gap)
    return sized


def _answers(log_dirs: DataFrame, node: str, prefix: str) -> DataFrame:
    """One row per broker that answered DescribeLogDirs: the time, and the dirs that the broker could not read."""
    unread = words("log dir ", F.col("log_dir"), " is not readable (", error_name("error_code"), ")")
    return log_dirs.groupBy(F.col("asked_node_id").alias(node)).agg(
        F.max("received_at").alias(f"{prefix}_at"), F.sort_array(F.collect_set(unread)).alias(f"{prefix}_unread")
    )


def _not_known(node: str, prefix: str) -> Column:
    """Why a broker's log dirs do not show a partition that they do not list; null where they do."""
    here = words("broker ", F.col(node))
    return first_that_holds(
        (F.col(f"{prefix}_gap").isNotNull(), F.col(f"{prefix}_gap")),
        (F.col(f"{prefix}_at").isNull(), words(here, " did not answer DescribeLogDirs")),
        (F.size(f"{prefix}_unread") > 0, words(here, ": ", F.array_join(f"{prefix}_unread", "; "))),
    )


def _with_throttles(configured: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """Adds the rates that throttle the copy at its source and at its target, or why they are not known."""
    moved, between = F.col("kind") == "move", F.col("kind") == "log_dir_move"
    leader, leader_reason = Throttle("leader", "source_id").of(missing)
    follower, follower_reason = Throttle("follower", "replica_id").of(missing)
    log_dir, log_dir_reason = Throttle("log_dir", "replica_id").of(missing)
    source, target = F.when(moved, leader), F.when(moved, follower).when(between, log_dir)
    source_reason = F.when(moved, F.coalesce(_no_source(), leader_reason))
    target_reason = F.when(moved, follower_reason).when(between, log_dir_reason)
    known = source_reason.isNull() & target_reason.isNull()
    return configured.withColumns(
        {
            "source_throttle_bytes_per_second": source,
            "source_throttle_reason": source_reason,
            "target_throttle_bytes_per_second": target,
            "target_throttle_reason": target_reason,
            "throttle_bytes_per_second": F.when(known, F.least(source, target)),
            "configs_at": F.when(
                moved | between,
                F.greatest(
                    F.when(moved, F.col("throttled.received_at")),
                    F.col("source_id_rates.received_at"),
                    F.col("replica_id_rates.received_at"),
                ),
            ),
        }
    )


def _with_bytes(sized: DataFrame) -> DataFrame:
    """Adds total, done and left, or their reason."""
    removed, moved = F.col("kind") == "remove", F.col("kind") == "move"
    synced = moved & is_true(F.col("in_isr"))
    source, held = F.col("source_size"), F.col("held_size")
    copy_unknown = _not_known("replica_id", "held")
    absent = F.when(copy_unknown.isNull(), F.lit(0))
    copied = F.when(moved, F.coalesce(held, absent)).otherwise(F.col("future_size"))
    reason = first_that_holds(
        (removed, F.lit(None)),
        (F.col("source_id").isNull(), _no_source()),
        (
            source.isNull(),
            F.coalesce(
                _not_known("source_id", "source"), words("broker ", F.col("source_id"), " lists no current replica")
            ),
        ),
        (copied.isNull() & ~synced, copy_unknown),
    )
    left = F.when(removed | synced, F.lit(0)).otherwise(F.greatest(source - copied, F.lit(0)))
    return sized.withColumns(
        {
            "bytes_left_reason": reason,
            "bytes_total": F.when(removed, F.lit(0)).otherwise(source),
            "bytes_left": F.when(source.isNotNull() & copied.isNotNull() | removed | synced, left),
            "copied_bytes": F.when(removed, F.lit(0)).otherwise(copied),
            "log_dir": F.col("held_log_dir"),
            "observed_at": F.greatest("listed_at", "described.received_at", "source_at", "held_at", "configs_at"),
        }
    ).withColumn("bytes_done", F.col("bytes_total") - F.col("bytes_left"))


def _no_source() -> Column:
    """Why there is no leader to copy from; null where there is a leader."""
    not_described = F.coalesce("partitions_gap", F.lit("DescribeTopicPartitions did not describe the partition"))
    return first_that_holds(
        (F.col("source_id").isNotNull(), F.lit(None)),
        (F.col("described").isNull(), not_described),
        otherwise=F.lit("the partition has no leader to copy from"),
    )


def _with_progress(rows: DataFrame, previous: DataFrame) -> DataFrame:
    """Adds rate, ETA and stalled, compared with the same copy in the previous census."""
    compared = ("bytes_left", "bytes_done", "copied_bytes")
    before = previous.select(
        *PARTITION,
        "replica_id",
        "kind",
        F.col("topic_id").alias("before_topic_id"),
        F.col("future_log_dir").alias("before_future_log_dir"),
        F.col("census_id").alias("previous_census_id"),
        F.col("observed_at").alias("before_at"),
        *[F.col(name).alias(f"before_{name}") for name in compared],
    )
    left, rate = F.col("bytes_left"), F.col("bytes_per_second")
    copying = F.col("kind") != "remove"
    ended = (F.col("kind") == "move") & is_true(F.col("in_isr"))
    seconds = F.col("observed_at").cast("double") - F.col("before_at").cast("double")
    # Rows of an older release have bytes_done alone, which ends at the size of the source.
    done, copied = (
        F.col("bytes_done") - F.col("before_bytes_done"),
        F.col("copied_bytes") - F.col("before_copied_bytes"),
    )
    gained, fell = F.coalesce(copied, done), F.col("before_bytes_left") - left
    doubtful = (gained < 0) & (fell >= 0) & ((left == 0) | (fell > 0))
    joined = rows.join(before, [*PARTITION, "replica_id", "kind"], "left")
    same_topic = F.coalesce(F.col("topic_id") == F.col("before_topic_id"), F.lit(True))
    same_copy = same_topic & F.col("future_log_dir").eqNullSafe(F.col("before_future_log_dir"))
    kept = ("previous_census_id", "before_at", *(f"before_{name}" for name in compared))
    known = gained.isNotNull() & fell.isNotNull()
    progress = F.when(ended, F.lit(False)).when(known & ~doubtful, gained <= 0)
    return (
        joined.withColumns({name: F.when(same_copy, F.col(name)) for name in kept})
        .withColumn(
            "bytes_per_second",
            F.when(copying & known & (ended | ~doubtful) & (seconds > 0), F.least(fell, gained) / seconds),
        )
        .withColumn(
            "eta_seconds",
            F.when(ended, F.lit(0)).when(copying & (left > 0) & (rate > 0), F.ceil(left / rate)).cast("bigint"),
        )
        .withColumn("eta_reason", F.when(copying & F.col("eta_seconds").isNull(), _why_no_eta()))
        .withColumn("stalled", F.when(copying & F.col("before_at").isNotNull(), progress))
    )


def _why_no_eta() -> Column:
    """Why the end of a copy is not known."""
    not_in_use = F.when(F.col("kind") == "move", "in the ISR").otherwise("the current replica yet")
    return first_that_holds(
        (F.col("bytes_left").isNull(), F.col("bytes_left_reason")),
        (F.col("bytes_left") == 0, words("the copy is not smaller than its source, and not ", not_in_use)),
        (F.col("before_at").isNull(), "no previous census of this copy to compare with"),
        (F.col("bytes_per_second").isNull(), "its progress since the previous census is not known"),
        otherwise="bytes_left does not fall",
    )


REASSIGNMENT_BACKLOG_TRANSFORM = Transform(
    REASSIGNMENT_BACKLOG,
    reassignment_backlog,
    {
        "reassignments": ("ListPartitionReassignments", "cluster"),
        "partitions": ("DescribeTopicPartitions", "topics"),
        "log_dirs": ("DescribeLogDirs", "log_dirs"),
        "topic_configs": ("DescribeConfigs", "topics"),
        "broker_configs": ("DescribeConfigs", "brokers"),
    },
    previous=True,
)
