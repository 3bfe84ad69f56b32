"""What each RPC makes of an answer: rows in the order of its items, errors where they sit.

The answers are built with Kafka's own message schemas, encoded and decoded again, at
the versions that differ.
"""

from typing import Any
from uuid import UUID

import pytest
from kafka.protocol.admin import (
    DescribeClusterResponse,
    DescribeConfigsResponse,
    DescribeLogDirsResponse,
    DescribeTopicPartitionsResponse,
    ListGroupsResponse,
    ListPartitionReassignmentsResponse,
)
from kafka.protocol.metadata import FindCoordinatorResponse, MetadataResponse

from kafka_census.paging.rpc import Ask, kafka_uuid
from kafka_census.rpc import RPCS, rpc

EVERYTHING = Ask((), None, 2000)


def over_the_wire(response: Any, version: int) -> Any:
    """The response as a client sees it at that version."""
    response._header = None
    response.API_VERSION = version
    response.with_header(correlation_id=1)
    return type(response).decode(response.encode(header=True), version=version, header=True)


def items(name: str, scope: str, response: Any, version: int, ask: Ask = EVERYTHING, way: int = 0) -> list[Any]:
    """The response's items as dicts, by the RPC's nth way of asking."""
    one = rpc(name, scope)
    rows = one.apis[way].rows(over_the_wire(response, version), ask)
    return [dict(zip([field.name for field in one.item], row, strict=True)) for row in rows]


@pytest.mark.parametrize("one", RPCS, ids=lambda one: f"{one.name}-{one.scope}")
def test_every_request_can_be_encoded_at_every_version_that_is_used(one: Any) -> None:
    """The range of versions is what Kafka 4.3.1 and the codec know."""
    for api in one.apis:
        for version in range(api.min_version, api.max_version + 1):
            request = api.build(version, Ask(("1",), None, 10))
            request.with_header(correlation_id=1, client_id="test")
            assert version == request.API_VERSION
            assert request.encode(header=True)


def test_kafka_prints_uuids_in_url_safe_base64() -> None:
    """As Uuid.toString; the zero id is none."""
    assert kafka_uuid(UUID("004fbf1a-9d3f-4a2e-9a1c-fbf3e9f0d5aa")) == "AE-_Gp0_Si6aHPvz6fDVqg"
    assert kafka_uuid(UUID(int=0)) is None
    assert kafka_uuid(None) is None


def _cluster(operations: Any) -> Any:
    broker = DescribeClusterResponse.DescribeClusterBroker
    return DescribeClusterResponse(
        throttle_time_ms=0,
        error_code=0,
        error_message=None,
        endpoint_type=1,
        cluster_id="k",
        controller_id=2,
        brokers=[broker(broker_id=1, host="h", port=9, rack=None, is_fenced=True)],
        authorized_operations=operations,
    )


def test_describe_cluster_keeps_operations_as_kafka_s_bitfield() -> None:
    """1 << AclOperation; null when the broker did not say."""
    assert items("DescribeCluster", "cluster", _cluster({8, 10}), 2)[0]["cluster_authorized_operations"] == 1280
    assert items("DescribeCluster", "cluster", _cluster({31}), 2)[0]["cluster_authorized_operations"] is None


def test_describe_cluster_knows_fenced_brokers_from_v2_on() -> None:
    """Before that, null: not false."""
    assert items("DescribeCluster", "cluster", _cluster({8}), 2)[0]["is_fenced"] is True
    assert items("DescribeCluster", "cluster", _cluster({8}), 1)[0]["is_fenced"] is None


def _metadata(version: int, error: int = 0) -> Any:
    topic, broker = MetadataResponse.MetadataResponseTopic, MetadataResponse.MetadataResponseBroker
    part = topic.MetadataResponsePartition
    partition = part(
        error_code=0,
        partition_index=0,
        leader_id=1,
        leader_epoch=3,
        replica_nodes=[1, 2],
        isr_nodes=[1],
        offline_replicas=[2],
    )
    return MetadataResponse(
        throttle_time_ms=0,
        brokers=[broker(node_id=1, host="h", port=9, rack=None)],
        cluster_id="k",
        controller_id=1,
        topics=[
            topic(
                error_code=error,
                name="t",
                topic_id=UUID(int=7),
                is_internal=False,
                partitions=[] if error else [partition],
                authorized_operations={31},
            )
        ],
    )


