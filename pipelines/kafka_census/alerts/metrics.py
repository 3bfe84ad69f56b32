"""The metrics of a census, declared: names by Prometheus' conventions, all of them gauges, one label `cluster`.

A figure that a census does not know keeps its last value: a census that failed counted nothing, and a count of 0 in a
table that lacks answers, or among rows of which some are not known, proves nothing. So an alert ends only when a census
proves that it is over.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kafka_census.alerts.facts import Facts
from kafka_census.declarations.problem import sentence
from kafka_census.tables.problems import MEANINGS, NOT_KNOWN, PROBLEM, PROBLEMS, UNKNOWN


@dataclass(frozen=True)
class Metric:
    """One figure; `help` is the description in Prometheus, `of` returns None where the figure is not known."""

    name: str
    help: str
    of: Callable[[Facts], float | None]


@dataclass(frozen=True)
class Count:
    """One figure that is counted in published tables of the census.

    sql  by name of a table, an aggregate over its rows; null where the rows do not tell the figure
    """

    name: str
    help: str
    sql: Mapping[str, str]

    def of(self, facts: Facts) -> float | None:
        """None where the census does not know it, and for a 0 of tables that lack answers."""
        count = facts.counts.get(self.name)
        judged = facts.judgement.tables if facts.judgement else ()
        complete = {table.table_name for table in judged if table.is_complete}
        return count if count or self.sql.keys() & facts.tables <= complete else None


def _known(total: str, unknown: str) -> str:
    """An aggregate of which rows that are `unknown` may be part: a lower bound, and null where that would be 0."""
    return f"CASE WHEN {total} > 0 OR count_if({unknown}) = 0 THEN coalesce({total}, 0) END"


def metric_of(word: str) -> str:
    """The name of the metric that counts a problem."""
    return f"kafka_census_{word}"


_LAG = PROBLEM["lag_unknown"]
_NO_LAG = f"{_LAG.where} OR {_LAG.unknown}"


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
REFUSAL_CAUSES = Metric("kafka_census_refusal_causes", "Causes for which the last census was refused.", _refusals)
INCOMPLETE_TABLES = Metric(
    "kafka_census_incomplete_tables",
    "Tables of the last census that lack an answer, or may lack rows that an ACL hides.",
    _incomplete,
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
    Metric(
        "kafka_census_last_success_timestamp_seconds",
        "When the last published census ended, in Unix time.",
        lambda facts: facts.ended_at.timestamp() if facts.published else None,
    ),
    Metric(
        "kafka_census_max_age_seconds",
        "The age at which a published census is stale: schedule.max_age, or twice schedule.every, or two days.",
        lambda facts: facts.max_age.total_seconds(),
    ),
    REFUSAL_CAUSES,
    INCOMPLETE_TABLES,
    Metric("kafka_census_missing_answers", "Answers of brokers that the last census lacked.", _missing),
    *(
        Count(
            metric_of(problem.word),
            sentence(MEANINGS[problem.word]),
            {problem.table: _known(f"count_if({problem.where})", problem.unknown)},
        )
        for problem in PROBLEMS
    ),
    Count(
        metric_of(NOT_KNOWN),
        sentence(MEANINGS[NOT_KNOWN]),
        {table: f"count_if({problem.where})" for table, problem in UNKNOWN.items()},
    ),
    Count(
        "kafka_census_brokers",
        "Brokers of the cluster, whether or not they are alive.",
        {"brokers": "count_if(state <> 'gone')"},
    ),
    Count(
        "kafka_census_not_ready_partitions",
        "Partitions that cannot take an acks=all write, for whatever reason.",
        {"under_min_isr_partitions": _known("count_if(NOT ready_for_acks_all)", "ready_for_acks_all IS NULL")},
    ),
    Count(
        "kafka_census_groups_unable_to_commit",
        "Groups that cannot commit, because their partition of __consumer_offsets takes no acks=all write.",
        {
            "under_min_isr_partitions": _known(
                "sum(groups_unable_to_commit)", "groups_unable_to_commit_reason IS NOT NULL"
            )
        },
    ),
    Count("kafka_census_moving_replicas", "Replicas that are being moved.", {"reassignment_backlog": "count(*)"}),
    Count(
        "kafka_census_reassignment_backlog_bytes",
        "Bytes that moving replicas have left to copy, where that is known.",
        {"reassignment_backlog": _known("sum(bytes_left)", "bytes_left IS NULL")},
    ),
    Count(
        "kafka_census_lag_offsets",
        "Lag of all groups together, in offsets.",
        {"group_lag": _known("sum(lag_total)", _NO_LAG)},
    ),
    Count(
        "kafka_census_worst_lag_offsets",
        "Lag of the group with the highest lag, in offsets.",
        {"group_lag": _known("max(lag_total)", _NO_LAG)},
    ),
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
        if isinstance(metric, Count) and not metric.sql.keys() & facts.tables:
            continue
        now = metric.of(facts)
        value = before.get(metric.name) if now is None else now
        if value is not None:
            found[metric.name] = float(value)
    return found
