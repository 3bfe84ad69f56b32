"""How long is waited before a question is asked again."""

import pytest

from kafka_census.protocol.retry import Backoff

SAMPLES = 200


@pytest.mark.parametrize(("failures", "seconds"), [(1, 0.1), (2, 0.2), (3, 0.4), (4, 0.8), (5, 1.0), (100, 1.0)])
def test_each_wait_is_twice_the_one_before_up_to_the_longest(failures: int, seconds: float) -> None:
    """Give or take a fifth, so that not all who were refused come again at once."""
    waits = [Backoff(first_ms=100, max_ms=1000).delay(failures) for _ in range(SAMPLES)]
    assert seconds * 0.8 <= min(waits) < seconds * 0.9
    assert seconds * 1.1 < max(waits) <= seconds * 1.2
