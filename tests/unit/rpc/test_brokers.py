"""What the RPCs of brokers ask, and what they make of an answer."""

from typing import Any
from uuid import UUID

import pytest

from harness.responses import described_cluster
from kafka_census.declarations.releases import RELEASES, from_release
from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.protocol.releases import PROOFS, release_at_least
from kafka_census.kafka.rpc import rpc
from kafka_census.kafka.rpc.describe_configs import TOPIC_KEYS
from unit.rpc.answers import EVERYTHING, answer, items, over_the_wire, rows, sent, way_of


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


@pytest.mark.parametrize(
    ("version", "operations", "bits", "fenced"), [(2, {8, 10}, 1280, True), (2, {31}, None, True), (1, {8}, 256, None)]
)
def test_describe_cluster_is_a_row_a_broker(version: int, operations: Any, bits: int | None, fenced: bool) -> None:
    """Operations as bits, 1 << AclOperation, null where the broker did not say; v2 tells who is fenced."""
    cluster = described_cluster("k", [(1, "h", 9)], operations=operations, controller_id=2, is_fenced=True)
    (item,) = items("DescribeCluster", "cluster", cluster, version)
    assert (item["cluster_authorized_operations"], item["is_fenced"]) == (bits, fenced)


FUTURE = {"partition_index": 1, "partition_size": 5, "offset_lag": 2, "is_future_key": True}


@pytest.mark.parametrize(("version", "total", "cordoned"), [(5, 10, True), (6, 10, True), (1, None, None)])
def test_describe_log_dirs_keeps_future_replicas_apart_and_empty_dirs(
    version: int, total: int | None, cordoned: bool | None
) -> None:
    known = {"log_dir": "/d", "total_bytes": 10, "usable_bytes": -1, "is_cordoned": True}
    dirs = [known | {"topics": [{"name": "t", "partitions": [FUTURE]}]}, known | {"error_code": 56}]
    item, offline = items("DescribeLogDirs", "log_dirs", answer("DescribeLogDirs", results=dirs), version)
    assert (item["topic"], item["partition"], item["size"], item["is_future"]) == ("t", 1, 5, True)
    assert (item["total_bytes"], item["usable_bytes"], item["is_cordoned"]) == (total, None, cordoned)
    assert (offline["error_code"], offline["topic"]) == (56, None)
    assert sent("DescribeLogDirs", "log_dirs", version, EVERYTHING).topics is None


@pytest.mark.parametrize(
    ("version", "code", "cursor", "error"), [(2, 0, False, 31), (3, 31, False, 31), (6, 31, False, 31), (6, 0, True, 0)]
)
def test_describe_log_dirs_denied_below_v3_is_an_error(version: int, code: int, cursor: bool, error: int) -> None:
    """An empty answer without a code is the refusal that it stands for; a page of the draft may be empty."""
    follows = {"topic_name": "u", "partition_index": 0, "log_dir": "/e"} if cursor else None
    empty = answer("DescribeLogDirs", error_code=code, next_cursor=follows)
    assert way_of("DescribeLogDirs", "log_dirs", version).error(over_the_wire(empty, version))[0] == error


def _quorum(code: int, voters: list[tuple[int, int]], observers: list[tuple[int, int]]) -> Any:
    directory = {"replica_directory_id": UUID("004fbf1a-9d3f-4a2e-9a1c-fbf3e9f0d5aa"), "log_end_offset": 5}

    def replicas(of: list[tuple[int, int]]) -> list[dict[str, Any]]:
        times = [{"replica_id": node, "last_fetch_timestamp": at, "last_caught_up_timestamp": -1} for node, at in of]
        return [directory | one for one in times]

    leader = {"error_code": code, "leader_id": 1, "leader_epoch": 3, "high_watermark": 4}
    partition = leader | {"current_voters": replicas(voters), "observers": replicas(observers)}
    return answer("DescribeQuorum", topics=[{"topic_name": "__cluster_metadata", "partitions": [partition]}])


