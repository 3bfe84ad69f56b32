"""What ApiVersions makes of an answer."""

from typing import Any

import pytest

from unit.rpc.answers import EVERYTHING, answer, items, sent


def _rows(epoch: int, version: int) -> list[tuple[Any, ...]]:
    supported = [("metadata.version", 7, 30), ("kraft.version", 0, 1)]
    finalized = [("metadata.version", 29, 29), ("unheard.of", 1, 2)]
    features = answer(
        "ApiVersions",
        supported_features=[{"name": name, "min_version": low, "max_version": high} for name, low, high in supported],
        finalized_features_epoch=epoch,
        finalized_features=[
            {"name": name, "min_version_level": low, "max_version_level": high} for name, low, high in finalized
        ],
    )
    return [tuple(item.values()) for item in items("ApiVersions", "features", features, version)]


def test_api_versions_is_a_row_a_feature() -> None:
    """What is only supported has no finalized level, what is only finalized no supported ones."""
    assert _rows(7, 4) == [
        ("kraft.version", 0, 1, None, 7),
        ("metadata.version", 7, 30, 29, 7),
        ("unheard.of", None, None, 2, 7),
    ]


def test_levels_without_an_epoch_are_not_finalized() -> None:
    """They are not valid then, as Kafka's schema has it."""
    assert _rows(-1, 3) == [("kraft.version", 0, 1, None, None), ("metadata.version", 7, 30, None, None)]


@pytest.mark.parametrize("version", [0, 2, 4])
def test_a_broker_that_tells_of_no_feature_is_a_row(version: int) -> None:
    """Or else it would look as if it had not answered."""
    (item,) = items("ApiVersions", "features", answer("ApiVersions"), version)
    assert set(item.values()) == {None}


def test_the_client_names_itself() -> None:
    """As its connections do; brokers refuse other letters."""
    request = sent("ApiVersions", "features", 4, EVERYTHING)
    assert request.client_software_name == "kafka-census"
    assert request.client_software_version
