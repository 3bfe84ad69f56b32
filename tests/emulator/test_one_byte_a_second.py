"""A broker that sends a byte a second: each walk of it ends at its deadline, and says what it lacks."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from emulator.asking import cluster, faults, serving, walk
from emulator.census import missing_of
from kafka_census.declarations.walk import Walk
from kafka_census.declarations.walks import WALKS
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.page import Page
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_emulator.handlers import HANDLERS

COLLECT = CollectSettings(
    request_timeout_ms=200, connect_timeout_ms=200, max_attempts=2, retry_backoff_ms=1, chain_deadline_ms=600
)
SLOW = 2
"""The broker that is slow."""

MOST_S = 5.0
"""A chain may take its deadline, and the time of a connection; the rest is for a busy machine."""

AFTER_CONNECTING = tuple(one.name for one in HANDLERS if one.name != "ApiVersions")


@pytest.mark.parametrize("apis", [(None,), AFTER_CONNECTING], ids=["from the first answer", "after connecting"])
def test_walks_of_a_broker_that_drips_end_and_lack_its_answers(apis: tuple[str | None, ...]) -> None:
    """Of all that a census asks every broker: one error page each, which the gate misses."""
    server = cluster(brokers={"count": 2}, groups={"count": 6, "offsets_partitions": 2}, topics={"partitions": 4})
    server.faults = faults(*({"api": api, "broker": SLOW, "always": True, "do": {"drip_ms": 1000}} for api in apis))
    slow = [one for one in WALKS if one.asks_all_brokers and not {None, one.rpc}.isdisjoint(apis)]

    def walked(one: Walk) -> list[Page]:
        keys = (str(SLOW),) if one.scope == "brokers" else ()
        return walk(server, one.rpc, one.scope, broker=SLOW, keys=keys, collect=COLLECT)

    with serving(server), ThreadPoolExecutor(len(slow)) as waiting:
        began = time.monotonic()
        found = list(waiting.map(walked, slow))
        assert time.monotonic() - began < MOST_S
    assert server.failure is None
    for one, pages in zip(slow, found, strict=True):
        assert [(page.error_code, page.rows) for page in pages] == [(ErrorCode.DEADLINE_EXCEEDED, ())]
        assert [lack.broker_id for lack in missing_of(one, pages, (), (SLOW,))] == [SLOW]
