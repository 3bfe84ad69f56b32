"""The states of a cluster whose opening and closing the webhook is notified of.

A state is open while its figure is not 0. An unknown figure neither opens nor closes a state.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from kafka_census.alerts import metrics
from kafka_census.alerts.metrics import Count, Metric

RUNBOOK = "docs/alerts.md"
"""The page that has a heading for each alert."""


def _failed(exit_code: float) -> float:
    return float(exit_code == 1)


@dataclass(frozen=True)
class State:
    """One state.

    name    the name in messages and in the audit table `alerts`
    metric  the figure that decides whether the state is open
    alert   the alert on the same figure in prometheus-rules.yaml, which has the same runbook
    count   the number of affected things, from the figure
    """

    name: str
    metric: Metric | Count
    alert: str
    count: Callable[[float], float] = float

    @property
    def runbook(self) -> str:
        """The address of the runbook."""
        return f"{RUNBOOK}#{self.alert.lower()}"


STATES = (
    State("failed", metrics.LAST_RUN_EXIT_CODE, "KafkaCensusFailed", _failed),
    State("refused", metrics.REFUSAL_CAUSES, "KafkaCensusRefused"),
    State("incomplete", metrics.INCOMPLETE_TABLES, "KafkaCensusIncomplete"),
    State("brokers_down", metrics.BROKERS_DOWN, "KafkaBrokersDown"),
    State("offline", metrics.OFFLINE, "KafkaPartitionsOffline"),
    State("under_min_isr", metrics.UNDER_MIN_ISR, "KafkaPartitionsUnderMinIsr"),
    State("unable_to_commit", metrics.GROUPS_UNABLE_TO_COMMIT, "KafkaGroupsUnableToCommit"),
    State("stalled", metrics.STALLED_REPLICAS, "KafkaReassignmentStalled"),
    State("out_of_range", metrics.OUT_OF_RANGE, "KafkaOffsetsOutOfRange"),
    State("hanging", metrics.HANGING, "KafkaTransactionsHanging"),
    State("skewed", metrics.SKEWED, "KafkaCoordinationSkewed"),
    State("voters_behind", metrics.VOTERS_BEHIND, "KafkaVotersBehind"),
    State("log_dir_offline", metrics.LOG_DIRS_OFFLINE, "KafkaLogDirsOffline"),
    State("disk_low", metrics.DISKS_LOW, "KafkaDisksLow"),
    State("under_replicated", metrics.UNDER_REPLICATED, "KafkaPartitionsUnderReplicated"),
    State("transaction_late", metrics.TRANSACTIONS_LATE, "KafkaTransactionsLate"),
    State("streams_not_ready", metrics.STREAMS_NOT_READY, "KafkaStreamsGroupsNotReady"),
    State("coordinators_disagree", metrics.COORDINATORS_DISAGREE, "KafkaCoordinatorsDisagree"),
    State("not_desired", metrics.NOT_DESIRED, "KafkaConfigsNotDesired"),
)
"""Every state, in the order of messages."""


@dataclass(frozen=True)
class Change:
    """A state that opened or closed; `count` is 0 for a closed state, `since` is the time at which the state opened."""

    state: State
    count: float
    since: datetime

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
        figure = figures.get(state.metric.name)
        if figure is None:
            continue
        count = state.count(figure)
        if bool(count) != (state.name in open_since):
            found.append(Change(state, count, now if count else open_since[state.name]))
    return tuple(found)
