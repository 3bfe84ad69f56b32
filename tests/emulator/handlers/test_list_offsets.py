"""ListOffsets of the emulator: special timestamps by version, leaders only, codes."""

from typing import Any

import pytest

from emulator.asking import ask, cluster
from kafka_emulator.logs import START_TIME_MS
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import ListOffsetsRequest

TOPIC = ListOffsetsRequest.ListOffsetsTopic
PART = TOPIC.ListOffsetsPartition
TOPICS = {"partitions": 24}


def _request(
    pairs: list[tuple[str, int]], timestamp: int = -1, *, replica: int = -1, isolation: int = 0, **part: int
) -> Any:
    topics = [
        TOPIC(name=name, partitions=[PART(partition_index=index, timestamp=timestamp, **part)]) for name, index in pairs
    ]
    return ListOffsetsRequest(replica_id=replica, isolation_level=isolation, topics=topics, timeout_ms=1000)


def _rows(response: Any) -> list[tuple[Any, ...]]:
    return [
        (topic.name, one.partition_index, one.error_code, one.offset, one.timestamp)
        for topic in response.topics
        for one in topic.partitions
    ]


def _one(server: Server, request: Any, version: int, broker: int = 1) -> tuple[Any, ...]:
    (row,) = _rows(ask(server, request, version, broker))
    return row[2:]


def _led(server: Server, broker: int = 1) -> list[tuple[str, int]]:
    topics = server.world.topics
    return [
        (topic.name, index)
        for topic, index in topics.every_partition()
        if topics.partition(topic, index).leader == broker
    ]


def _log(server: Server, pair: tuple[str, int]) -> Any:
    topic = server.world.topics.get(pair[0])
    assert topic is not None
    return server.world.log(topic, pair[1])


@pytest.mark.parametrize("kafka", ["2.8", "3.9"])
def test_version_0_lists_offsets(kafka: str) -> None:
    """The end and the segment's beginning, as many as were asked for; nothing before the segment was written."""
    server = cluster(kafka, topics=TOPICS)
    pair = next(one for one in _led(server) if _log(server, one).end > _log(server, one).start)
    log = _log(server, pair)

    def reported(timestamp: int, count: int) -> list[int]:
        response = ask(server, _request([pair], timestamp, max_num_offsets=count), 0)
        listed: list[int] = response.topics[0].partitions[0].old_style_offsets
        return listed

    assert reported(-1, 1) == [log.end]
    assert reported(-1, 5) == [log.end, log.start]
    assert reported(-2, 5) == [log.start]
    assert reported(log.max_timestamp, 5) == [log.start]
    assert reported(START_TIME_MS - 1, 5) == []


@pytest.mark.parametrize(("timestamp", "since"), [(-3, 7), (-4, 8), (-5, 9), (-6, 11), (-7, 99), (-100, 99)])
def test_special_timestamps_are_known_since_a_version(timestamp: int, since: int) -> None:
    """Below that they are 35 on the partition; nothing is tiered."""
    server = cluster(topics=TOPICS)
    for pair in _led(server):
        log = _log(server, pair)
        newest = (0, log.max_timestamp_offset, log.max_timestamp)
        expected = {-3: newest, -4: (0, log.start, -1)}.get(timestamp, (0, -1, -1))
        for version in range(1, 13):
            reported = _one(server, _request([pair], timestamp), version)
            assert reported == (expected if version >= since else (35, -1, -1))


def test_a_time_gives_the_first_record_that_is_not_before_it() -> None:
    server = cluster(topics=TOPICS)
    for pair in _led(server):
        log = _log(server, pair)
        if log.end == log.start:
            assert _one(server, _request([pair], 0), 5) == (0, -1, -1)
            continue
        assert _one(server, _request([pair], 0), 5) == (0, log.start, START_TIME_MS + log.start)
        last = START_TIME_MS + log.end - 1
        assert _one(server, _request([pair], last), 5) == (0, log.end - 1, last)
        assert _one(server, _request([pair], last + 1), 5) == (0, -1, -1)
        if log.last_stable < log.end:
            assert _one(server, _request([pair], last, isolation=1), 5) == (0, -1, -1)
            assert _one(server, _request([pair], -3, isolation=1), 7) == (0, -1, -1)


def test_records_without_a_time_are_found_by_no_time() -> None:
    """The newest one has an offset and no timestamp, as Kafka's for records stamped -1; an empty log has neither."""
    here = {"assignment": [[1]], "timeless": True}
    server = cluster(topics={"declared": [{"name": "t", "log_end": 3, **here}, {"name": "e", "log_end": 0, **here}]})
    assert _one(server, _request([("t", 0)], -3), 7) == (0, 0, -1)
    assert _one(server, _request([("t", 0)], 0), 7) == (0, -1, -1)
    assert _one(server, _request([("e", 0)], -3), 7) == (0, -1, -1)


def test_only_the_leader_answers_but_any_replica_a_debugger() -> None:
    """A follower and a stranger are 6; replica -2 reads the end of any replica, whatever the isolation."""
    server = cluster(brokers={"count": 4}, topics={"partitions": 24, "reassigning": 6})
    topics = server.world.topics
    for topic, index in topics.every_partition():
        state, pair = topics.partition(topic, index), (topic.name, index)
        for broker in server.world.brokers.ids:
            log = _log(server, pair)
            is_leader = broker == state.leader
            assert _one(server, _request([pair]), 11, broker)[0] == (0 if is_leader else 6)
            code, offset, _ = _one(server, _request([pair], replica=-2, isolation=1), 11, broker)
            assert code == (0 if broker in state.replicas else 6)
            if code == 0 and broker in state.isr:
                assert offset == log.end
            elif code == 0:
                assert log.start <= offset <= log.end
                assert offset < log.end or log.end == log.start


def test_codes_of_partitions() -> None:
    """3 unknown, 74 and 75 another epoch, 42 listed twice, 56 an offline dir; each once, whatever the others are."""
    server = cluster(
        brokers={"count": 2, "log_dirs": 2, "offline_log_dirs": [(1, 0)]},
        topics={"partitions": 0, "declared": [{"name": "t", "partitions": 8}]},
    )
    topic = server.world.topics.get("t")
    assert topic is not None
    offline = [index for index in range(8) if server.world.topics.log_dir(topic, index, 1) == 0]
    led = [pair for pair in _led(server) if pair[0] == "t"]
    assert offline
    assert led
    for index in offline:
        assert _one(server, _request([("t", index)]), 11) == (56, -1, -1)
    epoch = _log(server, led[0]).leader_epoch
    assert _one(server, _request([("t", 8)]), 11)[0] == 3
    assert _one(server, _request([("no", 0)]), 11)[0] == 3
    assert _one(server, _request(led[:1], current_leader_epoch=epoch), 11)[0] == 0
    assert _one(server, _request(led[:1], current_leader_epoch=epoch + 1), 11)[0] == 75
    assert _one(server, _request(led[:1] * 2), 11) == (42, -1, -1)
    server.world.move_coordinators("t", [led[0][1]], 1)
    assert _one(server, _request(led[:1], current_leader_epoch=epoch), 11)[0] == 74
