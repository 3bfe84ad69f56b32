"""Every version of an RPC tells what its highest one does, as far as it has fields; ApiVersions tells more of itself.

Conformance holds the highest ones against real brokers. What is compared is what our own client reads of an answer.
"""

import struct
from typing import Any

import pytest

from emulator.asking import ask, cluster, serving
from emulator.census import census
from kafka_census.declarations.walks import walk_named
from kafka_census.kafka.paging.rpc import Api, Ask, Row
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.rpc import RPCS
from kafka_emulator.server import Server
from kafka_messages import ApiVersionsRequest, ApiVersionsResponse

SECTIONS: dict[str, Any] = {
    "brokers": {"count": 3, "log_dirs": 2},
    "groups": {"count": 30},
    "topics": {"partitions": 30, "reassigning": 4, "declared": [{"name": "own", "configs": {"retention.ms": "5"}}]},
    "transactions": {"count": 20},
    "security": {
        "generated_acls": 5,
        "quotas": [{"entity": {"user": "a"}, "values": {"request_percentage": 5.0}}],
        "scram_users": [{"user": "b", "mechanisms": {"SCRAM-SHA-256": 4096}}],
    },
}
OTHERWISE = {
    "ApiVersions": "version 3 leaves out features whose lowest level is 0, as old clients fail on them",
    "ListConfigResources": "version 0 lists client metrics only",
}
"""RPCs of which a lower version tells something else; each has a test of that."""


def told(server: Server, api: Api, version: int, keys: tuple[str, ...]) -> list[Row]:
    """The rows of a version; one request per key where a version cannot be asked for several."""
    asked = [Ask((key,), None, 2000) for key in keys] if api.one_key else [Ask(keys, None, 2000)]
    return [row for one in asked for row in api.rows(ask(server, api.build(version, one), version), one)]


def fields(rows: list[Row], columns: set[int]) -> list[str]:
    return sorted(repr([row[at] for at in sorted(columns)]) for row in rows)


@pytest.mark.parametrize(("as_version", "kip_1062"), [("4.4", True), ("2.8", False)])
def test_versions_differ_only_in_the_fields_that_they_have(as_version: str, kip_1062: bool) -> None:
    server, compared = cluster(as_version, kip_1062=kip_1062, **SECTIONS), 0
    with serving(server):
        taken = census(server, CollectSettings())
    for rpc in RPCS:
        keys = taken.keys_at(walk_named(rpc.name, rpc.scope))
        columns = [at for at, field in enumerate(rpc.item) if field.name != "error_message"]
        by_version: dict[int, list[Row]] = {}
        for api in (one for one in rpc.apis if one.name == rpc.name and rpc.name not in OTHERWISE):
            handler = next(one for one in server.handlers if one.name == api.name)
            lowest, highest = handler.offered(server.speaks[1]) or (1, 0)
            for version in range(max(lowest, api.min_version), min(highest, api.max_version) + 1):
                by_version[version] = told(server, api, version, keys)
        has: set[int] = set()
        for version, rows in sorted(by_version.items()):
            before, has = has, {at for at in columns if any(row[at] is not None for row in rows)}
            assert before <= has, (rpc.name, rpc.scope, version)
            assert fields(rows, has) == fields(by_version[max(by_version)], has), (rpc.name, rpc.scope, version)
            compared += bool(rows)
    assert compared > {"4.4": 70, "2.8": 40}[as_version]


def test_the_drafts_are_features() -> None:
    """And those of 4.4; a lowest level of 0 is left out below v4, where old clients fail on it."""
    request = ApiVersionsRequest(client_software_name="test", client_software_version="1")
    server = cluster()
    features = [
        {one.name: (one.min_version, one.max_version) for one in ask(server, request, version).supported_features}
        for version in (3, 5)
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
