"""What ApiVersions makes of an answer."""

from typing import Any

import pytest

from unit.rpc.answers import EVERYTHING, answer, rows, sent


@pytest.mark.parametrize(
    ("epoch", "version", "finalized", "unheard_of"),
    # Levels without an epoch are not valid, as Kafka's schema has it.
    [(7, 4, (29, 7), [("unheard.of", None, None, 2, 7)]), (-1, 3, (None, None), [])],
)
def test_api_versions_is_a_row_a_feature(epoch: int, version: int, finalized: Any, unheard_of: Any) -> None:
    names = ("metadata.version", "kraft.version", "unheard.of")
    supported = [{"name": names[0], "min_version": 7, "max_version": 30}, {"name": names[1], "max_version": 1}]
    levels = [(names[0], 29), (names[2], 2)]
    features = answer(
        "ApiVersions",
        supported_features=supported,
        finalized_features_epoch=epoch,
        finalized_features=[{"name": name, "max_version_level": level} for name, level in levels],
    )
    assert rows("ApiVersions", "features", features, version) == [
        ("kraft.version", 0, 1, None, finalized[1]),
        ("metadata.version", 7, 30, *finalized),
        *unheard_of,
    ]


@pytest.mark.parametrize("version", [0, 2, 4])
def test_a_broker_that_tells_of_no_feature_is_a_row(version: int) -> None:
    """Or else it would look as if it had not answered."""
    assert rows("ApiVersions", "features", answer("ApiVersions"), version) == [(None,) * 5]


def test_the_client_names_itself() -> None:
    """As its connections do; brokers refuse other letters."""
    request = sent("ApiVersions", "features", 4, EVERYTHING)
    assert request.client_software_name == "kafka-census"
    assert request.client_software_version
