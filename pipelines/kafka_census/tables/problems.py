"""The problems of all tables, the worst first, and the words that stand for them."""

from collections.abc import Mapping

from kafka_census.declarations.problem import SEVERITIES, Problem, Remedy, Severity
from kafka_census.tables import NAMES, part

_OF_TABLES = {name: part(name, "problems", "_PROBLEMS") for name in NAMES}

PROBLEMS: tuple[Problem, ...] = tuple(
    sorted(
        (problem for of in _OF_TABLES.values() for problem in of.shown),
        key=lambda problem: SEVERITIES.index(problem.severity),
    )
)
"""Every problem that rows show, the worst first: by severity, then in the order of tables and of their problems."""

PROBLEM: Mapping[str, Problem] = {problem.word: problem for problem in PROBLEMS}
"""Every problem by its word."""

INCOMPLETE, NOT_KNOWN, UNREACHABLE = "incomplete", "not_known", "unreachable"
STALE = "stale"
"""For `report --fail-on`: the published census is older than `schedule.max_age`. No census shows this of itself."""

MEANINGS: Mapping[str, str] = {
    **{problem.word: problem.meaning for problem in PROBLEMS if problem.severity == "critical"},
    INCOMPLETE: "tables that lack an answer, or may lack rows that an ACL hides",
    **{problem.word: problem.meaning for problem in PROBLEMS if problem.severity != "critical"},
    NOT_KNOWN: "partitions, log dirs, groups, ... of which it is not known whether they show one of these problems",
}
"""What each word counts, the worst first. Two words are of no table: what was not read may hide critical problems."""

SEVERITY: Mapping[str, Severity] = {
    INCOMPLETE: "warning",
    NOT_KNOWN: "warning",
    **{problem.word: problem.severity for problem in PROBLEMS},
}
"""The severity of each word."""

_DOCTOR = "kafka-census doctor"

REMEDY: Mapping[str, Remedy] = {
    INCOMPLETE: Remedy(
        "Start brokers that did not answer, or grant the rights that are missing.",
        _DOCTOR,
        more="`missing` in `publications` lists the answers that are missing. `doctor` prints the `kafka-acls` lines.",
    ),
    NOT_KNOWN: Remedy(
        "See the columns named reason: they say which answers are missing.",
        _DOCTOR,
        more="`doctor` says what keeps brokers from answering, or from showing what they have.",
    ),
    **{problem.word: problem.remedy for problem in PROBLEMS},
}
"""What to do about the problem of each word."""

WORDS = tuple(MEANINGS)
"""The words of `--fail-on`."""


def _unknown(table: str) -> Problem:
    """The rows of a table of which one of its problems is not known."""
    of = _OF_TABLES[table]
    told = [problem for problem in of.shown if not problem.trend]
    text = "not known to be well"
    return Problem(
        word=NOT_KNOWN,
        severity=SEVERITY[NOT_KNOWN],
        table=table,
        meaning=MEANINGS[NOT_KNOWN],
        where=" OR ".join(f"({each})" for each in dict.fromkeys(problem.unknown for problem in told)),
        unknown="false",
        name=told[0].name,
        shown=", ".join(dict.fromkeys(name for problem in told for name in problem.shown.split(", "))),
        one=f"{of.row} is {text}",
        many=f"{of.rows} are {text}",
        effect="a value that decides that was not read",
        remedy=REMEDY[NOT_KNOWN],
        unseen=True,
    )


UNKNOWN: Mapping[str, Problem] = {table: _unknown(table) for table, of in _OF_TABLES.items() if of.shown}
"""The rows of NOT_KNOWN, by table."""
