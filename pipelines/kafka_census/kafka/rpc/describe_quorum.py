"""DescribeQuorum (API 55, KIP-595; replication times KIP-836 v1, directory ids KIP-853 v2): who holds the metadata log.

Asked of any broker, which forwards the request to the active controller; whole. One item per
replica: voters may be elected leader, observers (brokers, mostly) only follow. A partition
with an error and no replicas is an item without a replica. A ZooKeeper cluster does not offer the API.
"""

from collections.abc import Iterator
from typing import Any

from kafka.protocol.admin import DescribeQuorumRequest

from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, kafka_uuid, known

TIMES, DIRECTORIES = 1, 2
METADATA_TOPIC = "__cluster_metadata"

ITEM = (
    Field("topic", "string", "Topic name: __cluster_metadata."),
    Field("partition", "int", "Partition index: 0."),
    Field("error_code", "int", "Kafka's error code for the partition."),
    Field("leader_id", "int", "Node that is the active controller; -1 none."),
    Field("leader_epoch", "int", "Epoch of that leader."),
    Field("high_watermark", "bigint", "Offset that a majority of voters has; -1 unknown."),
    Field("replica_id", "int", "Node that holds the replica; null for a partition that could not be described."),
    Field("replica_directory_id", "string", "Id of its metadata log dir; null before v2 or unknown."),
    Field("is_voter", "boolean", "Whether it votes; an observer only follows."),
    Field("log_end_offset", "bigint", "Its log end offset as the leader knows it; -1 unknown."),
    Field("last_fetch_ms", "bigint", "When the leader last heard it fetch, ms since 1970; null unknown or before v1."),
    Field("last_caught_up_ms", "bigint", "When it last had everything, ms since 1970; null unknown or before v1."),
)


def _build(version: int, _ask: Ask) -> Any:
    topic = DescribeQuorumRequest.TopicData
    partition = topic.PartitionData(partition_index=0)
    return DescribeQuorumRequest(version=version, topics=[topic(topic_name=METADATA_TOPIC, partitions=[partition])])


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    times, directories = response.version >= TIMES, response.version >= DIRECTORIES
    for topic in response.topics:
        for p in topic.partitions:
            head = topic.topic_name, p.partition_index, p.error_code, p.leader_id, p.leader_epoch, p.high_watermark
            if not p.current_voters and not p.observers:
                yield *head, *[None] * 6
            for replicas, is_voter in ((p.current_voters, True), (p.observers, False)):
                for one in replicas:
                    directory = kafka_uuid(one.replica_directory_id) if directories else None
                    fetched = known(one.last_fetch_timestamp) if times else None
                    caught_up = known(one.last_caught_up_timestamp) if times else None
                    yield *head, one.replica_id, directory, is_voter, one.log_end_offset, fetched, caught_up


DESCRIBE_QUORUM = Rpc(
    name="DescribeQuorum",
    scope="quorum",
    item=ITEM,
    apis=(Api(request=DescribeQuorumRequest, versions=(0, 2), build=_build, rows=_rows),),
)
