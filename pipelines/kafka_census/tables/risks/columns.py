"""Published table: what is not wrong yet, and one loss or change away from it."""

from pyspark.sql.types import DateType, LongType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Table, column
from kafka_census.tables.acl_inventory.columns import ACL_INVENTORY
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.configs.columns import CONFIGS
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.partitions.columns import PARTITIONS
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.reassignment_backlog_by_broker.columns import REASSIGNMENT_BACKLOG_BY_BROKER

_LONG, _STRING, _TIME = LongType(), StringType(), TimestampType()

RISK_WORDS = (
    "one_replica",
    "no_replica_to_spare",
    "min_isr_one",
    "unclean_election",
    "one_rack",
    "one_coordinator",
    "few_internal_replicas",
    "no_voter_to_spare",
    "leaders_away",
    "disk_filling",
    "moves_do_not_fit",
    "mixed_releases",
    "dangerous_grants",
    "no_authorizer",
    "crowded_broker",
)
"""The risks: for each, `problems.py` has its sentences, and `transform.py` its condition."""

STATES = ("open", "accepted", "unknown")

RISKS = Table(
    name="risks",
    layer="published",
    comment="One row per risk and what bears it: nothing is wrong yet, and one loss or change is enough.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("risk", _STRING, f"{' | '.join(RISK_WORDS)}; docs/problems has what each means."),
            column("subject", _STRING, "What bears it: topic | broker | log_dir | principal | cluster."),
            column("name", _STRING, "Its name; of a log dir broker:dir, of the cluster empty."),
            column("affected", _LONG, "How many partitions, replicas, bytes or entries are meant; null if not known."),
            column("detail", _STRING, "The figures, in words; null where state is unknown."),
            column(
                "state",
                _STRING,
                "open | accepted (by `risks.accept` of the configuration, until accepted_until) | unknown (a value "
                "that decides was not read, see reason). Topics that could not be described have no row: they are "
                "UNKNOWN in under_min_isr_partitions.",
            ),
            column("reason", _STRING, "Why it is not known; else null."),
            column("accepted_until", DateType(), "The last day (UTC) on which it is accepted; null unless accepted."),
            column("accepted_why", _STRING, "Why somebody accepts it; null unless accepted."),
            OWNER,
        ]
    ),
    key=("risk", "name"),
    owned_by=(
        ("topics", "CASE WHEN subject = 'topic' THEN name END"),
        ("principals", "CASE WHEN subject = 'principal' THEN name END"),
    ),
    reads=PARTITIONS.reads,
    made_of=(PARTITIONS, BROKERS),
    if_there=(CONFIGS, QUORUM, LOG_DIR_USAGE, ACL_INVENTORY, REASSIGNMENT_BACKLOG_BY_BROKER),
    questions=(
        Question(
            "Which risks stand, and what bears them?",
            """SELECT risk, subject, name, detail
FROM current_risks
WHERE state = 'open'
ORDER BY risk, affected DESC, name""",
        ),
        Question(
            "Which risks does somebody accept, until when, and why?",
            """SELECT risk, name, accepted_until, accepted_why
FROM current_risks
WHERE state = 'accepted'
ORDER BY accepted_until, risk, name""",
        ),
        Question(
            "Of which risks is it not known whether they stand?",
            """SELECT risk, name, reason
FROM current_risks
WHERE state = 'unknown'
ORDER BY risk, name""",
        ),
    ),
)
