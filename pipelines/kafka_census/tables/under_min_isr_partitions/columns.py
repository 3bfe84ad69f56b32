"""Published table: every partition, and whether it can take an acks=all write."""

from pyspark.sql.types import ArrayType, BooleanType, IntegerType, LongType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column

_BOOLEAN, _INT, _LONG, _STRING, _TIME = BooleanType(), IntegerType(), LongType(), StringType(), TimestampType()
_INTS = ArrayType(_INT, containsNull=False)

STATUSES = ("OFFLINE", "UNDER", "AT", "UNDER_REPLICATED", "UNKNOWN", "OK")
"""Every status, the worst first."""

UNDER_MIN_ISR_PARTITIONS = Table(
    name="under_min_isr_partitions",
    layer="published",
    comment="One row per partition (healthy ones too): its minimum ISR, raw and effective, and its status against it.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("topic", _STRING, "The topic."),
            column(
                "partition",
                _INT,
                "The partition; -1 for a topic that could not be described, see error_code and reason.",
            ),
            column("topic_id", _STRING, "Kafka's id of the topic; null where brokers do not say."),
            column("is_internal", _BOOLEAN, "True for Kafka's own topics, such as __consumer_offsets."),
            column(
                "status",
                _STRING,
                f"Worst first: {' | '.join(STATUSES)}; exactly one holds.",
            ),
            column("reason", _STRING, "One line on what the status rests on, or on what was not read; null when OK."),
            column(
                "leader_id",
                _INT,
                "The leader; null when the partition has none, or none on the listener that was asked. Brokers that "
                "answer Metadata tell these apart, and the status is UNKNOWN; brokers with DescribeTopicPartitions "
                "(3.8 in KRaft mode) do not, and it is OFFLINE.",
            ),
            column("replicas", _INTS, "Current replicas in order, adding and removing ones included."),
            column("isr", _INTS, "In-sync replicas; may be empty on a cluster with eligible leader replicas."),
            column("eligible_leader_replicas", _INTS, "ELR (KIP-966); empty also when elr_known is false."),
            column("last_known_elr", _INTS, "Last leader of a leaderless partition, as Kafka keeps it; else empty."),
            column("elr_known", _BOOLEAN, "False where the broker has no API for ELR."),
            column("offline_replicas", _INTS, "Replicas on brokers that are down, or in offline log dirs."),
            column(
                "adding_replicas",
                _INTS,
                "Replicas that a running reassignment adds, as listed before or after the partition was described; "
                "empty also where target_replication_factor is null.",
            ),
            column("removing_replicas", _INTS, "Replicas that it removes; empty also as adding_replicas."),
            column("replication_factor", _INT, "Number of current replicas, adding and removing ones included."),
            column(
                "target_replication_factor",
                _INT,
                "Number of replicas without the removing ones: once a move is done; null where moves were not read.",
            ),
            column(
                "min_isr_raw", _INT, "min.insync.replicas as configured for this partition's leader; null if not read."
            ),
            column(
                "min_isr_source",
                _STRING,
                "topic | dynamic_broker | dynamic_default | static | default | unknown; metadata: KIP-637's field.",
            ),
            column(
                "min_isr_broker_id",
                _INT,
                "Broker whose own setting it is: the leader, or if that was not read, who answered.",
            ),
            column(
                "min_isr_effective",
                _INT,
                "What the leader enforces: min(min_isr_raw, replication_factor) from 3.7 on, min_isr_raw before. Null "
                "where min_isr_raw exceeds replication_factor and the leader's release is not known (see brokers).",
            ),
            column(
                "min_isr_effective_source",
                _STRING,
                "replication_factor where the leader caps min_isr_raw at it; unknown where it is not known whether the "
                "leader does; else min_isr_source.",
            ),
            column("isr_size", _INT, "Number of in-sync replicas."),
            column("missing_replicas", _INT, "Replicas without the adding ones, minus isr_size, at least 0 (KIP-352)."),
            column(
                "at_min_isr",
                _BOOLEAN,
                "Kafka's AtMinIsr: a leader, and isr_size = min_isr_effective, however many are missing.",
            ),
            column(
                "under_by_raw_rule", _BOOLEAN, "kafka-topics --under-min-isr: no leader, or isr_size < min_isr_raw."
            ),
            column(
                "available",
                _BOOLEAN,
                "The leader is known: our reading of KIP-637, whose ready is the same for acks 0 and 1. Null where the "
                "leader has no listener of the name that was asked.",
            ),
            column(
                "ready_for_acks_all",
                _BOOLEAN,
                "A leader, and isr_size >= min_isr_effective: our reading of KIP-637, a proposal no broker ships. Null "
                "where the minimum, or whether the leader caps it, is not known.",
            ),
            column("error_code", _INT, "Kafka's error for the topic, 0 when none."),
            column(
                "groups_unable_to_commit",
                _LONG,
                "__consumer_offsets only: groups that the leader lists and that hash to this partition while it takes "
                "no commit, 0 while it does; null for other topics, and where it cannot be counted: so where the "
                "leader lists groups that hash to another broker's partition, as after a change of the number of "
                "partitions, which brokers take note of when they start. Where one broker leads them all, nothing "
                "tells of such a change.",
            ),
            column(
                "groups_unable_to_commit_reason",
                _STRING,
                "Why groups_unable_to_commit could not be counted; else null.",
            ),
            column(
                "transactional_ids_unable_to_commit",
                _LONG,
                "__transaction_state only: as groups_unable_to_commit, of the transactional ids that this principal "
                "may DESCRIBE: Kafka lists no others, and nothing tells how many there are.",
            ),
            column(
                "transactional_ids_unable_to_commit_reason",
                _STRING,
                "Why transactional_ids_unable_to_commit could not be counted; else null.",
            ),
            OWNER,
        ]
    ),
    key=("topic", "partition"),
    owned_by=(("topics", "topic"),),
    reads=(
        Read("Metadata", "names"),
        Read("ListPartitionReassignments", "before"),
        Read("DescribeTopicPartitions", "topics"),
        Read("DescribeConfigs", "topics"),
        Read("ListPartitionReassignments", "cluster"),
        Read("DescribeConfigs", "brokers", required=False),
        Read("ListGroups", "groups", required=False),
        Read("ListTransactions", "transactions", required=False),
    ),
    questions=(
        Question(
            "Which partitions refuse an acks=all write now, or may refuse it, and why?",
            """SELECT topic, partition, status, isr, replicas, min_isr_effective, reason
FROM current_under_min_isr_partitions
WHERE ready_for_acks_all IS NOT TRUE
ORDER BY topic, partition""",
        ),
        Question(
            "How many groups and transactional ids cannot commit, and because of which partitions?",
            """SELECT topic, partition, status, isr, replicas,
       groups_unable_to_commit, transactional_ids_unable_to_commit
FROM current_under_min_isr_partitions
WHERE groups_unable_to_commit > 0 OR groups_unable_to_commit_reason IS NOT NULL
   OR transactional_ids_unable_to_commit > 0 OR transactional_ids_unable_to_commit_reason IS NOT NULL
ORDER BY topic, partition""",
        ),
    ),
)
