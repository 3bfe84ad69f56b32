"""Published table: what the loss of each broker, rack, log dir or controller would do."""

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from kafka_census.declarations.table import CLUSTER, Question, Read, Table, column
from kafka_census.impact.verdict import VERDICTS
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.partitions.columns import PARTITIONS
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS

_BOOLEAN, _INT, _LONG, _STRING, _TIME = BooleanType(), IntegerType(), LongType(), StringType(), TimestampType()
_HEIR = StructType([StructField("broker_id", _INT), StructField("leaders", _LONG)])

KINDS = ("nothing", "broker", "rack", "log_dir", "controller")
"""What can be lost; `nothing` is the state as it is."""

_MADE_OF = (
    UNDER_MIN_ISR_PARTITIONS,
    PARTITIONS,
    BROKERS,
    LOG_DIR_USAGE,
    QUORUM,
    REASSIGNMENT_BACKLOG,
    GROUP_COORDINATOR_PLACEMENT,
    TRANSACTION_COORDINATOR_PLACEMENT,
)
_REQUIRED = {
    ("DescribeCluster", "cluster"),
    ("Metadata", "names"),
    ("DescribeTopicPartitions", "topics"),
    ("DescribeConfigs", "topics"),
}
"""Without these nothing is foretold; without other answers some columns are null, with the reason."""


def _ids(ids: str, words: str, listing: str) -> tuple[StructField, ...]:
    """The columns of one kind of ids: groups, or transactional ids."""
    return (
        column(f"{ids}_moving", _LONG, f"{words} whose coordinator is lost; null where no broker told them."),
        column(
            f"{ids}_stranded",
            _LONG,
            f"Of {ids}_moving: those that no other broker can coordinate, because the partition that they hash to goes "
            "offline.",
        ),
        column(
            f"{ids}_reason", _STRING, f"Why {ids}_stranded is null, such as {listing} that was not read; else null."
        ),
    )


FAILURE_IMPACT = Table(
    name="failure_impact",
    layer="published",
    comment="One row per thing that can be lost (each broker, rack, log dir, controller, and nothing): what stops. "
    "Only what changes is counted; how things are already is the row of nothing.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("kind", _STRING, f"What is lost: {' | '.join(KINDS)}."),
            column("name", _STRING, "Which: a broker id, a rack, broker:dir, a voter's id; empty for nothing."),
            column("broker_id", _INT, "The broker, also that of a log dir, or of a controller's process; else null."),
            column("rack", _STRING, "The rack, also that of a broker; null without one."),
            column("log_dir", _STRING, "The log dir; null for other kinds, and where a broker told none."),
            column(
                "verdict",
                _STRING,
                f"{' | '.join(VERDICTS)}: the first that holds. loses_availability: a partition without a leader, or "
                "with one that was not in sync; or no majority of voters. stops_writes: fewer in sync than the minimum "
                "ISR. unknown: an answer is missing that could show these. degrades: a partition with one in-sync "
                "replica left, or a reassignment that stops.",
            ),
            column("reason", _STRING, "What the verdict rests on, and what is not known, in one line."),
            column("examples", _STRING, "The partitions that are harmed most, at most five; null for none."),
            column(
                "offline_partitions",
                _LONG,
                "Partitions that lose their leader and get no other; null: see partitions_reason.",
            ),
            column("offline_topics", _LONG, "Topics of those partitions."),
            column("offline_bytes", _LONG, "Bytes of those partitions, of one replica each."),
            column("offline_bytes_reason", _STRING, "Why offline_bytes is null; else null."),
            column(
                "unclean_partitions",
                _LONG,
                "Partitions that get a leader only by an unclean election, which their topic allows: it loses records.",
            ),
            column(
                "under_min_isr_partitions",
                _LONG,
                "Partitions that fall under their effective minimum ISR and refuse acks=all writes, without offline "
                "ones; null: see partitions_reason and min_isr_reason.",
            ),
            column(
                "at_min_isr_partitions",
                _LONG,
                "Partitions that are at their minimum afterwards: one more loss stops writes.",
            ),
            column("min_isr_reason", _STRING, "Why the two are null although the partitions are known; else null."),
            column("last_in_sync_partitions", _LONG, "Partitions that are left with one in-sync replica and had more."),
            column("leaders_moving", _LONG, "Partitions that get another leader, by Kafka's own election."),
            column(
                "leaders_to",
                ArrayType(_HEIR, containsNull=False),
                "Where the leaders go that are known: of each partition the first other in-sync replica, else the "
                "first that is alive and eligible (ELR), else, where its topic enables it, the first that is alive.",
            ),
            column("partitions_reason", _STRING, "Why the partitions are not known; else null."),
            *_ids("groups", "Groups", "ListGroups"),
            *_ids("transactional_ids", "Transactional ids", "ListTransactions"),
            column(
                "reassignments_stopped",
                _LONG,
                "Partitions whose reassignment, or move between log dirs, stops: the copy that it makes is lost.",
            ),
            column("reassignments_reason", _STRING, "Why reassignments_stopped is null; else null."),
            column(
                "voters_left",
                _LONG,
                "Voters of the metadata quorum that are left and caught up. With a rack only brokers are lost: no "
                "answer tells the rack of other controllers.",
            ),
            column("voters_needed", _LONG, "The majority of all voters; null where no voter is known."),
            column(
                "keeps_quorum",
                _BOOLEAN,
                "Whether voters_left is a majority; null with ZooKeeper, or see quorum_reason.",
            ),
            column("quorum_reason", _STRING, "Why it is not known whether a majority is left; else null."),
        ]
    ),
    key=("kind", "name"),
    reads=tuple(
        Read(rpc, scope, required=(rpc, scope) in _REQUIRED)
        for rpc, scope in dict.fromkeys((read.rpc, read.scope) for table in _MADE_OF for read in table.reads)
    ),
    made_of=_MADE_OF,
    questions=(
        Question(
            "Which broker may I restart now, and what would the others stop?",
            """SELECT name AS broker_id, verdict, reason, examples
FROM current_failure_impact
WHERE kind = 'broker'
ORDER BY verdict = 'safe' DESC, broker_id""",
        ),
        Question(
            "What would the loss of a rack stop?",
            """SELECT rack, verdict, offline_partitions, under_min_isr_partitions, groups_stranded, voters_left, reason
FROM current_failure_impact
WHERE kind = 'rack'
ORDER BY offline_partitions DESC NULLS FIRST, rack""",
        ),
        Question(
            "Which log dirs are an outage of their own?",
            """SELECT broker_id, log_dir, verdict, offline_partitions, offline_bytes, reason, examples
FROM current_failure_impact
WHERE kind = 'log_dir' AND verdict <> 'safe'
ORDER BY offline_partitions DESC NULLS FIRST, broker_id, log_dir""",
        ),
    ),
)
