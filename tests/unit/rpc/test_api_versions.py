"""What ApiVersions makes of an answer."""

from typing import Any

import pytest
from kafka.protocol.metadata import ApiVersionsResponse

from unit.rpc.answers import EVERYTHING, items, sent


def _answer(epoch: int = 7) -> Any:
    supported, finalized = ApiVersionsResponse.SupportedFeatureKey, ApiVersionsResponse.FinalizedFeatureKey
    return ApiVersionsResponse(
        error_code=0,
        api_keys=[],
        supported_features=[
            supported(name="metadata.version", min_version=7, max_version=30),
            supported(name="kraft.version", min_version=0, max_version=1),
        ],
        finalized_features_epoch=epoch,
        finalized_features=[
            finalized(name="metadata.version", max_version_level=29, min_version_level=29),
            finalized(name="unheard.of", max_version_level=2, min_version_level=1),
        ],
    )


def test_api_versions_is_a_row_a_feature() -> None:
    """By name; what is only supported has no finalized level, what is only finalized no supported ones."""
    found = items("ApiVersions", "features", _answer(), 4)
    assert [tuple(item.values()) for item in found] == [
        ("kraft.version", 0, 1, None, 7),
        ("metadata.version", 7, 30, 29, 7),
        ("unheard.of", None, None, 2, 7),
    ]


def test_levels_without_an_epoch_are_not_finalized() -> None:
    """They are not valid then, as Kafka's schema has it."""
    found = items("ApiVersions", "features", _answer(epoch=-1), 3)
    assert {(item["feature"], item["finalized_version"], item["finalized_epoch"]) for item in found} == {
        ("kraft.version", None, None),
        ("metadata.version", None, None),
    }


@pytest.mark.parametrize("version", [0, 2, 4])
def test_a_broker_that_tells_of_no_feature_is_a_row(version: int) -> None:
    """Or else it would look as if it had not answered."""
    (item,) = items("ApiVersions", "features", ApiVersionsResponse(error_code=0, api_keys=[]), version)
    assert set(item.values()) == {None}


def test_the_client_names_itself() -> None:
    """As its connections do; brokers refuse other letters."""
    request = sent("ApiVersions", "features", 4, EVERYTHING)
    assert request.client_software_name == "kafka-census"
    assert request.client_software_version
