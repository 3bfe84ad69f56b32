"""A cluster that no client has used: the internal topics do not exist yet."""

import time
from collections.abc import Callable

import pytest

from conformance.both import send
from emulator.asking import cluster, serving
from harness.kafka_cluster import KafkaCluster

SHARE_KEY = "g:AAAAAAAAAAAAAAAAAAAAAQ:0"
KEYS = {0: "g", 1: "t", 2: SHARE_KEY}
"""Keys by type of coordinator."""

Codes = list[int]


def codes(server: str, kind: int) -> Codes:
    """The codes of one key, named twice."""
    said = send(server, "FindCoordinator", 6, key_type=kind, coordinator_keys=[KEYS[kind]] * 2)
    return [one.error_code for one in said.coordinators]


def first_and_last(ask: Callable[[], Codes]) -> tuple[Codes, Codes]:
    """The first answer, and the answer once nothing changes any more."""
    first = last = ask()
    deadline = time.monotonic() + 30
    while any(last) and time.monotonic() < deadline:
        time.sleep(0.1)
        last = ask()
    return first, last


@pytest.mark.timeout(200)
def test_who_asks_for_a_coordinator_first_is_reported_to_come_again() -> None:
    """15 for all keys of the request that creates the internal topic; 0 later."""
    nothing = cluster(brokers={"count": 1}, groups={"count": 0}, transactions={"count": 0})
    with KafkaCluster(1) as real, serving(nothing) as emulated:
        servers = (real.bootstrap_servers, emulated.bootstrap_servers)
        theirs, ours = ([first_and_last(lambda: codes(one, kind)) for kind in KEYS] for one in servers)  # noqa: B023
    assert theirs == [([15, 15], [0, 0])] * 3
    assert ours == theirs
