"""A cluster that no client has used: the internal topics do not exist yet."""

import time

from conformance.both import send
from emulator.asking import cluster, serving

KEYS = {0: "g", 1: "t", 2: "g:AAAAAAAAAAAAAAAAAAAAAQ:0"}
"""Keys by type of coordinator: of a group, a transactional id, and a share group's partition."""

Codes = list[int]


def first_and_last(server: str, kind: int) -> tuple[Codes, Codes]:
    """The first codes of a key that is named twice, and those once nothing changes any more."""

    def codes() -> Codes:
        said = send(server, "FindCoordinator", 6, key_type=kind, coordinator_keys=[KEYS[kind]] * 2)
        return [one.error_code for one in said.coordinators]

    first = last = codes()
    deadline = time.monotonic() + 30
    while any(last) and time.monotonic() < deadline:
        time.sleep(0.1)
        last = codes()
    return first, last


def asked_first(servers: str) -> list[tuple[Codes, Codes]]:
    return [first_and_last(servers.split(",", maxsplit=1)[0], kind) for kind in KEYS]


def test_who_asks_for_a_coordinator_first_is_reported_to_come_again(of_fresh: list[tuple[Codes, Codes]]) -> None:
    """15 for all keys of the request that creates the internal topic; 0 later."""
    nothing = cluster(brokers={"count": 3}, groups={"count": 0}, transactions={"count": 0})
    assert of_fresh == [([15, 15], [0, 0])] * 3
    with serving(nothing) as emulated:
        assert asked_first(emulated.bootstrap_servers) == of_fresh
