"""ApiVersions: the features, and the answer to a version that is not offered.

What is offered is held against real brokers (conformance/test_brokers.py, e2e/test_old_brokers.py).
"""

import struct

from kafka.protocol.metadata import ApiVersionsRequest, ApiVersionsResponse

from emulator.asking import ask, cluster


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
