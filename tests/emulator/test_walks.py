"""Our own client walks an emulated cluster: by cursor, by window and whole it is the same cluster."""

from collections.abc import Iterator
from typing import Any

import pytest

from emulator.asking import cluster, serving, walk
from kafka_census.paging.page import Page
from kafka_census.protocol.settings import CollectSettings
from kafka_emulator.server import Server

SECTIONS: dict[str, Any] = {
    "seed": 7,
    "brokers": {"count": 3, "racks": 2},
    "groups": {
        "count": 300,
        "declared": [{"id": name} for name in ("polygenelubricants", "é", "\U0001f600", "\uffee")],
    },
    "topics": {
        "partitions": 100,
        "partitions_per_topic": 7,
        "declared": [{"name": "orders", "partitions": 30, "replication_factor": 3}, {"name": "A"}, {"name": "a.b"}],
    },
}


def rows(pages: list[Page]) -> list[Any]:
    """The rows of a walk that ended well."""
    assert [page.error_code for page in pages] == [0] * len(pages)
    assert pages[-1].next_cursor is None
    return [row for page in pages for row in page.rows]


@pytest.fixture(scope="module")
def paging() -> Iterator[Server]:
    """Brokers that page."""
    with serving(cluster(**SECTIONS)) as server:
        yield server
        assert server.failure is None


@pytest.fixture(scope="module")
def plain() -> Iterator[Server]:
    """The same cluster without KIP-1062."""
    with serving(cluster(kip_1062=False, **SECTIONS)) as server:
        yield server
        assert server.failure is None


@pytest.fixture(scope="module")
def old() -> Iterator[Server]:
    """The same cluster like 2.8."""
    with serving(cluster("2.8", kip_1062=False, **SECTIONS)) as server:
        yield server
        assert server.failure is None


LIMITS = [1, 7, 2000]


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("broker", [1, 2, 3])
def test_list_groups_by_cursor_and_whole(paging: Server, plain: Server, old: Server, broker: int, limit: int) -> None:
    """Before v5 there is no type, and a Kafka so old has classic groups only."""
    by_cursor = walk(
        paging, "ListGroups", "groups", broker=broker, collect=CollectSettings(page_limit=limit, pages_per_wave=1000)
    )
    assert {(page.api_version, page.paging) for page in by_cursor} == {(6, "cursor")}
    assert max(len(page.rows) for page in by_cursor) <= limit
    whole = walk(plain, "ListGroups", "groups", broker=broker)
    assert {(page.api_version, page.paging) for page in whole} == {(5, "whole")}
    assert rows(by_cursor) == rows(whole)
    without_types = rows(walk(old, "ListGroups", "groups", broker=broker))
    assert [(row[0], row[2]) for row in without_types] == [(row[0], row[2]) for row in rows(whole)]
    assert {(row[1], row[3]) for row in without_types} == {("consumer", None)}
    assert {row[3] for row in rows(whole)} == {"classic", "consumer", "share", "streams"}


@pytest.mark.parametrize("limit", LIMITS)
def test_metadata_by_cursor_and_whole(paging: Server, plain: Server, limit: int) -> None:
    """KIP-637's field apart, which only the draft has."""
    by_cursor = walk(paging, "Metadata", "names", collect=CollectSettings(page_limit=limit, pages_per_wave=1000))
    assert {(page.api_version, page.paging) for page in by_cursor} == {(15, "cursor")}
    whole = walk(plain, "Metadata", "names")
    assert {(page.api_version, page.paging) for page in whole} == {(13, "whole")}
    assert [row[:-1] for row in rows(by_cursor)] == [row[:-1] for row in rows(whole)]
    assert {row[-1] for row in rows(by_cursor)} == {1, 2}
    assert {row[-1] for row in rows(whole)} == {None}


@pytest.mark.parametrize("limit", LIMITS)
def test_describe_topic_partitions_by_cursor_and_by_window(
    paging: Server, plain: Server, old: Server, limit: int
) -> None:
    """2.8 answers from Metadata, without ELR."""
    keys = tuple(row[0] for row in rows(walk(plain, "Metadata", "names")))
    keys = (*keys, "gone")
    by_cursor = walk(
        paging,
        "DescribeTopicPartitions",
        "topics",
        keys=keys,
        collect=CollectSettings(page_limit=limit, pages_per_wave=1000),
    )
    assert {page.paging for page in by_cursor} == {"cursor"}
    shipped = walk(
        plain,
        "DescribeTopicPartitions",
        "topics",
        keys=keys,
        collect=CollectSettings(page_limit=limit, pages_per_wave=1000),
    )
    assert rows(by_cursor) == rows(shipped)
    window = walk(old, "DescribeTopicPartitions", "topics", keys=keys, collect=CollectSettings(keys_per_request=5))
    assert {page.paging for page in window} == {"window"}

    def without_ids(found: list[Any]) -> list[Any]:
        return sorted(row[:1] + row[2:8] + row[11:12] for row in found if not row[3])

    assert without_ids(rows(window)) == without_ids(rows(by_cursor))
    assert len(rows(by_cursor)) == 100 + 30 + 2 + 100 + 1
    assert [row[:4] for row in rows(by_cursor) if row[3]] == [("gone", None, False, 3)]


def test_find_coordinator_agrees_with_who_lists_a_group(paging: Server) -> None:
    """On every version that there is."""
    listed = {
        row[0]: broker for broker in (1, 2, 3) for row in rows(walk(paging, "ListGroups", "groups", broker=broker))
    }
    found = rows(walk(paging, "FindCoordinator", "groups", keys=tuple(listed)))
    assert {row[0]: row[3] for row in found} == listed


def test_describe_cluster_names_the_brokers(paging: Server, old: Server) -> None:
    """With their racks, the cluster id and the authorized operations."""
    for server in (paging, old):
        described = rows(walk(server, "DescribeCluster", "cluster"))
        assert [(row[0], row[3]) for row in described] == [(1, "rack-0"), (2, "rack-1"), (3, "rack-0")]
        assert {row[6] for row in described} == {sum(1 << bit for bit in (5, 7, 8, 9, 10, 11, 12))}
