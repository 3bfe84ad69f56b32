"""What tests against stand-ins share."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from harness.standin import StandIn


@pytest.fixture
def serve() -> Iterator[Callable[..., StandIn]]:
    """Start stand-ins; all are stopped at the end."""
    started: list[StandIn] = []

    def start(scripts: dict[Any, Any], **options: Any) -> StandIn:
        started.append(StandIn(scripts, **options).__enter__())
        return started[-1]

    yield start
    for one in started:
        one.__exit__()
