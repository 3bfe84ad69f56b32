"""Unusual requests: duplicate names, empty names, ids where none are allowed, text that is not UTF-8.

No client sends them by itself; the emulator answers as Kafka does, broker by broker.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from conformance.both import HANDLER, Emulated, send
from harness.kafka_cluster import KafkaCluster

NO_ID, UNKNOWN_ID = UUID(int=0), UUID(int=5)
V10_ON = (10, 11, 12, 13)
DESCRIBING = {"DescribeGroups": 5, "ConsumerGroupDescribe": 1, "ShareGroupDescribe": 1, "StreamsGroupDescribe": 1}


def answers(ask: Callable[[str], Any], real: KafkaCluster, emulated: Emulated) -> Iterator[list[Any]]:
    """The answers of all real brokers, then those of all emulated brokers."""
    return ([ask(server) for server in servers.split(",")] for servers in (real.bootstrap_servers, emulated()))


TOPICS_BY_ID: dict[str, tuple[tuple[str | None, str | None], ...]] = {
    "an id": ((None, "orders"),),
    "an id and its name": (("orders", "orders"),),
    "an id and another name": (("words", "orders"),),
    "neither": ((None, None),),
    "neither, and a name": ((None, None), ("orders", None)),
    "a name, and an id": (("words", None), (None, "orders")),
    "an unknown id": ((None, "unknown"),),
    "a name, and an unknown id": (("orders", None), (None, "unknown")),
    "ids twice": ((None, "orders"), (None, "unknown"), (None, "orders"), (None, "unknown")),
    "names twice": (("orders", None), ("nothing", None), ("orders", None), ("nothing", None), ("", None)),
}
"""Requests by description: names, and the topics whose ids are requested."""


def topics_by_id(server: str, asked: str, version: int) -> Any:
    """Before v12 an id, or a missing name, is 42 on everything; from v12 on any id makes names be ignored."""
    every = send(server, "Metadata", 12, topics=None, allow_auto_topic_creation=False).topics
    ids = {topic.name: topic.topic_id for topic in every} | {"unknown": UNKNOWN_ID, None: NO_ID}
    names = {topic_id: name for name, topic_id in ids.items()} | {None: "no id"}
    topic = HANDLER["Metadata"].request.MetadataRequestTopic
    topics = [topic(name=name, topic_id=ids[of]) for name, of in TOPICS_BY_ID[asked]]
    said = send(server, "Metadata", version, topics=topics, allow_auto_topic_creation=False)
    found = [(one.error_code, one.name, names[one.topic_id], len(one.partitions)) for one in said.topics]
    return [len(said.brokers), said.cluster_id is None, said.controller_id == -1, sorted(found, key=str)]


def operations(server: str, version: int) -> Any:
    """An unknown name has operations; an unknown id has none."""
    topic = HANDLER["Metadata"].request.MetadataRequestTopic
    names = [topic(name=name) for name in ("orders", "nothing", "no name!", "")]
    wanted = {"allow_auto_topic_creation": False, "include_topic_authorized_operations": True}
    found = send(server, "Metadata", version, topics=names, **wanted).topics
    if version >= 12:
        found += send(server, "Metadata", version, topics=[topic(name=None, topic_id=UNKNOWN_ID)], **wanted).topics
    return sorted((one.error_code, str(one.name), str(one.authorized_operations)) for one in found)


LAST = 2**31 - 1
PAGES: tuple[tuple[list[str], int, tuple[str, int] | None], ...] = (
    (["nothing", "orders", "words"], 4, None),
    (["orders", "pnothing", "words"], 4, None),
    (["orders", "pnothing", "words"], 5, None),
    (["orders", "words", "xnothing"], 6, None),
    (["orders", "words", "xnothing"], 6, ("xnothing", 0)),
    (["orders", "words", "xnothing"], 6, ("xnothing", 7)),
    (["orders", "pnothing", "words"], 2, ("orders", 2)),
    (["aaa", "nothing", "no name!"], 1, None),
    (["orders"], -5, None),
    ([""], 2000, None),
    (["", "orders"], 2000, None),
    (["", "orders"], 2000, ("", 0)),
    (["", "orders"], 2000, ("", 3)),
    (["", "orders"], 2000, ("orders", 0)),
    ([], 2000, ("", 0)),
    ([], 2000, ("", -1)),
    ([""], 1, ("", -1)),
    (["orders", "orders", "nothing", "nothing"], 2000, None),
    (["orders", "orders", "nothing"], 2000, ("orders", -1)),
    (["orders", "orders"], 2000, ("zzz", 0)),
    (["orders", "words"], 1, ("orders", 99)),
    (["orders", "words"], 2, ("orders", LAST - 1)),
    (["orders", "words"], 1, ("orders", LAST)),
    ([], 2000, ("orders", LAST)),
    ([], 3, ("pnothing", 3)),
    ([".", "..", "x" * 250], 2000, None),
)


def page(server: str, names: list[str], limit: int, cursor: tuple[str, int] | None) -> Any:
    """A missing topic keeps its position like a topic, and has operations; Kafka's handler fails on the empty name."""
    request = HANDLER["DescribeTopicPartitions"].request
    position = None if cursor is None else request.Cursor(topic_name=cursor[0], partition_index=cursor[1])
    topics = [request.TopicRequest(name=name) for name in names]
    said = send(server, "DescribeTopicPartitions", 0, topics=topics, response_partition_limit=limit, cursor=position)
    found = [
        (
            *(one.error_code, one.name, one.topic_id is None, one.topic_authorized_operations),
            [part.partition_index for part in one.partitions],
        )
        for one in said.topics
    ]
    following = said.next_cursor
    return found, None if following is None else (following.topic_name, following.partition_index)


