"""DescribeQuorum (API 55; times v1, directories and nodes v2): the voters and observers of the metadata log.

Any broker answers, as if it had forwarded the request to the active controller. The first three brokers vote
too, the lowest id that is alive leads; without a leader the request times out, 7. The log grows with each change of
the cluster. Offsets and times of a voter that stopped before its leader was elected are unknown, -1. A request for
anything but partition 0 of the metadata log has 3 on each partition. Needs DESCRIBE on the cluster: 31 without.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from kafka.protocol.admin import DescribeQuorumRequest, DescribeQuorumResponse

from kafka_emulator.arithmetic import mix
from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.brokers import HOST
from kafka_emulator.call import Call
from kafka_emulator.features import FINALIZED
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.logs import START_TIME_MS

UNKNOWN_PARTITION, REQUEST_TIMED_OUT, DENIED = 3, 7, 31
METADATA_LOG = ("__cluster_metadata", 0)
FIRST_RECORDS = 1000
TIMES, DIRECTORIES = 1, 2
CONTROLLER, NO_PORT = "CONTROLLER", 0
"""The endpoint of controllers, which are not emulated: nothing listens on it."""

_TOPIC = DescribeQuorumResponse.TopicData
_PARTITION = _TOPIC.PartitionData


def _answer(request: Any, call: Call) -> Any:
    if not call.world.access.allows(Operation.DESCRIBE, Resource.CLUSTER):
        return _response([], DENIED)
    asked = [(topic.topic_name, one.partition_index) for topic in request.topics for one in topic.partitions]
    if asked != [METADATA_LOG] or len(request.topics) != 1:
        return _response([_unknown(topic) for topic in request.topics])
    brokers = call.world.brokers
    voters = brokers.voters
    leader = next((one for one in voters if one in brokers.alive), None)
    if leader is None:
        return _response([], REQUEST_TIMED_OUT)
    followers = [one for one in brokers.ids if one not in voters and one in brokers.alive | brokers.fenced]
    partition = _PARTITION(
        partition_index=0,
        error_code=0,
        error_message="",
        leader_id=leader,
        leader_epoch=1 + call.world.topics.version,
        high_watermark=_end(call),
        current_voters=[_replica(one, call, leader, votes=True) for one in voters],
        observers=[_replica(one, call, leader, votes=False) for one in followers],
    )
    topics = [_TOPIC(topic_name=METADATA_LOG[0], partitions=[partition])]
    nodes = [(one, [(CONTROLLER, HOST, NO_PORT)]) for one in voters]
    return _response(topics, nodes=nodes if call.version >= DIRECTORIES else [])


def _end(call: Call) -> int:
    return FIRST_RECORDS + call.world.topics.version + call.world.groups.version


def _replica(broker: int, call: Call, leader: int, *, votes: bool) -> tuple[Any, ...]:
    return tuple(_fields(broker, call, leader, votes=votes))


def _fields(broker: int, call: Call, leader: int, *, votes: bool) -> Iterator[Any]:
    """A replica in the order of the version's fields; voters have directory ids from kraft.version 1 on.

    A leader knows only the ids of voters that stopped before it was elected.
    """
    brokers = call.world.brokers
    there = not votes or broker in brokers.alive or (broker in brokers.fenced and broker > leader)
    yield broker
    if call.version >= DIRECTORIES:
        known = not votes or FINALIZED[call.speaks.as_version].get("kraft.version", 0) > 0
        yield UUID(int=mix(call.world.seed, broker) << 64 | mix(broker, call.world.seed)) if known else UUID(int=0)
    yield _end(call) if there else -1
    if call.version >= TIMES:
        yield from (START_TIME_MS, START_TIME_MS) if there else (-1, -1)


def _unknown(topic: Any) -> Any:
    failed = [
        _PARTITION(
            partition_index=one.partition_index,
            error_code=UNKNOWN_PARTITION,
            error_message=None,
            leader_id=0,
            leader_epoch=0,
            high_watermark=0,
            current_voters=[],
            observers=[],
        )
        for one in topic.partitions
    ]
    return _TOPIC(topic_name=topic.topic_name, partitions=failed)


def _response(topics: list[Any], code: int = 0, nodes: Any = ()) -> Any:
    return DescribeQuorumResponse(error_code=code, error_message=None if code else "", topics=topics, nodes=list(nodes))


DESCRIBE_QUORUM = Handler(DescribeQuorumRequest, DescribeQuorumResponse, {"3.9": (0, 2)}, _answer)
