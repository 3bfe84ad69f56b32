"""The frames that benchmarks replay are pages that our side takes: what it proves of a real broker's, they hold."""

import pytest

from benchmarks.rates import walked
from benchmarks.replay import SHAPES, Replayer, answers, ways, window_of
from kafka_census.kafka.protocol.endpoint import Endpoint

ITEMS = 6_000
"""Three pages, or windows that are full."""


@pytest.mark.parametrize(("name", "paging"), [(name, ways(name)[-1]) for name in SHAPES])
def test_every_replayed_item_is_read(name: str, paging: str) -> None:
    with Replayer(answers(name, paging, ITEMS, window_of(name))) as server:
        pages, items = walked(name, paging, Endpoint(1, "127.0.0.1", server.port), ITEMS)
    assert items == ITEMS
    assert pages > 1