PATTERNS = (
    *("open|fresh", "OPEN", "(?i)OPEN", "o.*", "pen", "", ".", "é", r"\pL+", "(?<name>o)pen", "(?P<name>o)pen"),
    *("[", "(", "*o", "o**", "o++", "(?=o)open", "(?<!a)open", r"(o)\1", "(?P=o)", "(?>o)", r"\Z", "o{1001}", "(?x)o"),
    *("(.|.|..)*x", "(o+)+(.*)*$"),
)


def matching(server: str, pattern: str) -> Any:
    """Patterns are RE2's, and match the whole id."""
    nothing = {"state_filters": [], "producer_id_filters": [], "duration_filter": -1}
    said = send(server, "ListTransactions", 2, transactional_id_pattern=pattern, **nothing)
    return said.error_code, sorted(one.transactional_id for one in said.transaction_states)


def described_transactions(server: str) -> Any:
    ids = ["open", "nobody", "open", "", "fresh", ""]
    return [
        (one.transactional_id, one.error_code, one.transaction_state)
        for one in send(server, "DescribeTransactions", 0, transactional_ids=ids).transaction_states
    ]


def described_producers(server: str) -> Any:
    topic = HANDLER["DescribeProducers"].request.TopicRequest
    asked = (("words", [1, 0, 1, 9, 9]), ("A", [0]), ("words", [0]), ("nothing", []), ("no name!", [1, 1]))
    topics = [topic(name=name, partition_indexes=indexes) for name, indexes in asked]
    return [
        (one.name, [(part.partition_index, part.error_code, len(part.active_producers)) for part in one.partitions])
        for one in send(server, "DescribeProducers", 0, topics=topics).topics
    ]


def offsets(topics: Any) -> Any:
    return [
        (of.name, [(part.partition_index, part.committed_offset, part.error_code) for part in of.partitions])
        for of in topics
    ]


def fetched_groups(server: str, version: int) -> Any:
    group = HANDLER["OffsetFetch"].request.OffsetFetchRequestGroup
    topic = group.OffsetFetchRequestTopics
    every: tuple[list[tuple[str, list[int]]] | None, ...] = (
        [("words", [1, 0, 1]), ("orders", [3, 0]), ("words", [1]), ("nothing", []), ("nothing", [2, 2]), ("", [0])],
        None,
        [("orders", [2, 3])],
    )
    groups = [
        group(
            group_id=name,
            member_id=None,
            member_epoch=-1,
            topics=asked and [topic(name=of, partition_indexes=indexes) for of, indexes in asked],
        )
        for name in ("polygenelubricants", "nobody")
        for asked in every
    ]
    said = send(server, "OffsetFetch", version, groups=groups, require_stable=False)
    return [(one.group_id, one.error_code, offsets(one.topics)) for one in said.groups]


def fetched_one(server: str, version: int) -> Any:
    request = HANDLER["OffsetFetch"].request
    asked = (("words", [1, 0, 1]), ("orders", [3]), ("words", [1]))
    topics = [request.OffsetFetchRequestTopic(name=of, partition_indexes=indexes) for of, indexes in asked]
    return offsets(send(server, "OffsetFetch", version, group_id="polygenelubricants", topics=topics).topics)


def described_groups(server: str, api: str, version: int) -> Any:
    ids = ["classic-live", "nobody", "classic-live", "", "consumer-live", "nobody"]
    named = {"groups": ids} if api == "DescribeGroups" else {"group_ids": ids}
    said = send(server, api, version, include_authorized_operations=False, **named)
    return [(one.group_id, one.error_code) for one in said.groups]


def deleted_groups(server: str) -> Any:
    """The answer to duplicate ids of missing groups; the order of Kafka's answer is not compared."""
    names = [f"nobody-{number}" for number in range(40)] + ["nobody-3", "nobody-7"]
    said = send(server, "DeleteGroups", 2, groups_names=names).results
    return sorted((one.group_id, one.error_code) for one in said)


