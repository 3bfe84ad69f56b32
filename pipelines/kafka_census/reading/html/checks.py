"""The checks for problems of a cluster, worst first: each is a query of names that should have no rows.

They are those of `tables.problems`, and two that no published table shows: answers that are missing, and rules of the
gate that did not pass.
"""

from kafka_census.declarations.problem import SEVERITIES, Problem
from kafka_census.reading.html.figure import Check
from kafka_census.tables.problems import INCOMPLETE, PROBLEMS, SEVERITY, UNKNOWN

_SECTIONS = {
    "under_min_isr_partitions": "min-isr",
    "reassignment_backlog": "moves",
    "hanging_transactions": "lag",
    "transaction_coordinator_placement": "lag",
    "group_lag": "lag",
    "group_coordinator_placement": "coordinators",
    "coordinator_load": "coordinators",
    "consumer_lag": "lag",
}
"""The section with details of a table; brokers for others."""


def _check(problem: Problem) -> Check:
    order = ", ".join(problem.order or (problem.name,))
    sql = f"""\
SELECT {problem.name}
FROM current_{problem.table}
WHERE cluster_id = $cluster_id AND ({problem.where})
ORDER BY {order}"""
    one, many = (f"{sentence}: {problem.effect}" for sentence in (problem.one, problem.many))
    section = _SECTIONS.get(problem.table, "brokers")
    return Check(problem.word, problem.severity, one, many, sql, section, problem.table)


_MISSING = Check(
    INCOMPLETE,
    SEVERITY[INCOMPLETE],
    "answer is missing, so that problems may be hidden",
    "answers are missing, so that problems may be hidden",
    """\
SELECT DISTINCT lost.rpc || coalesce(' of broker ' || lost.broker_id, '')
FROM (SELECT unnest(missing) AS lost FROM publications
      WHERE cluster_id = $cluster_id AND census_id = $census_id)
ORDER BY 1""",
    "not-read",
)
_WARNINGS = Check(
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
)

CHECKS: tuple[Check, ...] = tuple(
    sorted(
        (*map(_check, PROBLEMS), _MISSING, *map(_check, UNKNOWN.values()), _WARNINGS),
        key=lambda check: SEVERITIES.index(check.severity),
    )
)
"""Every check, the worst first."""