def test_describe_quorum_is_a_row_a_replica() -> None:
    """Voters and observers; times from v1 on, directory ids from v2 on, unknown times null."""
    voter, observer = items("DescribeQuorum", "quorum", _quorum(0, [(1, 1000)], [(7, -1)]), 2)
    assert (voter["leader_id"], voter["leader_epoch"], voter["high_watermark"]) == (1, 3, 4)
    assert (voter["replica_id"], voter["is_voter"]) == (1, True)
    assert voter["replica_directory_id"] == "AE-_Gp0_Si6aHPvz6fDVqg"
    assert (voter["last_fetch_ms"], voter["last_caught_up_ms"]) == (1000, None)
    assert (observer["replica_id"], observer["is_voter"], observer["last_fetch_ms"]) == (7, False, None)
    (old,) = items("DescribeQuorum", "quorum", _quorum(0, [(1, 1000)], []), 0)
    assert (old["last_fetch_ms"], old["replica_directory_id"]) == (None, None)


def test_describe_quorum_keeps_an_error_without_replicas() -> None:
    """Or else the partition's code would be nowhere."""
    (item,) = items("DescribeQuorum", "quorum", _quorum(3, [], []), 2)
    assert (item["error_code"], item["replica_id"], item["is_voter"]) == (3, None, None)


def _configs(*synonyms: tuple[str, str, int]) -> Any:
    value = {"name": "min.insync.replicas", "value": "2", "config_source": 1, "config_type": 3}
    value["synonyms"] = [{"name": name, "value": value, "source": source} for name, value, source in synonyms]
    denied = {"error_code": 29, "error_message": "no", "resource_type": 2, "resource_name": "u", "configs": []}
    return answer("DescribeConfigs", results=[{"resource_type": 2, "resource_name": "t", "configs": [value]}, denied])


def test_default_is_the_synonym_of_the_same_name() -> None:
    """Synonyms of other names are in other units: hours for milliseconds."""
    hours, own = ("log.retention.hours", "168", 5), ("min.insync.replicas", "1", 5)
    for synonyms, default in (((("min.insync.replicas", "2", 4), hours, own), "1"), ((hours,), None), ((), None)):
        item, _ = items("DescribeConfigs", "brokers", _configs(*synonyms), 4)
        assert (item["value"], item["default_value"]) == ("2", default)


@pytest.mark.parametrize(
    ("scope", "kind", "keys"), [("topics", 2, list(TOPIC_KEYS)), ("topics_all", 2, None), ("brokers", 4, None)]
)
@pytest.mark.parametrize("version", [4, 5])
def test_a_scope_asks_for_its_keys(version: int, scope: str, kind: int, keys: list[str] | None) -> None:
    """A few keys of every topic, or all; null stands for all. Only brokers are few enough for synonyms."""
    asked = sent("DescribeConfigs", scope, version, Ask(("1", "2"), None, 7))
    assert [(one.resource_type, one.resource_name) for one in asked.resources] == [(kind, "1"), (kind, "2")]
    assert [one.configuration_keys for one in asked.resources] == [keys, keys]
    assert (asked.include_synonyms, asked.include_documentation) == (scope == "brokers", False)
    for api in rpc("DescribeConfigs", scope).apis:
        assert [api.key(row) for row in api.rows(_configs(), EVERYTHING)] == ["t", "u"]


@pytest.mark.parametrize(("version", "kind"), [(1, "group"), (0, "client_metrics")])
def test_list_config_resources_lists_client_metrics_only_below_v1(version: int, kind: str) -> None:
    """v0 has no type on the wire: it is client metrics."""
    response = answer("ListConfigResources", config_resources=[{"resource_name": "r", "resource_type": 32}])
    found = items("ListConfigResources", "config_resources", response, version)
    assert found == [{"resource_type": kind, "resource_name": "r"}]


def test_every_release_has_one_proof_and_later_ones_keep_it() -> None:
    """The values of both halves are the same; a broker that offers all of a release offers all that was before."""
    assert tuple(release for release, _, _ in reversed(PROOFS)) == RELEASES
    ranges: dict[int, tuple[int, int]] = {}
    for release, key, version in reversed(PROOFS):
        assert ranges.get(key, (0, -1))[1] < version
        ranges[key] = (0, version)
        assert release_at_least(ranges) == release
    # DescribeCluster is there since the lowest.
    assert release_at_least({60: (0, 0)}) == "2.8"


def test_broker_that_offers_none_of_the_ranges_proves_nothing() -> None:
    """An API that is not there, or ends below; the rest of its answer does not matter."""
    assert release_at_least({}) is None
    assert release_at_least({1: (0, 12), 2: (0, 6), 16: (0, 4), 35: (0, 2), 3: (0, 99)}) is None


def test_releases_are_in_their_order() -> None:
    assert from_release("4.1") == ("4.1", "4.2", "4.3", "4.4")
    assert from_release("2.8") == RELEASES