def described_configs(server: str) -> Any:
    resource = HANDLER["DescribeConfigs"].request.DescribeConfigsResource
    asked = (("orders", ["retention.ms"]), ("nothing", None), ("orders", None), ("nothing", None))
    resources = [resource(resource_type=2, resource_name=name, configuration_keys=keys) for name, keys in asked]
    said = send(server, "DescribeConfigs", 4, resources=resources, include_synonyms=False, include_documentation=False)
    return [(one.resource_name, one.error_code, len(one.configs)) for one in said.results]


PLACEHOLDER = b"QQQQQQ"
NOT_UTF_8 = (
    b"a\xffb\xc3\xa9\xed",
    b"\xed\xa0\x80\xc0\x80Z",
    b"a\xed\xb0Z\xed\xa0",
    b"\xf0\x9f\x98a\xe2\x82",
    b"\xf4\x90\x80\x80\xf8\x80",
    b"\xe0\x80\x80\xf0\x80\x80",
)


def not_utf_8(server: str, text: bytes) -> Any:
    """As in Java: names and ids are looked up with U+FFFD in them, and no broker closes the connection."""
    name = PLACEHOLDER.decode()

    def edit(frame: bytes) -> bytes:
        assert PLACEHOLDER in frame
        return frame.replace(PLACEHOLDER, text)

    partitions = {"response_partition_limit": 5, "cursor": None}
    topic = HANDLER["DescribeTopicPartitions"].request.TopicRequest(name=name)
    filters = {"producer_id_filters": [], "duration_filter": -1, "transactional_id_pattern": None}
    software = {"client_software_name": name, "client_software_version": "1"}
    old, new = (
        send(server, "DescribeGroups", one, edit, groups=[name], include_authorized_operations=False) for one in (4, 5)
    )
    found = send(server, "FindCoordinator", 6, edit, key_type=0, coordinator_keys=[name]).coordinators
    topics = send(server, "DescribeTopicPartitions", 0, edit, topics=[topic], **partitions).topics
    return [
        *((group.group_id, group.error_code) for group in (*old.groups, *new.groups)),
        *((one.key, one.error_code, one.node_id) for one in found),
        *((one.name, one.error_code) for one in topics),
        send(server, "ListTransactions", 2, edit, state_filters=[name], **filters).unknown_state_filters,
        send(server, "ApiVersions", 2, **software).error_code,
        send(server, "FindCoordinator", 1, edit, key_type=0, key=name).node_id,
    ]


def client_id_not_utf_8(server: str, version: int) -> Any:
    def edit(frame: bytes) -> bytes:
        """The client id is behind the header's first 8 bytes, which are behind the frame's size."""
        size, head, rest = frame[:4], frame[4:12], frame[12:]
        length = int.from_bytes(rest[:2], signed=True)
        reported = (2).to_bytes(2) + b"\xff\xed"
        changed = head + reported + rest[2 + max(0, length) :]
        return len(changed).to_bytes(len(size)) + changed

    said = send(server, "ListGroups", version, edit, states_filter=[], types_filter=[])
    return sorted(group.group_id for group in said.groups)


ODD: dict[str, Callable[[str], Any]] = {
    **{f"Metadata v{one}, {of}": partial(topics_by_id, asked=of, version=one) for of in TOPICS_BY_ID for one in V10_ON},
    **{f"operations v{one}": partial(operations, version=one) for one in (8, 10, 12, 13)},
    **{f"page of {one}": partial(page, names=one[0], limit=one[1], cursor=one[2]) for one in PAGES},
    **{f"pattern {one}": partial(matching, pattern=one) for one in PATTERNS},
    "DescribeTransactions": described_transactions,
    "DescribeProducers": described_producers,
    **{f"OffsetFetch v{one}": partial(fetched_groups, version=one) for one in (8, 9)},
    **{f"OffsetFetch v{one}": partial(fetched_one, version=one) for one in (1, 5, 7)},
    **{api: partial(described_groups, api=api, version=one) for api, one in DESCRIBING.items()},
    "DescribeConfigs": described_configs,
    "DeleteGroups": deleted_groups,
    **{f"text {one!r}": partial(not_utf_8, text=one) for one in NOT_UTF_8},
    **{f"client id v{one}": partial(client_id_not_utf_8, version=one) for one in (2, 5)},
}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_request_is_answered_alike(real: KafkaCluster, emulated: Emulated, odd: str) -> None:
    """What is named twice is reported as often as Kafka tells it, in the order of its answer."""
    theirs, ours = answers(ODD[odd], real, emulated)
    assert ours == theirs
    assert any(theirs)
