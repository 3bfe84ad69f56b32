"""DescribeConfigs: whose configs, at which version, with which codes, and page by page."""

from typing import Any

import pytest

from emulator.asking import ask, cluster, serving, walk
from kafka_census.protocol.settings import CollectSettings
from kafka_emulator.config_keys import PAGINATION_LIMIT, PARTITION_LIMIT
from kafka_messages.kip_1062 import DescribeConfigsRequest, paged

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
TOPICS: dict[str, Any] = {
    "partitions": 30,
    "declared": [{"name": "own", "configs": {"min.insync.replicas": "2", "retention.ms": "5"}}],
}
ALICE = {"authorizer": True, "super_users": []}


def request(*resources: tuple[int, str], keys: Any = None, flags: bool = False, **fields: Any) -> Any:
    """A request for resources of (type, name), all with the same keys."""
    resource = DescribeConfigsRequest.DescribeConfigsResource
    asked = [resource(resource_type=kind, resource_name=name, configuration_keys=keys) for kind, name in resources]
    flagged = {"include_synonyms": flags, "include_documentation": flags}
    return DescribeConfigsRequest(resources=asked, **flagged, **fields)


def page(*resources: tuple[int, str], limit: int, cursor: tuple[Any, ...] | None = None) -> Any:
    """A request for a page."""
    return request(*resources, **paged(DescribeConfigsRequest, limit, cursor))


def reported(response: Any) -> list[tuple[int, int, str]]:
    """Code, type and name of each resource."""
    return [(one.error_code, one.resource_type, one.resource_name) for one in response.results]


def values(response: Any) -> dict[str, str | None]:
    """The configs of the only resource."""
    (result,) = response.results
    assert result.error_code == 0
    return {one.name: one.value for one in result.configs}


@pytest.mark.parametrize(("kafka", "versions"), [("2.8", range(5)), ("3.9", range(5)), ("4.3", range(1, 6))])
def test_every_version_tells_the_same_of_a_topic(kafka: str, versions: range) -> None:
    """What is set on it is its own; a version that is not offered ends the connection."""
    server = cluster(as_version=kafka, kip_1062=kafka == "4.3", topics=TOPICS)
    expected = {"min.insync.replicas": "2", "retention.ms": "5", "cleanup.policy": "delete"}
    for version in versions:
        response = ask(server, request((TOPIC, "own"), keys=list(expected)), version)
        assert values(response) == expected
        sources = {one.name: one.config_source for one in response.results[0].configs} if version else {}
        assert not sources or (sources["retention.ms"], sources["cleanup.policy"]) == (1, 5)
    defaults = (
        {one.name: one.is_default for one in ask(server, request((TOPIC, "own")), 0).results[0].configs}
        if (0 in versions)
        else {"retention.ms": False, "cleanup.policy": True}
    )
    assert (defaults["retention.ms"], defaults["cleanup.policy"]) == (False, True)


def test_all_keys_are_reported_without_keys() -> None:
    """Null and none are the same; keys that do not exist are left out."""
    server = cluster(topics=TOPICS)
    every = values(ask(server, request((TOPIC, "own")), 4))
    assert len(every) == 33
    assert values(ask(server, request((TOPIC, "own"), keys=[]), 4)) == every
    assert values(ask(server, request((TOPIC, "own"), keys=["no.such.key"]), 4)) == {}


def test_synonyms_and_documentation_come_when_asked_for() -> None:
    """The one in use is first; documentation and types came with version 3."""
    server = cluster(topics=TOPICS, brokers={"dynamic_configs": {"min.insync.replicas": "3"}})
    for version in (1, 2, 3, 4, 5):
        (one,) = (
            ask(server, request((TOPIC, "own"), keys=["min.insync.replicas"], flags=True), version).results[0].configs
        )
        assert [(s.value, s.source) for s in one.synonyms] == [("2", 1), ("3", 3), ("1", 5)]
        assert version < 3 or (one.config_type, bool(one.documentation)) == (3, True)
        (one,) = ask(server, request((TOPIC, "own"), keys=["min.insync.replicas"]), version).results[0].configs
        assert (one.synonyms, one.config_source) == ([], 1)
        assert version < 3 or one.documentation is None


def test_what_a_topic_does_not_set_is_the_value_of_the_broker_that_is_asked() -> None:
    """Brokers may differ."""
    server = cluster(topics=TOPICS, brokers={"configs_of": {2: {"log.retention.ms": "77"}}})
    name = server.world.topics.names[0]
    asked = [values(ask(server, request((TOPIC, name), keys=["retention.ms"]), 4, broker)) for broker in (1, 2)]
    assert asked == [{"retention.ms": "604800000"}, {"retention.ms": "77"}]


