"""Every version of an RPC tells what its highest one does, as far as it has fields; ApiVersions tells more of itself.

Conformance holds the highest ones against real brokers. What is compared is what our own client reads of an answer.
"""

from typing import Any

import pytest

from emulator.asking import ask, cluster, serving
from emulator.census import census
from kafka_census.declarations.walks import walk_named
from kafka_census.kafka.paging.rpc import Api, Ask, Row
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.rpc import RPCS
from kafka_emulator.server import Server
from kafka_messages import ApiVersionsRequest

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
    """And those of the version, as those of 4.4 are of a real one (tests/conformance/test_brokers.py)."""
    request = ApiVersionsRequest(client_software_name="test", client_software_version="1")
    drafted, plain = (
        {one.name: (one.min_version, one.max_version) for one in ask(server, request, 3).supported_features}
        for server in (cluster(), cluster("3.9", kip_1062=False))
    )
    assert drafted["admin.pagination"] == drafted["admin.min.insync.replicas"] == (1, 1)
    assert plain.keys() == {"metadata.version"}
