"""The codes of errors: ours beside Kafka's."""

import pytest

from kafka_census.error_codes import KAFKA_RETRIABLE, KAFKAS, OURS, RETRIABLE, error_name


def test_our_own_codes_never_meet_kafkas() -> None:
    """Kafka's are an int16's, from -1 on."""
    assert min(KAFKAS) == -1
    assert max(OURS) < -99
    assert set(OURS) >= RETRIABLE - KAFKA_RETRIABLE


@pytest.mark.parametrize(
    ("code", "name"), [(0, None), (6, "NOT_LEADER_OR_FOLLOWER"), (-107, "INCONSISTENT_PAGES"), (999, "ERROR_999")]
)
def test_a_code_has_one_name(code: int, name: str | None) -> None:
    """One without a name is shown by its number."""
    assert error_name(code) == name
