"""OffsetCommit (API 8): commits the offsets of one group, as a client that is not a member.

The request creates a missing group, in state Empty and without a protocol. A group with
members refuses it (25, or 113 for groups of KIP-848): offsets of a group in use are not
overwritten. Each partition has a code of its own, such as 3 where its topic is deleted.

Each request is sent once: repeated later, it could overwrite offsets that a member commits meanwhile. Before
another request the caller looks at the group again (`writing.restore`).

v10 has topic ids, and is never used: offsets are saved by topic name.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kafka.protocol.consumer import OffsetCommitRequest

from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, no_error

LOWEST, HIGHEST = 2, 9


class Offset(NamedTuple):
    """One committed offset, with the fields of `tables.deletions.OFFSET`."""

    topic: str
    partition: int
    committed_offset: int
    leader_epoch: int | None
    metadata: str | None


def offset_commit(offsets: Mapping[str, Sequence[Offset]]) -> Rpc:
    """The RPC that commits these offsets, by group; its keys are group ids, and it has one row per partition."""

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
