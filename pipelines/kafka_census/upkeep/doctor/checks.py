"""The checks, in the order of the report: each judges the facts, if the checks that it depends on did not fail.

Checks that depend on a failed check are not made: the first failed check is the cause, and is reported once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from kafka_census.upkeep.doctor import check_brokers, check_connection, check_lake, check_machine, check_rights
from kafka_census.upkeep.doctor.facts import Cluster, Machine, Stage
from kafka_census.upkeep.doctor.finding import Finding, State

F = TypeVar("F")


@dataclass(frozen=True)
class Check(Generic[F]):
    """One check: its name, its judging function, and the checks that it depends on."""

    name: str
    judge: Callable[[F], Finding]
    after: tuple[str, ...] = ()


MACHINE: tuple[Check[Machine], ...] = (
    Check("Java", check_machine.java),
    Check("jars", check_machine.jars),
    Check("lake", check_machine.lake),
)
"""The checks of this machine."""

CLUSTER: tuple[Check[Cluster], ...] = (
    Check("secrets", check_machine.secrets),
    Check("names", check_connection.of(Stage.NAME)),
    Check("TCP", check_connection.of(Stage.TCP), ("names",)),
    Check("TLS", check_connection.tls, ("TCP",)),
    Check("Kafka", check_connection.of(Stage.KAFKA), ("TLS",)),
    Check("SASL", check_connection.sasl, ("Kafka",)),
    Check("cluster id", check_brokers.cluster_id, ("SASL",)),
    Check("brokers", check_brokers.brokers, ("cluster id",)),
    Check("paging", check_brokers.paging, ("cluster id",)),
    Check("RPCs", check_rights.answers, ("cluster id",)),
    Check("rights", check_rights.rights, ("cluster id",)),
    Check("visibility", check_rights.visibility, ("rights",)),
    Check("clock", check_lake.clock),
    Check("history", check_lake.history, ("cluster id",)),
    Check("lock", check_lake.lock),
)
"""The checks of one cluster."""


def judged(checks: Sequence[Check[F]], facts: F) -> dict[str, Finding]:
    """The finding of each check, by its name."""
    found: dict[str, Finding] = {}
    cause: dict[str, str] = {}
    for check in checks:
        below = next((cause[name] for name in check.after if name in cause), None)
        if below is not None:
            found[check.name] = Finding(State.NOT_CHECKED, f"{below} failed")
        else:
            found[check.name] = check.judge(facts)
        if below is not None or found[check.name].state is State.FAILED:
            cause[check.name] = below or check.name
    return found
