"""The checks for problems of a cluster, worst first: each is a query of names that should have no rows.

The conditions are those of `declarations.kinds`, which the terminal report has as well. Three checks look beyond these:
what an internal topic keeps from committing is part of another problem on the terminal, lag that is not drained is no
problem there, and rules of the gate that warn are counted in its first line.
"""

from typing import Literal

from kafka_census.declarations.kinds import NOT_KNOWN, ROWS, UNKNOWN, Rows
from kafka_census.reading.html.figure import Problem


def _sql(rows: Rows, name: str, order: str) -> str:
    return f"""\
SELECT {name}
FROM current_{rows.table}
WHERE cluster_id = $cluster_id AND ({rows.where})
ORDER BY {order}"""


def _check(
    word: str, severity: Literal["critical", "warning"], one: str, many: str, name: str, order: str, section: str
) -> Problem:
    """The check for the rows of a kind; `name` and `order` are SQL."""
    return Problem(word, severity, one, many, _sql(ROWS[word], name, order), section)


_PARTITION = "topic || '-' || partition"
_STUCK = "coalesce(groups_unable_to_commit, transactional_ids_unable_to_commit, 0) DESC, topic, partition"
_SECTIONS = {
    "under_min_isr_partitions": "min-isr",
    "reassignment_backlog": "moves",
    "hanging_transactions": "lag",
    "transaction_coordinator_placement": "lag",
    "group_lag": "lag",
    "group_coordinator_placement": "coordinators",
    "consumer_lag": "lag",
}
"""The section with details of a table; brokers for others."""

