"""ApiVersions: what the handlers offer, as which Kafka, and the features."""

import struct

import pytest
from kafka.protocol.metadata import ApiVersionsRequest, ApiVersionsResponse

from emulator.asking import ask, cluster
from kafka_emulator.features import AS_VERSIONS
from kafka_emulator.handlers import HANDLERS


def offered(as_version: str, *, kip_1062: bool, version: int = 3) -> dict[int, tuple[int, int]]:
    request = ApiVersionsRequest(client_software_name="test", client_software_version="1")
    response = ask(cluster(as_version, kip_1062=kip_1062), request, version)
    return {one.api_key: (one.min_version, one.max_version) for one in response.api_keys}


@pytest.mark.parametrize("as_version", AS_VERSIONS)
def test_what_is_offered_is_what_has_a_handler(as_version: str) -> None:
    plain, drafts = offered(as_version, kip_1062=False), offered(as_version, kip_1062=True)
    for handler in HANDLERS:
        own = handler.versions.get(as_version)  # type: ignore[call-overload]
        assert plain.get(handler.api_key) == own
        if own is not None and handler.paged is not None:
            assert drafts[handler.api_key] == (own[0], 15 if handler.name == "Metadata" else handler.paged)
    assert list(plain) == sorted(plain)


def test_the_drafts_are_features() -> None:
    """And those of 4.3; a lowest level of 0 is left out below v4, where old clients fail on it."""
    request = ApiVersionsRequest(client_software_name="test", client_software_version="1")
    server = cluster()
    features = [
        {one.name: (one.min_version, one.max_version) for one in ask(server, request, version).supported_features}
        for version in (3, 4)
    ]
    assert features[0] == {name: levels for name, levels in features[1].items() if levels[0] > 0}
    assert features[0]["admin.pagination"] == features[0]["admin.min.insync.replicas"] == (1, 1)
    assert features[1]["group.version"] == (0, 1)
    plain = ask(cluster("3.9", kip_1062=False), request, 3)
    assert {one.name for one in plain.supported_features} == {"metadata.version"}


def test_a_version_that_is_not_offered_is_answered_at_v0() -> None:
    """With code 35 and the one row that tells what to ask."""
    server = cluster("2.8")
    reply = server.answer(1, "PLAINTEXT", struct.pack(">hhih", 18, 4, 9, -1) + b"\x00\x02a\x02b\x00")
    assert reply.frame is not None
    response = ApiVersionsResponse.decode(reply.frame[4:], version=0, header=True)
    assert response.error_code == 35
    assert [(one.api_key, one.min_version, one.max_version) for one in response.api_keys] == [(18, 0, 3)]