def test_a_broker_tells_of_itself_and_of_the_dynamic_defaults() -> None:
    """Another id, no number and no id for loggers are 42."""
    server = cluster(
        brokers={"dynamic_configs": {"min.insync.replicas": "2"}, "configs_of": {2: {"num.io.threads": "9"}}}
    )
    assert values(ask(server, request((BROKER, "2")), 4, 2))["num.io.threads"] == "9"
    assert values(ask(server, request((BROKER, "")), 4, 2)) == {"min.insync.replicas": "2"}
    assert "root" in values(ask(server, request((LOGGER, "2")), 4, 2))
    others = request((BROKER, "1"), (BROKER, "one"), (LOGGER, "1"), (LOGGER, ""))
    response = ask(server, others, 4, 2)
    assert [one.error_code for one in response.results] == [42] * 4
    assert response.results[0].error_message == "Unexpected broker id, expected 2 or empty string, but received 1"


@pytest.mark.parametrize(
    ("kafka", "configs", "expected"),
    [
        ("4.3", {}, {PAGINATION_LIMIT: "2000", PARTITION_LIMIT: "2000"}),
        ("4.3", {PAGINATION_LIMIT: "70"}, {PAGINATION_LIMIT: "70", PARTITION_LIMIT: "70"}),
        ("4.3", {PAGINATION_LIMIT: "70", PARTITION_LIMIT: "9"}, {PAGINATION_LIMIT: "70", PARTITION_LIMIT: "9"}),
        ("3.9", {PARTITION_LIMIT: "9"}, {PARTITION_LIMIT: "9"}),
        ("2.8", {}, {}),
    ],
)
def test_both_limits_can_be_read(kafka: str, configs: dict[str, str], expected: dict[str, str]) -> None:
    """DescribeTopicPartitions' falls back to KIP-1062's, which only brokers that page have."""
    server = cluster(as_version=kafka, kip_1062=kafka == "4.3", brokers={"configs": configs})
    assert values(ask(server, request((BROKER, "1"), keys=[PAGINATION_LIMIT, PARTITION_LIMIT]), 4)) == expected


def test_a_password_is_never_reported() -> None:
    """Not among the synonyms either."""
    server = cluster(brokers={"configs": {"ssl.keystore.password": "secret"}})
    (one,) = ask(server, request((BROKER, "1"), keys=["ssl.keystore.password"], flags=True), 4).results[0].configs
    assert (one.is_sensitive, one.value, {s.value for s in one.synonyms}) == (True, None, {None})


def test_groups_and_client_metrics_have_defaults_whatever_their_name() -> None:
    """But no name is none."""
    server = cluster()
    assert values(ask(server, request((GROUP, "nobody")), 4))["consumer.session.timeout.ms"] == "45000"
    assert values(ask(server, request((METRICS, "nobody")), 4)) == {"interval.ms": "300000", "match": "", "metrics": ""}
    assert reported(ask(server, request((GROUP, ""), (METRICS, "")), 4)) == [(42, GROUP, ""), (42, METRICS, "")]


@pytest.mark.parametrize(("kafka", "kind"), [("4.3", 3), ("4.3", 0), ("2.8", METRICS), ("2.8", GROUP)])
def test_one_unknown_type_fails_all(kafka: str, kind: int) -> None:
    """With 42, and no config is returned."""
    server = cluster(as_version=kafka, kip_1062=False, topics=TOPICS)
    response = ask(server, request((TOPIC, "own"), (kind, "x")), 4)
    assert reported(response) == [(42, TOPIC, "own"), (42, kind, "x")]


def test_errors_of_topics() -> None:
    """An unknown topic is 3, an impossible name 17; a resource that is asked for twice is answered twice."""
    response = ask(cluster(topics=TOPICS), request((TOPIC, "gone"), (TOPIC, "a b"), (TOPIC, "own"), (TOPIC, "own")), 4)
    assert reported(response) == [(3, TOPIC, "gone"), (17, TOPIC, "a b"), (0, TOPIC, "own"), (0, TOPIC, "own")]
    assert ask(cluster(), request(), 4).results == []