def test_metadata_lists_names_with_their_sizes() -> None:
    """A name is all that is kept; ids are null before v10."""
    assert items("Metadata", "names", _metadata(13), 13) == [
        {
            "topic": "t",
            "topic_id": "AAAAAAAAAAAAAAAAAAAABw",
            "is_internal": False,
            "partition_count": 1,
            "error_code": 0,
        }
    ]
    assert items("Metadata", "names", _metadata(9), 9)[0]["topic_id"] is None


def test_metadata_without_brokers_is_an_error() -> None:
    """Below v13 a failed request for all topics has no code of its own."""
    empty = MetadataResponse(throttle_time_ms=0, brokers=[], cluster_id="k", controller_id=1, topics=[])
    assert rpc("Metadata", "names").apis[0].error(over_the_wire(empty, 12))[0] == 5


def test_describe_topic_partitions_is_a_row_a_partition_and_one_for_a_failed_topic() -> None:
    """ELR lists are lists, null or not; a failed topic has no partition."""
    topic = DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic
    part = topic.DescribeTopicPartitionsResponsePartition
    response = DescribeTopicPartitionsResponse(
        throttle_time_ms=0,
        topics=[
            topic(
                error_code=0,
                name="t",
                topic_id=UUID(int=7),
                is_internal=True,
                topic_authorized_operations=0,
                partitions=[
                    part(
                        error_code=0,
                        partition_index=0,
                        leader_id=-1,
                        leader_epoch=3,
                        replica_nodes=[1, 2],
                        isr_nodes=[],
                        eligible_leader_replicas=[2],
                        last_known_elr=None,
                        offline_replicas=[1],
                    )
                ],
            ),
            topic(
                error_code=3,
                name="gone",
                topic_id=UUID(int=0),
                is_internal=False,
                topic_authorized_operations=0,
                partitions=[],
            ),
        ],
        next_cursor=DescribeTopicPartitionsResponse.Cursor(topic_name="t", partition_index=0),
    )
    first, second = items("DescribeTopicPartitions", "topics", response, 0)
    assert (first["leader_id"], first["isr"], first["eligible_leader_replicas"], first["last_known_elr"]) == (
        -1,
        [],
        [2],
        [],
    )
    assert first["elr_known"] is True
    assert (second["topic"], second["error_code"], second["partition"], second["replicas"]) == ("gone", 3, None, [])
    cursor = rpc("DescribeTopicPartitions", "topics").apis[0].next_cursor(over_the_wire(response, 0))
    assert cursor == ("t", 0)


def test_describe_topic_partitions_by_metadata_does_not_know_the_elr() -> None:
    """Where API 75 is not offered, the lists are empty and said to be unknown."""
    (item,) = items("DescribeTopicPartitions", "topics", _metadata(9), 9, Ask(("t",), None, 1), way=1)
    assert (item["replicas"], item["isr"], item["offline_replicas"]) == ([1, 2], [1], [2])
    assert (item["eligible_leader_replicas"], item["elr_known"]) == ([], False)


def test_describe_configs_is_a_row_a_key_and_one_for_a_refusal() -> None:
    """A denied resource keeps its code; a value keeps its source."""
    result = DescribeConfigsResponse.DescribeConfigsResult
    value = result.DescribeConfigsResourceResult(
        name="min.insync.replicas",
        value="2",
        read_only=False,
        config_source=1,
        is_sensitive=False,
        synonyms=[],
        config_type=3,
        documentation=None,
    )
    response = DescribeConfigsResponse(
        throttle_time_ms=0,
        results=[
            result(error_code=0, error_message=None, resource_type=2, resource_name="t", configs=[value]),
            result(error_code=29, error_message="no", resource_type=2, resource_name="u", configs=[]),
        ],
    )
    first, second = items("DescribeConfigs", "topics", response, 4)
    assert (first["resource_name"], first["value"], first["source"]) == ("t", "2", 1)
    assert (second["resource_name"], second["error_code"], second["name"]) == ("u", 29, None)


