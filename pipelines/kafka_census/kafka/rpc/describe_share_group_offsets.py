"""DescribeShareGroupOffsets (API 90, KIP-932; lag KIP-1226, v1): start offsets and lag of share groups.

Asked of each group's coordinator, in windows, for all topics of a group; the coordinator asks
the share coordinator, which keeps the state of share partitions, and turns its errors into unknown offsets
without a code. A group that does not exist, or is of another type, is no error either: it looks
like a group without offsets. Topics that the principal may not DESCRIBE are left out without an error.

A share group commits no offset: records from the start offset on are delivered, again if
necessary, until they are acknowledged or archived. The lag counts the records that are neither.
"""

from collections.abc import Iterator
from typing import Any

from kafka_census.kafka.paging.rpc import Ask, Field, Row, Rpc, coordinator_api, known
from kafka_messages import DescribeShareGroupOffsetsRequest

ITEM = (
    Field("group_id", "string", "Group id that was asked for."),
    Field("error_code", "int", "Kafka's error code for the group, or for the partition; 0 none."),
    Field("error_message", "string", "Kafka's message for it."),
    Field("topic", "string", "Topic name; null for a group that has an error or no offset."),
    Field("partition", "int", "Partition index."),
    Field("start_offset", "bigint", "Offset that delivery begins at: all before it is done with; null unknown."),
    Field("leader_epoch", "int", "Leader epoch of that offset; null where it is unknown."),
    Field("lag", "bigint", "Records whose delivery is not complete; null before v1 or unknown."),
)


def _build(version: int, ask: Ask) -> Any:
    request = DescribeShareGroupOffsetsRequest
    groups = [request.DescribeShareGroupOffsetsRequestGroup(group_id=key, topics=None) for key in ask.keys]
    return request(version=version, groups=groups)


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for group in response.groups:
        group_id = group.group_id
        if group.error_code or not any(topic.partitions for topic in group.topics):
            yield group_id, group.error_code, group.error_message, None, None, None, None, None
            continue
        for topic in group.topics:
            for p in topic.partitions:
                # Kafka writes 0 for the offset if there is a code, and for the epoch of an unknown offset.
                start = None if p.error_code else known(p.start_offset)
                epoch = None if start is None else p.leader_epoch
                head = group_id, p.error_code, p.error_message, topic.topic_name, p.partition_index
                yield *head, start, epoch, known(p.lag)


DESCRIBE_SHARE_GROUP_OFFSETS = Rpc(
    name="DescribeShareGroupOffsets",
    scope="groups",
    item=ITEM,
    apis=(
        coordinator_api(
            request=DescribeShareGroupOffsetsRequest,
            versions=(0, 1),
            paging="window",
            build=_build,
            rows=_rows,
        ),
    ),
)
