"""What a principal may not see: the codes of all keys, by every RPC that has keys; listings leave it out in silence.

Real brokers are asked by such a principal in tests/trouble; RPCs of the whole cluster are refused in the scenario
`narrow_acls` (test_scenarios_walked.py).
"""

from typing import Any

import pytest

from emulator.asking import ask, cluster
from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.rpc import rpc as rpc_named

GROUP, TOPIC, ID = "GROUP", "TOPIC", "TRANSACTIONAL_ID"
TYPES = ("classic", "consumer", "share", "streams")
SECTIONS: dict[str, Any] = {
    "brokers": {"count": 1},
    "topics": {"partitions": 0, "declared": [{"name": name} for name in ("open", "hidden", "described")]},
    "groups": {
        "count": 0,
        "declared": [
            *({"id": f"{of}-open", "type": of, "members": 1, "topics": ["open"]} for of in TYPES),
            *({"id": f"{of}-wide", "type": of, "members": 1, "topics": ["open", "hidden"]} for of in TYPES),
            *({"id": f"{of}-secret", "type": of} for of in TYPES),
            {"id": "streams-empty", "type": "streams", "topics": ["hidden"]},
        ],
    },
    "transactions": {
        "count": 0,
        "declared": [
            {"id": "open", "producer_id": 1, "partitions": [["open", 0], ["hidden", 0]]},
            {"id": "secret", "producer_id": 2},
        ],
    },
    "security": {
        "super_users": [],
        "acls": [
            *({"resource_type": ID, "resource_name": name} for name in ("open", "gone")),
            *({"resource_type": GROUP, "resource_name": f"{of}-{one}"} for of in TYPES for one in ("open", "wide")),
            {"resource_type": GROUP, "resource_name": "streams-empty"},
            {"resource_type": TOPIC, "resource_name": "open", "operation": "READ"},
            {"resource_type": TOPIC, "resource_name": "open", "operation": "DESCRIBE_CONFIGS"},
            {"resource_type": TOPIC, "resource_name": "described"},
        ],
    },
}
UNSEEN = {"open/0": 0, "open/7": 3, "hidden/0": 29, "missing/0": 29}
TOPICS = {"open": 0, "hidden": 29, "missing": 29}


@pytest.mark.parametrize(
    ("rpc", "scope", "codes"),
    [
        ("DescribeGroups", "groups", {"classic-open": 0, "classic-wide": 0, "classic-secret": 30, "nobody": 30}),
        ("ConsumerGroupDescribe", "groups", {"consumer-open": 0, "consumer-wide": 29, "consumer-secret": 30}),
        ("ShareGroupDescribe", "groups", {"share-open": 0, "share-wide": 29, "share-secret": 30}),
        ("StreamsGroupDescribe", "groups", {"streams-open": 0, "streams-wide": 29, "streams-empty": 29}),
        ("DescribeShareGroupOffsets", "groups", {"share-wide": 0, "share-secret": 30}),
        ("OffsetFetch", "groups", {"classic-wide": 0, "classic-secret": 30, "nobody": 30}),
        ("FindCoordinator", "groups", {"classic-open": 0, "classic-secret": 30, "nobody": 30}),
        ("FindCoordinator", "transactional_ids", {"open": 0, "secret": 53, "nobody": 53}),
        ("DescribeTransactions", "transactional_ids", {"open": 0, "gone": 105, "secret": 53, "nobody": 53}),
        ("ListOffsets", "latest", UNSEEN | {"described/0": 0}),
        ("DescribeProducers", "partitions", UNSEEN | {"described/0": 29}),
        ("DescribeTopicPartitions", "topics", TOPICS | {"described": 0}),
        ("DescribeConfigs", "topics", TOPICS | {"described": 29}),
    ],
)
def test_a_key_that_may_not_be_seen_has_the_same_code_whether_it_is_there_or_not(
    rpc: str, scope: str, codes: dict[str, int]
) -> None:
    """At the highest version of each way to ask; a hidden topic of what may be seen is left out, or refuses all."""
    server, declared = cluster(**SECTIONS), rpc_named(rpc, scope)
    for broker in server.world.brokers.ids:
        server.world.brokers.listens(broker, "PLAINTEXT", 9000 + broker)
    code = [field.name for field in declared.item].index("error_code")
    for api in (one for one in declared.apis if one.name == rpc and not one.one_key):
        asked = Ask(tuple(codes), None, 2000)
        rows = list(api.rows(ask(server, api.build(api.max_version, asked), api.max_version), asked))
        assert {api.key(row): row[code] for row in rows} == codes
        assert "hidden" not in {cell for row in rows if not row[code] for cell in row if isinstance(cell, str)}


@pytest.mark.parametrize(
    ("rpc", "scope", "seen"),
    [
        ("ListGroups", "groups", {"streams-empty", *(f"{of}-{one}" for of in TYPES for one in ("open", "wide"))}),
        ("ListTransactions", "transactions", {"open"}),
        ("Metadata", "names", {"open", "described"}),
    ],
)
def test_a_listing_leaves_out_what_may_not_be_seen(rpc: str, scope: str, seen: set[str]) -> None:
    server = cluster(**SECTIONS)
    for api in rpc_named(rpc, scope).apis:
        asked = Ask((), None, 2000)
        rows = api.rows(ask(server, api.build(api.max_version, asked), api.max_version), asked)
        assert {row[0] for row in rows} == seen


def test_acls_need_an_authorizer_and_a_right() -> None:
    """With DESCRIBE on the cluster all are told, also those of resources that may not be described."""
    right = {"resource_type": "CLUSTER", "resource_name": "kafka-cluster", "operation": "DESCRIBE"}
    (api,) = (one for one in rpc_named("DescribeAcls", "acls").apis if not one.features)
    for security, code, resources in (
        ({"authorizer": False, "acls": []}, 54, 0),
        ({"super_users": [], "acls": []}, 31, 0),
        ({"super_users": [], "acls": [right], "generated_acls": 5}, 0, 6),
    ):
        found = ask(cluster(security=security), api.build(api.max_version, Ask((), None, 2000)), api.max_version)
        assert (found.error_code, len(found.resources)) == (code, resources)