def test_list_groups_leaves_null_what_its_version_does_not_say() -> None:
    """States come with v4, types with v5."""
    group = ListGroupsResponse.ListedGroup
    response = ListGroupsResponse(
        throttle_time_ms=0,
        error_code=0,
        groups=[group(group_id="", protocol_type="consumer", group_state="Empty", group_type="classic")],
    )
    assert [
        (item["group_state"], item["group_type"])
        for version in (5, 4, 3)
        for item in items("ListGroups", "groups", response, version)
    ] == [("Empty", "classic"), ("Empty", None), (None, None)]


def test_find_coordinator_answers_every_key_with_its_own_error() -> None:
    """Batched from v4 on (KIP-699), one key a request below."""
    one = FindCoordinatorResponse.Coordinator
    batch = FindCoordinatorResponse(
        throttle_time_ms=0,
        coordinators=[
            one(key="a", node_id=1, host="h", port=9, error_code=0, error_message=None),
            one(key="b", node_id=-1, host="", port=-1, error_code=15, error_message="not available"),
        ],
    )
    assert [(item["key"], item["error_code"]) for item in items("FindCoordinator", "groups", batch, 6)] == [
        ("a", 0),
        ("b", 15),
    ]
    single = FindCoordinatorResponse(
        throttle_time_ms=0, error_code=15, error_message="no", node_id=-1, host="", port=-1
    )
    asked = Ask(("é",), None, 1)
    (item,) = items("FindCoordinator", "groups", single, 3, asked, way=1)
    assert (item["key"], item["error_code"], item["node_id"]) == ("é", 15, -1)


def test_list_partition_reassignments_is_a_row_a_moving_partition() -> None:
    """Replicas as Kafka lists them: target and removing ones."""
    topic = ListPartitionReassignmentsResponse.OngoingTopicReassignment
    part = topic.OngoingPartitionReassignment
    moving = part(partition_index=4, replicas=[1, 2, 3], adding_replicas=[3], removing_replicas=[1])
    response = ListPartitionReassignmentsResponse(
        throttle_time_ms=0, error_code=0, error_message=None, topics=[topic(name="t", partitions=[moving])]
    )
    assert items("ListPartitionReassignments", "cluster", response, 0) == [
        {"topic": "t", "partition": 4, "replicas": [1, 2, 3], "adding_replicas": [3], "removing_replicas": [1]}
    ]


def _dirs(topics: list[Any], code: int = 0) -> Any:
    result = DescribeLogDirsResponse.DescribeLogDirsResult
    return DescribeLogDirsResponse(
        throttle_time_ms=0,
        error_code=0,
        results=[
            result(error_code=code, log_dir="/d", topics=topics, total_bytes=10, usable_bytes=-1, is_cordoned=False)
        ],
    )


def test_describe_log_dirs_keeps_future_replicas_apart_and_empty_dirs() -> None:
    """A dir without partitions, or offline, is a row; unknown sizes are null."""
    topic = DescribeLogDirsResponse.DescribeLogDirsResult.DescribeLogDirsTopic
    part = topic.DescribeLogDirsPartition
    future = part(partition_index=1, partition_size=5, offset_lag=2, is_future_key=True)
    (item,) = items("DescribeLogDirs", "log_dirs", _dirs([topic(name="t", partitions=[future])]), 5)
    assert (item["topic"], item["partition"], item["size"], item["is_future"]) == ("t", 1, 5, True)
    assert (item["total_bytes"], item["usable_bytes"]) == (10, None)
    (offline,) = items("DescribeLogDirs", "log_dirs", _dirs([], code=56), 5)
    assert (offline["error_code"], offline["topic"]) == (56, None)


def test_describe_log_dirs_denied_below_v3_is_an_error() -> None:
    """An empty answer without a code is the refusal that it stands for."""
    empty = DescribeLogDirsResponse(throttle_time_ms=0, error_code=0, results=[])
    assert rpc("DescribeLogDirs", "log_dirs").apis[0].error(over_the_wire(empty, 2))[0] == 31
