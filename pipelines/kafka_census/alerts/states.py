"""The states of a cluster whose opening and closing the webhook is notified of, and the alerts on the same figures.

A state is open while its figure is not 0. An unknown figure neither opens nor closes a state. Each problem is a state.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from kafka_census.alerts.metrics import INCOMPLETE_TABLES, LAST_RUN_EXIT_CODE, REFUSAL_CAUSES, Metric, metric_of
from kafka_census.declarations.problem import Severity, sentence
from kafka_census.tables.problems import INCOMPLETE, MEANINGS, NOT_KNOWN, PROBLEMS, SEVERITY


@dataclass(frozen=True)
class State:
    """One state.

    name         the name in messages and in the audit table `alerts`
    metric       the name of the figure that decides whether the state is open
    severity     of the alert
    summary      what is wrong, for Prometheus: `{{ $value }}` is the figure
    description  what that means, as a sentence
    runbook      the page that says what to do, with its heading
    lasting      how long Prometheus waits before the alert; empty: not at all
    count        the number of affected things, from the figure
    """

    name: str
    metric: str
    severity: Severity
    summary: str
    description: str
    runbook: str
    lasting: str = ""
    count: Callable[[float], float] = float

    @property
    def alert(self) -> str:
        """The name of the alert on the same figure in prometheus-rules.yaml."""
        return alert_of(self.name)


def alert_of(name: str) -> str:
    """The name of an alert: KafkaCensusUnderMinIsr for under_min_isr."""
    return "KafkaCensus" + "".join(word.capitalize() for word in name.split("_"))


def _failed(exit_code: float) -> float:
    return float(exit_code == 1)


OF_CENSUSES = "docs/alerts.md"
"""The page with a heading for each state of censuses themselves."""

OF_PROBLEMS = "docs/problems/README.md"
"""The page with a heading for each problem."""


def _of_census(
    name: str,
    metric: Metric,
    severity: Severity,
    summary: str,
    description: str,
    runbook: str = "",
    count: Callable[[float], float] = float,
) -> State:
    runbook = runbook or f"{OF_CENSUSES}#{alert_of(name).lower()}"
    return State(name, metric.name, severity, summary, description, runbook, count=count)


STATES = (
    _of_census(
        "failed",
        LAST_RUN_EXIT_CODE,
        "warning",
        "the last census failed",
        "The cluster could not be surveyed, or an error stopped the census. All other figures are of an earlier one.",
        count=_failed,
    ),
    _of_census(
        "refused",
        REFUSAL_CAUSES,
        "warning",
        "the last census was refused, for {{ $value }} causes",
        "Readers still see the previous census.",
    ),
    _of_census(
        INCOMPLETE,
        INCOMPLETE_TABLES,
        SEVERITY[INCOMPLETE],
        "{{ $value }} tables of the last census are incomplete",
        "They lack an answer, or the principal may not see all rows. Other figures are lower bounds.",
        f"{OF_PROBLEMS}#{INCOMPLETE}",
    ),
    *(
        State(
            problem.word,
            metric_of(problem.word),
            problem.severity,
            f"{{{{ $value }}}} {problem.many}",
            sentence(problem.effect),
            f"{OF_PROBLEMS}#{problem.word}",
            problem.lasting,
        )
        for problem in PROBLEMS
    ),
    State(
        NOT_KNOWN,
        metric_of(NOT_KNOWN),
        SEVERITY[NOT_KNOWN],
        "of {{ $value }} things it is not known whether they are well",
        sentence(MEANINGS[NOT_KNOWN]),
        f"{OF_PROBLEMS}#{NOT_KNOWN}",
    ),
)
"""Every state, in the order of messages."""


@dataclass(frozen=True)
class Change:
    """A state that opened or closed.

    count   how many things show it; 0 for a closed state
    since   the time at which the state opened
    owners  of an opened state, how many of these things each owner has, the most first; empty for nobody's. Empty where
            no owners are configured, and for states whose things have none
    """

    state: State
    count: float
    since: datetime
    owners: tuple[tuple[str, int], ...] = ()

    @property
    def event(self) -> str:
        """`opened` or `closed`."""
        return "opened" if self.count else "closed"


def changes(figures: Mapping[str, float], open_since: Mapping[str, datetime], now: datetime) -> tuple[Change, ...]:
    """The states that opened or closed.

    figures     the known figures of a census, by metric
    open_since  the open states by name, and since when they are open
    now         the end of the census
    """
    found = []
    for state in STATES:
        figure = figures.get(state.metric)
        if figure is None:
            continue
        count = state.count(figure)
        if bool(count) != (state.name in open_since):
            found.append(Change(state, count, now if count else open_since[state.name]))
    return tuple(found)
