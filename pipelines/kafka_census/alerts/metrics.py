"""The metrics of a census, declared: names by Prometheus' conventions, all of them gauges, one label `cluster`.

A figure that a census does not know keeps its last value: a census that failed counted nothing, and a count of 0 in a
table that lacks answers, or among rows of which some are not known, proves nothing. So an alert ends only when a census
proves that it is over.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kafka_census.alerts.facts import Facts
from kafka_census.declarations.kinds import ROWS
from kafka_census.declarations.table import Table
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.config_drift.columns import CONFIG_DRIFT
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.coordinator_load.columns import COORDINATOR_LOAD
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.tables.hanging_transactions.columns import HANGING_TRANSACTIONS
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS


@dataclass(frozen=True)
class Metric:
    """One figure; `help` is the description in Prometheus, `of` returns None where the figure is not known."""

    name: str
    help: str
    of: Callable[[Facts], float | None]


@dataclass(frozen=True)
class Count:
    """One figure that is counted in a published table of the census.

    sql  an aggregate over the rows of the table; null where the rows do not tell the figure
    """

    name: str
    help: str
    table: Table
    sql: str

    def of(self, facts: Facts) -> float | None:
        """None where the census does not know it, and for a 0 of a table that lacks answers."""
        count = facts.counts.get(self.name)
        complete = {each.table_name for each in facts.judgement.tables if each.is_complete} if facts.judgement else ()
        return count if count or self.table.name in complete else None


def _known(total: str, unknown: str) -> str:
    """An aggregate of which rows that are `unknown` may be part: a lower bound, and null where that would be 0."""
    return f"CASE WHEN {total} > 0 OR count_if({unknown}) = 0 THEN coalesce({total}, 0) END"


def _trouble(word: str) -> str:
    """The aggregate that counts what the report calls by this word."""
    return _known(f"count_if({ROWS[word].where})", ROWS[word].unknown)


_NO_LAG = f"{ROWS['lag_unknown'].where} OR {ROWS['lag_unknown'].unknown}"


def _seconds(facts: Facts) -> float | None:
    return (facts.ended_at - facts.census.started_at).total_seconds() if facts.census else None


def _refusals(facts: Facts) -> float | None:
    return None if facts.outcome == "failed" or not facts.judgement else len(facts.judgement.causes)


def _incomplete(facts: Facts) -> float | None:
    if facts.judgement is None:
        return None
    return sum(not each.is_complete for each in facts.judgement.tables)


def _missing(facts: Facts) -> float | None:
    if facts.judgement is None:
        return None
    return len({(one.rpc, one.broker_id, one.error) for each in facts.judgement.tables for one in each.missing})


LAST_RUN_EXIT_CODE = Metric(
    "kafka_census_last_run_exit_code",
    "How the last census ended: 0 published, 3 refused, 1 failed.",
    lambda facts: facts.exit_code,
)
LAST_SUCCESS = Metric(
    "kafka_census_last_success_timestamp_seconds",
    "When the last published census ended, in Unix time.",
    lambda facts: facts.ended_at.timestamp() if facts.published else None,
)
REFUSAL_CAUSES = Metric("kafka_census_refusal_causes", "Causes for which the last census was refused.", _refusals)
INCOMPLETE_TABLES = Metric(
    "kafka_census_incomplete_tables",
    "Tables of the last census that lack an answer, or may lack rows that an ACL hides.",
    _incomplete,
)
BROKERS_DOWN = Count(
    "kafka_census_brokers_down",
    "Brokers that are fenced or not alive.",
    BROKERS,
    _trouble("unreachable"),
)
OFFLINE = Count(
    "kafka_census_offline_partitions",
    "Partitions without a leader.",
    UNDER_MIN_ISR_PARTITIONS,
    _trouble("offline"),
)
UNDER_MIN_ISR = Count(
    "kafka_census_under_min_isr_partitions",
    "Partitions with a leader and fewer in-sync replicas than min.insync.replicas asks for.",
    UNDER_MIN_ISR_PARTITIONS,
    _trouble("under_min_isr"),
)
GROUPS_UNABLE_TO_COMMIT = Count(
    "kafka_census_groups_unable_to_commit",
    "Groups that cannot commit, because their partition of __consumer_offsets takes no acks=all write.",
    UNDER_MIN_ISR_PARTITIONS,
    _known("sum(groups_unable_to_commit)", "groups_unable_to_commit_reason IS NOT NULL"),
)
STALLED_REPLICAS = Count(
    "kafka_census_stalled_replicas",
    "Moving replicas that copied nothing since the previous census.",
    REASSIGNMENT_BACKLOG,
    _trouble("stalled"),
)
OUT_OF_RANGE = Count(
    "kafka_census_out_of_range_offsets",
    "Committed offsets that are not in the log of their partition.",
    CONSUMER_LAG,
    _trouble("out_of_range"),
)
NOT_DRAINING = Count(
    "kafka_census_not_draining_partitions",
    "Partitions that a group reads more slowly than they are written.",
    CONSUMER_LAG,
    _known(
        "count_if(drain_reason = 'not_draining')",
        f"drain_reason IN ('no_history', 'reset') OR {ROWS['out_of_range'].unknown}",
    ),
)
HANGING = Count(
    "kafka_census_hanging_transactions",
    "Transactions that hang with high confidence, and hold back readers of committed records.",
    HANGING_TRANSACTIONS,
    _trouble("hanging"),
)
VOTERS_BEHIND = Count(
    "kafka_census_voters_behind",
    "Voters of the metadata quorum that are not known to be caught up: behind, or not heard by the leader.",
    QUORUM,
    _trouble("voters_behind"),
)
LOG_DIRS_OFFLINE = Count(
    "kafka_census_offline_log_dirs", "Log dirs whose disk failed.", LOG_DIR_USAGE, _trouble("log_dir_offline")
)
DISKS_LOW = Count(
    "kafka_census_low_log_dirs",
    "Log dirs with less than a tenth of their volume free.",
    LOG_DIR_USAGE,
    _trouble("disk_low"),
)
UNDER_REPLICATED = Count(
    "kafka_census_under_replicated_partitions",
    "Partitions that lack in-sync replicas and still take acks=all writes.",
    UNDER_MIN_ISR_PARTITIONS,
    _trouble("under_replicated"),
)
TRANSACTIONS_LATE = Count(
    "kafka_census_late_transactions",
    "Transactions that their coordinator holds for longer than their timeout.",
    TRANSACTION_COORDINATOR_PLACEMENT,
    _trouble("transaction_late"),
)
STREAMS_NOT_READY = Count(
    "kafka_census_streams_groups_not_ready",
    "Streams groups in the state NotReady.",
    GROUP_LAG,
    _trouble("streams_not_ready"),
)
COORDINATORS_DISAGREE = Count(
    "kafka_census_disagreeing_coordinators",
    "Groups whose coordinator is not the same by formula, by listing and by FindCoordinator, or that have none.",
    GROUP_COORDINATOR_PLACEMENT,
    _trouble("coordinators_disagree"),
)
NOT_DESIRED = Count(
    "kafka_census_configs_not_desired",
    "Configs that are not as the desired state asks for.",
    CONFIG_DRIFT,
    _trouble("not_desired"),
)
SKEWED = Count(
    "kafka_census_skewed_coordination",
    "Kinds of ids (groups, transactional ids) whose spread over coordinators a fair hash does not explain: 0, 1 or 2.",
    COORDINATOR_LOAD,
    _known(
        "int(coalesce(bool_or(groups_skew = 'wrong'), false)) "
        "+ int(coalesce(bool_or(transactional_ids_skew = 'wrong'), false))",
        # Too few ids have no skew, and a share nevertheless.
        "groups_skew IS NULL AND groups_expected IS NULL "
        "OR transactional_ids_skew IS NULL AND transactional_ids_expected IS NULL",
    ),
)

METRICS: tuple[Metric | Count, ...] = (
    Metric(
        "kafka_census_last_run_timestamp_seconds",
        "When the last census ended, whatever its result, in Unix time.",
        lambda facts: facts.ended_at.timestamp(),
    ),
    LAST_RUN_EXIT_CODE,
    Metric(
        "kafka_census_last_run_duration_seconds",
        "Seconds from the start of the last census to its end, including resumes and the waits before them.",
        _seconds,
    ),
    LAST_SUCCESS,
    REFUSAL_CAUSES,
    INCOMPLETE_TABLES,
    Metric("kafka_census_missing_answers", "Answers of brokers that the last census lacked.", _missing),
    Count(
        "kafka_census_brokers",
        "Brokers of the cluster, whether or not they are alive.",
        BROKERS,
        "count_if(state <> 'gone')",
    ),
    BROKERS_DOWN,
    OFFLINE,
    UNDER_MIN_ISR,
    Count(
        "kafka_census_not_ready_partitions",
        "Partitions that cannot take an acks=all write, for whatever reason.",
        UNDER_MIN_ISR_PARTITIONS,
        _known("count_if(NOT ready_for_acks_all)", "ready_for_acks_all IS NULL"),
    ),
    GROUPS_UNABLE_TO_COMMIT,
    Count("kafka_census_moving_replicas", "Replicas that are being moved.", REASSIGNMENT_BACKLOG, "count(*)"),
    STALLED_REPLICAS,
    Count(
        "kafka_census_reassignment_backlog_bytes",
        "Bytes that moving replicas have left to copy, where that is known.",
        REASSIGNMENT_BACKLOG,
        _known("sum(bytes_left)", "bytes_left IS NULL"),
    ),
    Count(
        "kafka_census_lag_offsets",
        "Lag of all groups together, in offsets.",
        GROUP_LAG,
        _known("sum(lag_total)", _NO_LAG),
    ),
    Count(
        "kafka_census_worst_lag_offsets",
        "Lag of the group with the highest lag, in offsets.",
        GROUP_LAG,
        _known("max(lag_total)", _NO_LAG),
    ),
    OUT_OF_RANGE,
    NOT_DRAINING,
    HANGING,
    SKEWED,
    VOTERS_BEHIND,
    LOG_DIRS_OFFLINE,
    DISKS_LOW,
    UNDER_REPLICATED,
    TRANSACTIONS_LATE,
    STREAMS_NOT_READY,
    COORDINATORS_DISAGREE,
    NOT_DESIRED,
)
"""Every metric, in the order of the file."""

COUNTS = tuple(metric for metric in METRICS if isinstance(metric, Count))
"""The metrics that are counted in tables."""


def figures(facts: Facts, before: Mapping[str, float]) -> Mapping[str, float]:
    """Every known figure, by the name of its metric: from these facts, or else its value `before`.

    Figures of tables that the configuration no longer asks for are left out.
    """
    found = {}
    for metric in METRICS:
        if isinstance(metric, Count) and metric.table.name not in facts.tables:
            continue
        now = metric.of(facts)
        value = before.get(metric.name) if now is None else now
        if value is not None:
            found[metric.name] = float(value)
    return found
