"""What holds for every RPC."""

from typing import Any

import pytest

from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.rpc import RPCS
from kafka_census.landing.fetch.schema import item_type


def _id(one: Any) -> str:
    return f"{one.name}-{one.scope}"


@pytest.mark.parametrize("one", RPCS, ids=_id)
def test_every_request_can_be_encoded_at_every_version_that_is_used(one: Any) -> None:
    """The range of versions is what Kafka 4.3.1 and the codec know."""
    for api in one.apis:
        for version in range(api.min_version, api.max_version + 1):
            request = api.build(version, Ask(("1/2",), None, 10))
            request.with_header(correlation_id=1, client_id="test")
            assert version == request.API_VERSION
            assert request.encode(header=True)


@pytest.mark.parametrize("one", RPCS, ids=_id)
def test_every_field_of_an_item_may_be_null(one: Any) -> None:
    """Lists too: of one that must not be null, Spark answers `IS NULL` with false without looking at it."""
    assert [field.name for field in item_type(one) if not field.nullable] == []
