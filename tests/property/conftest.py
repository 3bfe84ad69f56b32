"""What the laws share: one long-lived server a file, whose cluster each example replaces."""

from collections.abc import Iterator

import pytest

from property.staged import Staged, staged


@pytest.fixture(scope="module")
def brokers() -> Iterator[Staged]:
    with staged() as server:
        yield server
