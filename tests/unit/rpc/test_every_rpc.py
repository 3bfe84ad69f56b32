"""What holds for every RPC."""

from typing import Any
from uuid import UUID

import pytest

from kafka_census.paging.rpc import Ask, kafka_uuid
from kafka_census.rpc import RPCS


@pytest.mark.parametrize("one", RPCS, ids=lambda one: f"{one.name}-{one.scope}")
def test_every_request_can_be_encoded_at_every_version_that_is_used(one: Any) -> None:
    """The range of versions is what Kafka 4.3.1 and the codec know."""
    for api in one.apis:
        for version in range(api.min_version, api.max_version + 1):
            request = api.build(version, Ask(("1/2",), None, 10))
            request.with_header(correlation_id=1, client_id="test")
            assert version == request.API_VERSION
            assert request.encode(header=True)


def test_kafka_prints_uuids_in_url_safe_base64() -> None:
    """As Uuid.toString; the zero id is none."""
    assert kafka_uuid(UUID("004fbf1a-9d3f-4a2e-9a1c-fbf3e9f0d5aa")) == "AE-_Gp0_Si6aHPvz6fDVqg"
    assert kafka_uuid(UUID(int=0)) is None
    assert kafka_uuid(None) is None