PROBLEMS: tuple[Problem, ...] = (
    _check(
        "offline",
        "critical",
        "partition is offline: nobody can read or write it",
        "partitions are offline: nobody can read or write them",
        _PARTITION,
        _STUCK,
        "min-isr",
    ),
    _check(
        "under_min_isr",
        "critical",
        "partition with a leader takes no acks=all write",
        "partitions with a leader take no acks=all writes",
        _PARTITION,
        _STUCK,
        "min-isr",
    ),
    Problem(
        "unable_to_commit",
        "critical",
        "partition of an internal topic keeps groups or transactions from committing",
        "partitions of internal topics keep groups or transactions from committing",
        """\
SELECT topic || '-' || partition || ' (' || CASE
           WHEN topic = '__consumer_offsets' THEN 'groups: ' || coalesce(groups_unable_to_commit::VARCHAR, '?')
           ELSE 'transactional ids: ' || coalesce(transactional_ids_unable_to_commit::VARCHAR, '?') END || ')'
FROM current_under_min_isr_partitions
WHERE cluster_id = $cluster_id
  AND (groups_unable_to_commit > 0 OR groups_unable_to_commit_reason IS NOT NULL
       OR transactional_ids_unable_to_commit > 0 OR transactional_ids_unable_to_commit_reason IS NOT NULL)
ORDER BY coalesce(groups_unable_to_commit, transactional_ids_unable_to_commit) DESC NULLS FIRST, topic, partition""",
        "min-isr",
    ),
    _check(
        "unreachable",
        "critical",
        "broker is not alive",
        "brokers are not alive",
        "broker_id || ' (' || state || ')'",
        "replicas DESC NULLS LAST, broker_id",
        "brokers",
    ),
    _check(
        "log_dir_offline",
        "critical",
        "log dir is offline",
        "log dirs are offline",
        "log_dir || ' of broker ' || broker_id",
        "broker_id, log_dir",
        "brokers",
    ),
    _check(
        "hanging",
        "critical",
        "transaction hangs and blocks read_committed consumers",
        "transactions hang and block read_committed consumers",
        "topic || '-' || partition || ' producer ' || producer_id",
        "hanging_since, topic, partition",
        "lag",
    ),
    _check(
        "voters_behind",
        "critical",
        "voter of the metadata quorum is not known to be caught up",
        "voters of the metadata quorum are not known to be caught up",
        "replica_id || coalesce(' (' || reason || ')', '')",
        "lag_offsets DESC NULLS FIRST, replica_id",
        "brokers",
    ),
    Problem(
        "incomplete",
        "critical",
        "answer is missing, so that problems may be hidden",
        "answers are missing, so that problems may be hidden",
        """\
SELECT DISTINCT lost.rpc || coalesce(' of broker ' || lost.broker_id, '')
FROM (SELECT unnest(missing) AS lost FROM publications
      WHERE cluster_id = $cluster_id AND census_id = $census_id)
ORDER BY 1""",
        "not-read",
    ),
    _check(
        "under_replicated",
        "warning",
        "partition lacks in-sync replicas and still takes acks=all writes; where it is at its minimum, one more "
        "lost, and writes stop",
        "partitions lack in-sync replicas and still take acks=all writes; where they are at their minimum, one more "
        "lost, and writes stop",
        f"{_PARTITION} || if(status = 'AT', ' (at its minimum)', '')",
        "status = 'AT' DESC, topic, partition",
        "min-isr",
    ),
    _check(
        "disk_low",
        "warning",
        "log dir has less than a tenth of its volume left",
        "log dirs have less than a tenth of their volume left",
        "log_dir || ' of broker ' || broker_id",
        "usable_bytes / total_bytes, broker_id, log_dir",
        "brokers",
    ),
    _check(
        "stalled",
        "warning",
        "copy of a replica is stalled",
        "copies of replicas are stalled",
        f"{_PARTITION} || ' to broker ' || replica_id",
        "bytes_left DESC, topic, partition",
        "moves",
    ),
    _check(
        "transaction_late",
        "warning",
        "transaction is open for longer than its timeout",
        "transactions are open for longer than their timeout",
        "transactional_id || ' (' || described_state || ')'",
        "duration_ms DESC, transactional_id",
        "lag",
    ),
    _check(
        "streams_not_ready",
        "warning",
        "streams group is not ready: it waits for topics and processes nothing",
        "streams groups are not ready: they wait for topics and process nothing",
        "group_id",
        "group_id",
        "lag",
    ),
    _check(
        "coordinators_disagree",
        "warning",
        "group has no coordinator, or the wrong coordinator",
        "groups have no coordinator, or the wrong coordinator",
        "group_id",
        "group_id",
        "coordinators",
    ),
    Problem(
        "not_draining",
        "warning",
        "group has lag that it does not drain",
        "groups have lag that they do not drain",
        """\
SELECT group_id
FROM current_group_lag
WHERE cluster_id = $cluster_id AND partitions_not_draining > 0
ORDER BY lag_total DESC NULLS LAST, group_id""",
        "lag",
    ),
    _check(
        "out_of_range",
        "warning",
        "committed offset is outside its log",
        "committed offsets are outside their log",
        f"group_id || ' at ' || {_PARTITION}",
        "group_id, topic, partition",
        "lag",
    ),
    _check(
        "not_desired",
        "warning",
        "setting differs from the desired state",
        "settings differ from the desired state",
        "name || ' of ' || resource_type || ' ' || resource_name",
        "resource_type, resource_name, name",
        "quality",
    ),
    _check(
        "lag_unknown",
        "warning",
        "group has unknown lag",
        "groups have unknown lag",
        "group_id",
        "group_id",
        "lag",
    ),
    *(
        Problem(
            NOT_KNOWN, "warning", rows.one, rows.many, _sql(rows, rows.name, rows.name), _SECTIONS.get(table, "brokers")
        )
        for table, rows in UNKNOWN.items()
    ),
    Problem(
        "warnings",
        "warning",
        "rule of the gate did not pass",
        "rules of the gate did not pass",
        """\
SELECT table_name || ': ' || rule
FROM verdicts
WHERE cluster_id = $cluster_id AND census_id = $census_id
QUALIFY row_number() OVER (PARTITION BY table_name, rule ORDER BY judged_at DESC) = 1 AND outcome <> 'pass'
ORDER BY table_name, rule""",
        "quality",
    ),
)
