"""DescribeProducers (API 61, KIP-664; KIP-1062 v1): the active producers of named partitions, highest id first.

Any broker with a replica answers, including followers. Needs READ on the topic. Each partition has a code: 17 invalid
name, 29 denied, 3 unknown, 6 another broker has the replica, 56 its log dir is offline. A limit counts
producers; a partition without producers, or with a code, costs one. A partition begins at the largest possible id.
Without pages the order is the request's, which may name topics and partitions twice.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.hosting import hosted
from kafka_emulator.paging import Nested, Part, Sorted, by_name_and_number, partition_is_possible
from kafka_emulator.producers import BEGINNING, Producers, reported
from kafka_emulator.topic_names import is_possible, what_is_wrong
from kafka_emulator.topics import Topic
from kafka_messages.kip_1062 import DescribeProducersRequest, DescribeProducersResponse

UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC, DENIED = 3, 17, 29
UNKNOWN, HIDDEN = "This server does not host this topic-partition.", "Topic authorization failed."

TopicPartition = tuple[str, int]
"""A topic and a partition."""
Row = tuple[Any, ...]
"""A partition's fields in the order of the message."""


def _answer(request: Any, call: Call) -> Any:
    partitions: Sequence[TopicPartition] = _asked(request) if call.paged else _as_asked(request)
    found = {topic.name: call.world.topics.get(topic.name) for topic in request.topics}
    of_topic = {name: _code(call, name) for name in found}
    codes = [of_topic[name] or _of_replica(call, found[name], index) for name, index in partitions]
    producers = [
        None if code else _producers(call, found[name], index)
        for (name, index), code in zip(partitions, codes, strict=True)
    ]
    if not call.paged:
        whole = [Part(holder, 0, len(one or ())) for holder, one in enumerate(producers)]
        rows = iter(_rows(whole, partitions, codes, producers, call))
        topics = [(topic.name, list(islice(rows, len(topic.partition_indexes)))) for topic in request.topics]
        return DescribeProducersResponse(throttle_time_ms=0, topics=topics)
    listing = Nested(
        partitions,
        np.array([len(one or ()) for one in producers], np.int64),
        # Partitions with a code have no producers: this is not called for them.
        lambda holder: producers[holder],  # type: ignore[arg-type, return-value]
        (BEGINNING,),
        partition_is_possible,
        np.array(codes, np.int64) != 0,
    )
    page = call.page(listing, request)
    parts = list(listing.parts(page))
    by_topic: dict[str, list[Row]] = {}
    for part, row in zip(parts, _rows(parts, partitions, codes, producers, call), strict=True):
        by_topic.setdefault(partitions[part.holder][0], []).append(row)
    follows = call.follows(DescribeProducersResponse, page)
    return DescribeProducersResponse(throttle_time_ms=0, topics=list(by_topic.items()), **follows)


def _rows(
    parts: Sequence[Part],
    partitions: Sequence[TopicPartition],
    codes: Sequence[int],
    producers: Sequence[Producers | None],
    call: Call,
) -> list[Row]:
    """The row of each of these partitions."""
    states = reported([(of, part.begin, part.end) for part in parts if (of := producers[part.holder]) is not None])
    return [
        (index, code, _message(code, name, call) if code else None, [] if code else next(states))
        for (name, index), code in ((partitions[part.holder], codes[part.holder]) for part in parts)
    ]


def _as_asked(request: Any) -> list[TopicPartition]:
    return [(topic.name, index) for topic in request.topics for index in topic.partition_indexes]


def _asked(request: Any) -> Sorted:
    return Sorted(_as_asked(request), by_name_and_number)


def _code(call: Call, name: str) -> int:
    """The code for all partitions of a topic; 0 where each has its own."""
    if not is_possible(name):
        return INVALID_TOPIC
    return 0 if call.world.access.allows(Operation.READ, Resource.TOPIC, name) else DENIED


def _of_replica(call: Call, topic: Topic | None, index: int) -> int:
    """The code of one partition; 0 where its producers are reported."""
    found = hosted(call.world, call.broker, topic, index)
    return found if isinstance(found, int) else 0


def _message(code: int, name: str, call: Call) -> str | None:
    """The message of a code that needs no look at the replica; None for others, and beyond the topic's partitions."""
    if code == INVALID_TOPIC and not is_possible(name):
        return what_is_wrong(name)
    unknown = code == UNKNOWN_TOPIC_OR_PARTITION and call.world.topics.get(name) is None
    return UNKNOWN if unknown else HIDDEN if code == DENIED else None


def _producers(call: Call, topic: Topic | None, index: int) -> Producers | None:
    return call.world.producers(topic, index) if topic else None


def _refuse(request: Any, call: Call, code: int) -> Any:
    """The response has no code at the top: every partition has the code, and no producers."""
    topics: dict[str, list[Row]] = {}
    for name, index in _asked(request):
        topics.setdefault(name, []).append((index, code, _message(code, name, call), []))
    return DescribeProducersResponse(throttle_time_ms=0, topics=list(topics.items()))


DESCRIBE_PRODUCERS = Handler(
    DescribeProducersRequest,
    DescribeProducersResponse,
    {"2.8": (0, 0)},
    _answer,
    paged=1,
    refuse=_refuse,
)
