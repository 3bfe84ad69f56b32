"""The frames that benchmarks replay are pages that our side takes: what it proves of a real broker's, they hold."""

from pathlib import Path

import pytest

from benchmarks.rates import walked
from benchmarks.replay import SHAPES, TOPIC_PARTITIONS, Replay, ways
from kafka_census.protocol.settings import CollectSettings

ITEMS = 4_000
"""Two pages, or windows that are full."""


@pytest.mark.parametrize(
    ("name", "paging"), [(name, way) for name in (TOPIC_PARTITIONS, *SHAPES) for way in ways(name)]
)
def test_every_replayed_item_is_read(monkeypatch: pytest.MonkeyPatch, name: str, paging: str) -> None:
    """By cursor, in windows or whole, without an error page."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    with Replay(name, paging, ITEMS, CollectSettings().keys_per_request) as server:
        pages, items = walked(name, paging, server.endpoint, ITEMS)
    assert items == ITEMS
    assert pages > 1
