"""Published table: what appeared, disappeared, got worse or better since the previously published census."""

from pyspark.sql.types import IntegerType, StringType, StructType, TimestampType

from kafka_census.comparison.query import CHANGES as KINDS
from kafka_census.comparison.subjects import SUBJECTS
from kafka_census.declarations.table import CLUSTER, Question, Table, column
from kafka_census.tables.acl_inventory.columns import ACL_INVENTORY
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.config_drift.columns import CONFIG_DRIFT
from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.tables.hanging_transactions.columns import HANGING_TRANSACTIONS
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.tables.scram_users.columns import SCRAM_USERS
from kafka_census.tables.topic_readiness.columns import TOPIC_READINESS
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS

_INT, _STRING, _TIME = IntegerType(), StringType(), TimestampType()

COMPARED = (
    UNDER_MIN_ISR_PARTITIONS,
    BROKERS,
    TOPIC_READINESS,
    GROUP_LAG,
    REASSIGNMENT_BACKLOG,
    CONFIG_DRIFT,
    ACL_INVENTORY,
    QUOTAS,
)
"""The tables that are compared, in the order of the subjects."""

COMPARED_IF_THERE = (LOG_DIR_USAGE, QUORUM, HANGING_TRANSACTIONS, SCRAM_USERS)
"""The tables that are compared as well: a census that leaves one out, as of a release without its RPC, has changes."""

_READS = {
    (read.rpc, read.scope): read
    for required in (False, True)  # what a compared table requires, this table requires
    for table in COMPARED
    for read in table.reads
    if read.required is required
}

CHANGES = Table(
    name="changes",
    layer="published",
    comment="One row per change since the census published before: a thing that appeared, is gone or was not read, or "
    "a column of it that is otherwise; none on a first census, and none where nothing changed.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column(
                "observed_at",
                _TIME,
                "When the thing was last seen: of one that is gone, or was not read, in the previous census.",
            ),
            column("subject", _STRING, f"What kind of thing: {' | '.join(subject.name for subject in SUBJECTS)}."),
            column("table_name", _STRING, "The table whose rows were compared: it has all columns of the thing."),
            column(
                "key",
                _STRING,
                "The thing for people, such as orders-3 for a partition, topic orders retention.ms for a config; the "
                "resource alone where none of its configs was read.",
            ),
            column(
                "topic", _STRING, "The topic of a partition, topic, transaction, move or topic's config; else null."
            ),
            column("partition", _INT, "The partition of a partition, transaction or move; else null."),
            column("group_id", _STRING, "The group; null for other things."),
            column(
                "broker_id",
                _INT,
                "The broker, of a broker, its log dir or its config, or that gets or loses a replica; of a voter the "
                "controller; or null.",
            ),
            column(
                "column_name",
                _STRING,
                "The column that is otherwise; empty for a thing that appeared, is gone or was not read as a whole.",
            ),
            column(
                "before",
                _STRING,
                "Its value in the previous census, as text; of a thing that is gone what was most worth knowing of it. "
                "Null for one that appeared, and where it was not read.",
            ),
            column("after", _STRING, "Its value in this census, in the same way; null for a thing that is gone."),
            column(
                "change",
                _STRING,
                f"Worst first: {' | '.join(KINDS)}. changed has no better or worse; unread: read in one of the two "
                "censuses and not in the other, so that nobody knows. What neither has read is no row.",
            ),
            column(
                "reason",
                _STRING,
                "What was not read, where change is unread; else why the thing is as it is now, or null.",
            ),
            column(
                "before_census_id",
                _STRING,
                "The census compared with: the last published one before this that has the table.",
            ),
        ]
    ),
    key=("subject", "key", "column_name"),
    reads=tuple(_READS.values()),
    made_of=COMPARED,
    if_there=COMPARED_IF_THERE,
    questions=(
        Question(
            "What got worse since the previous census, and what is gone?",
            """SELECT change, subject, key, column_name, before, after, reason
FROM current_changes
WHERE change IN ('worse', 'gone')
ORDER BY change DESC, subject, key""",
        ),
        Question(
            "What can nobody tell, because it was not read, and why?",
            """SELECT reason, subject, count(*) AS things, min(key) AS such_as
FROM current_changes
WHERE change = 'unread'
GROUP BY reason, subject
ORDER BY things DESC""",
        ),
        Question(
            "When did the configs of the topic orders change, and to what?",
            """SELECT observed_at, key, change, before, after
FROM history_changes
WHERE subject = 'config' AND topic = 'orders'
ORDER BY census_id, key""",
        ),
    ),
)
