"""The kinds of problems of a cluster, worst first: each is a query of names that should have no rows.

Conditions of problems that the terminal report also has are defined in `report.kinds`.
"""

from kafka_census.html.figure import Problem
from kafka_census.report.kinds import ROWS

PROBLEMS: tuple[Problem, ...] = (
    Problem(
        "critical",
        "partition is offline: nobody can read or write it",
        "partitions are offline: nobody can read or write them",
        f"""\
SELECT topic || '-' || partition
FROM current_under_min_isr_partitions
WHERE cluster_id = $cluster_id AND {ROWS["offline"].where}
ORDER BY coalesce(groups_unable_to_commit, transactional_ids_unable_to_commit, 0) DESC, topic, partition""",
        "min-isr",
    ),
    Problem(
        "critical",
        "partition with a leader takes no acks=all write",
        "partitions with a leader take no acks=all writes",
        """\
SELECT topic || '-' || partition
FROM current_under_min_isr_partitions
WHERE cluster_id = $cluster_id AND status <> 'OFFLINE' AND NOT ready_for_acks_all
ORDER BY coalesce(groups_unable_to_commit, transactional_ids_unable_to_commit, 0) DESC, topic, partition""",
        "min-isr",
    ),
    Problem(
        "critical",
        "partition of an internal topic keeps groups or transactions from committing",
        "partitions of internal topics keep groups or transactions from committing",
        """\
SELECT topic || '-' || partition || ' (' || CASE
           WHEN topic = '__consumer_offsets' THEN 'groups: ' || groups_unable_to_commit
           ELSE 'transactional ids: ' || transactional_ids_unable_to_commit END || ')'
FROM current_under_min_isr_partitions
WHERE cluster_id = $cluster_id AND (groups_unable_to_commit > 0 OR transactional_ids_unable_to_commit > 0)
ORDER BY coalesce(groups_unable_to_commit, transactional_ids_unable_to_commit) DESC""",
        "min-isr",
    ),
    Problem(
        "critical",
        "broker is not alive",
        "brokers are not alive",
        f"""\
SELECT broker_id || ' (' || state || ')'
FROM current_brokers
WHERE cluster_id = $cluster_id AND {ROWS["unreachable"].where}
ORDER BY replicas DESC NULLS LAST, broker_id""",
        "brokers",
    ),
    Problem(
        "critical",
        "log dir is offline",
        "log dirs are offline",
        f"""\
SELECT log_dir || ' of broker ' || broker_id
FROM current_log_dir_usage
WHERE cluster_id = $cluster_id AND {ROWS["log_dir_offline"].where}
ORDER BY broker_id, log_dir""",
        "brokers",
    ),
    Problem(
        "critical",
        "transaction hangs and blocks read_committed consumers",
        "transactions hang and block read_committed consumers",
        f"""\
SELECT topic || '-' || partition || ' producer ' || producer_id
FROM current_hanging_transactions
WHERE cluster_id = $cluster_id AND {ROWS["hanging"].where}
ORDER BY hanging_since, topic, partition""",
        "lag",
    ),
    Problem(
        "critical",
        "voter of the metadata quorum is behind",
        "voters of the metadata quorum are behind",
        f"""\
SELECT replica_id || coalesce(' (' || reason || ')', '')
FROM current_quorum
WHERE cluster_id = $cluster_id AND {ROWS["voters_behind"].where}
ORDER BY lag_offsets DESC, replica_id""",
        "brokers",
    ),
    Problem(
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
    Problem(
        "warning",
        "partition is at its minimum of in-sync replicas: one more lost, and writes stop",
        "partitions are at their minimum of in-sync replicas: one more lost, and writes stop",
        """\
SELECT topic || '-' || partition
FROM current_under_min_isr_partitions
WHERE cluster_id = $cluster_id AND status = 'AT'
ORDER BY topic, partition""",
        "min-isr",
    ),
    Problem(
        "warning",
        "copy of a replica is stalled",
        "copies of replicas are stalled",
        f"""\
SELECT topic || '-' || partition || ' to broker ' || replica_id
FROM current_reassignment_backlog
WHERE cluster_id = $cluster_id AND {ROWS["stalled"].where}
ORDER BY bytes_left DESC, topic, partition""",
        "moves",
    ),
    Problem(
        "warning",
        "group has no coordinator, or the wrong coordinator",
        "groups have no coordinator, or the wrong coordinator",
        """\
SELECT group_id
FROM current_group_coordinator_placement
WHERE cluster_id = $cluster_id AND agreement NOT IN ('agree', 'unknown')
ORDER BY group_id""",
        "coordinators",
    ),
    Problem(
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
    Problem(
        "warning",
        "group has committed an offset outside the log",
        "groups have committed offsets outside the log",
        """\
SELECT group_id
FROM current_group_lag
WHERE cluster_id = $cluster_id AND partitions_out_of_range > 0
ORDER BY partitions_out_of_range DESC, group_id""",
        "lag",
    ),
    Problem(
        "warning",
        "log dir has less than a tenth of its volume left",
        "log dirs have less than a tenth of their volume left",
        """\
SELECT log_dir || ' of broker ' || broker_id
FROM current_log_dir_usage
WHERE cluster_id = $cluster_id AND usable_bytes < total_bytes / 10
ORDER BY usable_bytes / total_bytes, broker_id""",
        "brokers",
    ),
    Problem(
        "warning",
        "setting differs from the desired state",
        "settings differ from the desired state",
        """\
SELECT name || ' of ' || resource_type || ' ' || resource_name
FROM current_config_drift
WHERE cluster_id = $cluster_id AND kind = 'not_desired'
ORDER BY resource_type, resource_name, name""",
        "quality",
    ),
)