def test_what_is_denied_comes_last_with_the_code_of_its_type() -> None:
    """29, 30 and 31; a denied topic is not said to be unknown. ALTER_CONFIGS allows it too."""
    acls = [
        {"operation": "ALTER_CONFIGS", "resource_type": "TOPIC", "resource_name": "own"},
        {"operation": "DESCRIBE", "resource_type": "TOPIC", "resource_name": "*"},
    ]
    server = cluster(topics=TOPICS, security={**ALICE, "acls": acls})
    asked = request((TOPIC, "gone"), (GROUP, "g"), (BROKER, ""), (METRICS, "m"), (LOGGER, "1"), (TOPIC, "own"))
    denied = [(29, TOPIC, "gone"), (30, GROUP, "g"), (31, BROKER, ""), (31, METRICS, "m"), (31, LOGGER, "1")]
    assert reported(ask(server, asked, 4)) == [(0, TOPIC, "own"), *denied]


ASKED = (
    (TOPIC, "own"),
    (GROUP, "own"),
    (TOPIC, "gone"),
    (BROKER, "1"),
    (BROKER, "2"),
    (TOPIC, "own"),
    (TOPIC, "\U0001f600"),
    *((TOPIC, f"topic-{number:05d}") for number in range(4)),
)


@pytest.mark.parametrize("limit", [-1, 1, 2, 3, 5, 100])
def test_pages_of_any_limit_are_the_whole_answer(limit: int) -> None:
    """By name, then type, each once; a code counts too. The last page has no cursor."""
    server = cluster(topics=TOPICS)
    once = list(dict.fromkeys(ASKED))
    whole = {(one.resource_name, one.resource_type): one for one in ask(server, request(*once), 4).results}
    got, cursor = [], None
    while True:
        response = ask(server, page(*ASKED, limit=limit, cursor=cursor), 5)
        got += response.results
        assert len(response.results) <= max(1, limit)
        if response.next_cursor is None:
            break
        cursor = response.next_cursor.resource_name, response.next_cursor.resource_type
    assert [(one.resource_name, one.resource_type) for one in got] == sorted(
        whole, key=lambda one: (one[0].encode("utf-16-be"), one[1])
    )
    for one in got:
        known = whole[one.resource_name, one.resource_type]
        assert (one.error_code, len(one.configs)) == (known.error_code, len(known.configs))


def test_the_limit_of_the_broker_holds() -> None:
    """A client that asks for more still gets pages."""
    server = cluster(topics=TOPICS, brokers={"configs": {PAGINATION_LIMIT: "2"}})
    response = ask(server, page(*((TOPIC, f"topic-{number:05d}") for number in range(4)), limit=2000), 5)
    assert (len(response.results), response.next_cursor.resource_name) == (2, "topic-00002")


def test_a_cursor_that_is_not_in_the_list_is_a_position_like_any_other() -> None:
    """The page begins at the next name."""
    server = cluster(topics=TOPICS)
    names = [(TOPIC, f"topic-{number:05d}") for number in range(3)]
    response = ask(server, page(*names, limit=10, cursor=("topic-00000", BROKER)), 5)
    assert reported(response) == [(0, *one) for one in names[1:]]
    assert ask(server, page(*names, limit=10, cursor=("z", TOPIC)), 5).results == []


def test_a_cursor_of_an_unknown_type_is_refused_on_every_resource() -> None:
    """There is no code at the top."""
    response = ask(cluster(topics=TOPICS), page((TOPIC, "own"), (TOPIC, "gone"), limit=10, cursor=("own", 3)), 5)
    assert reported(response) == [(42, TOPIC, "own"), (42, TOPIC, "gone")]
    assert response.next_cursor is None


@pytest.mark.parametrize("scope", ["topics", "brokers"])
def test_our_client_reads_the_same_by_cursor_and_by_window(scope: str) -> None:
    """Of topics that are there or not, and of a broker: one that pages has a config of its own for that."""
    topics = (*(f"topic-{number:05d}" for number in range(5)), "own", "gone")
    keys = topics if scope == "topics" else ("1",)
    read = []
    for kip_1062 in (True, False):
        with serving(cluster(topics=TOPICS, kip_1062=kip_1062)) as server:
            pages = walk(server, "DescribeConfigs", scope, keys=keys, collect=CollectSettings(page_limit=2))
        assert {one.error_code for one in pages} == {0}
        assert {one.paging for one in pages} == {"cursor" if kip_1062 else "window"}
        assert kip_1062 is False or scope == "brokers" or len(pages) == 4
        rows = [row for one in pages for row in one.rows]
        assert (PAGINATION_LIMIT in {row[4] for row in rows}) == (kip_1062 and scope == "brokers")
        read.append(sorted((row for row in rows if row[4] != PAGINATION_LIMIT), key=str))
    assert read[0] == read[1]
    assert {row[1] for row in read[0]} == set(keys)
