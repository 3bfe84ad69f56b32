"""A broker that sends a byte a second: a whole census of it ends at its deadlines, and says what it lacks."""

import time

import pytest

from emulator.asking import cluster, serving
from emulator.census import census
from kafka_census.protocol.settings import CollectSettings
from kafka_census.tables.walks import WALKS
from kafka_emulator.fault_actions import FaultSection
from kafka_emulator.faults import Faults
from kafka_emulator.handlers import HANDLERS
from kafka_emulator.server import Server

SECTIONS = {
    "brokers": {"count": 2},
    "groups": {"count": 6, "offsets_partitions": 2},
    "topics": {"partitions": 4},
    "transactions": {"count": 4},
}
COLLECT = CollectSettings(
    request_timeout_ms=200, connect_timeout_ms=200, max_attempts=2, retry_backoff_ms=1, chain_deadline_ms=600
)
SLOW = 2
"""The broker that is slow."""

MOST_S = 5.0
"""A chain may take its deadline, and the time of a connection; the rest is for a busy machine."""


def dripping(apis: tuple[str | None, ...]) -> Server:
    """A cluster in which answers of these APIs take minutes."""
    faults = (
        FaultSection.model_validate({"api": api, "broker": SLOW, "always": True, "do": {"drip_ms": 1000}})
        for api in apis
    )
    server = cluster(**SECTIONS)
    server.faults = Faults(tuple(faults))
    return server


AFTER_CONNECTING = tuple(one.name for one in HANDLERS if one.name != "ApiVersions")


@pytest.mark.parametrize("apis", [(None,), AFTER_CONNECTING], ids=["from the first answer", "after connecting"])
def test_a_census_of_a_broker_that_drips_ends_and_lacks_its_answers(apis: tuple[str | None, ...]) -> None:
    """Every walk that asks all brokers lacks those of the slow one and no other; each chain ends in an error page."""
    with serving(dripping(apis)) as server:
        began = time.monotonic()
        taken = census(server, COLLECT)
        chains = [page.chain for pages in taken.pages.values() for page in pages if page.chain.node_id == SLOW]
        assert time.monotonic() - began < MOST_S * len(chains)
        assert server.failure is None
    missing = {(one.rpc, one.scope, one.broker_id) for one in taken.missing_reads()}
    slow = [walk for walk in WALKS if walk.asks_all_brokers and not {None, walk.rpc}.isdisjoint(apis)]
    assert {(walk.rpc, walk.scope, SLOW) for walk in slow} <= missing
    assert {broker for _, _, broker in missing} <= {SLOW, None}
    of_slow = [page for walk in slow for page in taken.pages[walk.rpc, walk.scope] if page.chain.node_id == SLOW]
    assert len(of_slow) >= len(slow)
    assert all(page.error_code and not page.rows for page in of_slow)
