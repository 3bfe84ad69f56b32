"""The frames that benchmarks replay are pages that our side takes: what it proves of a real broker's, they hold."""

from pathlib import Path

import pytest

from benchmarks.rates import walked
from benchmarks.replay import SHAPES, Replay, Replayer, answers, ways, window_of
from kafka_census.protocol.endpoint import Endpoint

ITEMS = 6_000
"""Three pages, or windows that are full."""


@pytest.mark.parametrize(("name", "paging"), [(name, way) for name in SHAPES for way in ways(name)])
def test_every_replayed_item_is_read(name: str, paging: str) -> None:
    with Replayer(answers(name, paging, ITEMS, window_of(name))) as server:
        pages, items = walked(name, paging, Endpoint(1, "127.0.0.1", server.port), ITEMS)
    assert items == ITEMS
    assert pages > 1


def test_a_process_of_its_own_replays_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    with Replay("ListGroups", "cursor", ITEMS, window_of("ListGroups")) as server:
        assert walked("ListGroups", "cursor", server.endpoint, ITEMS) == (3, ITEMS)
