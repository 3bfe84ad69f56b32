"""OffsetCommit (API 8): the offsets of one group, committed as somebody who is no member of it.

A group that does not exist comes to be by it, Empty and without a type's protocol. One that
has members refuses it (25, or 113 for groups of KIP-848): nobody's offsets are overwritten while
he is there. Each partition has a code of its own, such as 3 where its topic is gone.

Each request is sent once: sent again later, it could overwrite what somebody commits meanwhile. Who sends
another one looks at the group again first (`writing.restore`).

v10 has topic ids, and is never asked: what is restored was saved by name.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kafka.protocol.consumer import OffsetCommitRequest

from kafka_census.paging.rpc import Api, Ask, Field, Row, Rpc, no_error

LOWEST, HIGHEST = 2, 9


class Offset(NamedTuple):
    """One committed offset; fields as those of `tables.deletions.OFFSET`."""

    topic: str
    partition: int
    committed_offset: int
    leader_epoch: int | None
    metadata: str | None


def offset_commit(offsets: Mapping[str, Sequence[Offset]]) -> Rpc:
    """The RPC that commits these offsets, by group; its keys are the groups, a row is a partition."""

    def build(version: int, ask: Ask) -> Any:
        return OffsetCommitRequest(
            version=version,
            group_id=ask.keys[0],
            generation_id_or_member_epoch=-1,
            member_id="",
            topics=_topics(offsets[ask.keys[0]]),
        )

    return Rpc(
        name="OffsetCommit",
        scope="groups",
        item=(
            Field("group_id", "string", "Group whose offset was committed."),
            Field("error_code", "int", "Kafka's error code for the partition, 0 none."),
            Field("topic", "string", "The topic."),
            Field("partition", "int", "The partition."),
        ),
        apis=(
            Api(
                request=OffsetCommitRequest,
                versions=(LOWEST, HIGHEST),
                paging="window",
                build=build,
                rows=_rows,
                error=no_error,
                one_key=True,
                repeatable=False,
            ),
        ),
    )


def _topics(offsets: Sequence[Offset]) -> list[Any]:
    topics: dict[str, list[Any]] = {}
    kind = OffsetCommitRequest.OffsetCommitRequestTopic
    for offset in offsets:
        one = kind.OffsetCommitRequestPartition(
            partition_index=offset.partition,
            committed_offset=offset.committed_offset,
            committed_leader_epoch=-1 if offset.leader_epoch is None else offset.leader_epoch,
            committed_metadata=offset.metadata,
        )
        topics.setdefault(offset.topic, []).append(one)
    return [kind(name=name, partitions=partitions) for name, partitions in topics.items()]


def _rows(response: Any, ask: Ask) -> Iterator[Row]:
    for topic in response.topics:
        for partition in topic.partitions:
            yield ask.keys[0], partition.error_code, topic.name, partition.partition_index
