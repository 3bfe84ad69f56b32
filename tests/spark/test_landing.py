"""Landing against stand-ins: the landed pages are the checkpoint, wherever a run stops."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from kafka.protocol.admin import (
    DescribeClusterRequest,
    DescribeLogDirsRequest,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)
from kafka.protocol.metadata import FindCoordinatorRequest, MetadataRequest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from harness.endless import endless_groups
from harness.few_tables import FEW_TABLES
from harness.responses import listed_groups
from harness.standin import Act
from harness.standin_cluster import CLUSTER_ID, TOPICS, StandInCluster, standin_cluster
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.landing.append import task_count
from kafka_census.landing.route import Node
from kafka_census.tables import tables_named
from kafka_census.tables.audit import PUBLICATIONS, ROUTES
from kafka_census.tables.levels import walks_for
from kafka_census.tables.table import Read, Table
from kafka_messages.kip_1062 import PAGINATION, ListGroupsRequest, ListGroupsResponse, OffsetFetchRequest
from spark.landing_run import EVERYTHING, QUICK, Run

BUSY = ListGroupsResponse(throttle_time_ms=0, error_code=14, groups=[])
TOO_SMALL_FOR_BOTH = 600
DENIED = ListGroupsResponse(throttle_time_ms=0, error_code=31, groups=[])


@pytest.fixture
def run(spark: SparkSession, tmp_path: Path) -> Iterator[Run]:
    with standin_cluster() as cluster:
        yield Run(spark, cluster, Lake(str(tmp_path / "lake")))


def test_a_calm_census_lands_every_walk_once(run: Run) -> None:
    run.walks = EVERYTHING
    run.ingest()
    assert run.tries("ListGroups") == [(1, 0, 0, None), (2, 0, 0, None)]
    keys = run.pages("FindCoordinator").selectExpr("inline(items)").select("key").collect()
    assert sorted(row.key for row in keys) == ["a", "b", "c"]
    topics = run.pages("DescribeTopicPartitions").selectExpr("api", "inline(items)").collect()
    assert sorted({(row.api, row.topic) for row in topics}) == [("Metadata", name) for name in sorted(TOPICS)]
    routes = store.read(run.spark, run.lake, ROUTES).collect()
    assert {row.broker_id for row in routes if row.rpc == "ListGroups"} == {1, 2}


def test_a_broker_that_only_the_census_before_knew_owes_nothing(run: Run) -> None:
    before = "20200101T000000000Z-000001"
    owed = (before, CLUSTER_ID, "ListGroups", "groups", 9, True, "h", 1, "alive")
    store.append(run.spark.createDataFrame([owed], ROUTES.schema), run.lake, ROUTES, "test/routes")
    now = run.census.started_at
    reported = (before, CLUSTER_ID, "standin", "brokers", True, [], "proven", 1, 0, now, now, now)
    store.append(
        run.spark.createDataFrame([reported], PUBLICATIONS.schema), run.lake, PUBLICATIONS, "test/publications"
    )
    run.walks = EVERYTHING
    run.ingest()
    assert run.tries("ListGroups") == [(1, 0, 0, None), (2, 0, 0, None)]
    routes = store.read(run.spark, run.lake, ROUTES).where(f"census_id = '{run.census.census_id}'")
    assert {row.broker_id for row in routes.collect()} == {1, 2, None}


def test_a_finished_census_asks_nothing_again(run: Run) -> None:
    run.ingest()
    before = {node: len(broker.asked) for node, broker in run.cluster.brokers.items()}
    run.ingest()
    assert {node: len(broker.asked) - before[node] for node, broker in run.cluster.brokers.items()} == {1: 1, 2: 0}


def test_a_retriable_error_is_asked_again_with_the_next_try(run: Run) -> None:
    """Within the run, to the same node; the good page counts. No append conflicts with those of other clusters."""
    run.cluster.override[2, ListGroupsRequest] = lambda _request, n: BUSY if n < 2 else None
    run.ingest()
    assert run.tries("ListGroups") == [
        (1, 0, 0, None),
        (2, 0, 0, "COORDINATOR_LOAD_IN_PROGRESS"),
        (2, 1, 1, None),
    ]
    history = run.spark.sql(f"DESCRIBE HISTORY {run.lake.name('landing', 'pages')}").where("operation = 'WRITE'")
    assert [row.isBlindAppend for row in history.collect()] == [True, True]


def test_an_error_that_stays_is_asked_again_when_the_census_goes_on(run: Run) -> None:
    """max_tries limits a run, not the census; good pages are not requested again."""
    run.cluster.override[2, ListGroupsRequest] = lambda _request, _n: BUSY
    run.ingest()
    assert [row[1] for row in run.tries("ListGroups") if row[0] == 2] == [0, 1]
    asked = len(run.cluster.brokers[1].of(ListGroupsRequest))
    run.cluster.override.clear()
    run.ingest()
    assert run.tries("ListGroups")[-1] == (2, 2, 2, None)
    assert len(run.cluster.brokers[1].of(ListGroupsRequest)) == asked


def test_a_refusal_stays(run: Run) -> None:
    run.cluster.override[2, ListGroupsRequest] = lambda _request, _n: DENIED
    run.ingest()
    run.cluster.override.clear()
    run.ingest()
    assert [row for row in run.tries("ListGroups") if row[0] == 2] == [(2, 0, 0, "CLUSTER_AUTHORIZATION_FAILED")]


def test_any_broker_may_answer_and_after_a_failure_another_is_asked(run: Run) -> None:
    run.walks = ("DescribeCluster", "ListPartitionReassignments")
    run.cluster.override[1, ListPartitionReassignmentsRequest] = lambda _request, _n: Act(drop=True)
    run.ingest()
    pages = run.pages("ListPartitionReassignments").orderBy("try_no").collect()
    assert [(page.error, page.node_id) for page in pages if page.error is None] == [(None, 2)] * 2  # in two scopes


def test_groups_that_a_later_try_lists_are_asked_for_too(run: Run) -> None:
    run.walks = KEYED
    run.cluster.override[1, ListGroupsRequest] = lambda _request, _n: BUSY
    run.ingest()
    assert run.cluster.asked(FindCoordinatorRequest) == 0
    run.cluster.override.clear()
    run.ingest()
    keys = run.pages("FindCoordinator").selectExpr("inline(items)").select("key").collect()
    assert sorted(row.key for row in keys) == ["a", "b", "c"]


def test_a_chain_longer_than_a_wave_goes_on_from_its_cursor(run: Run) -> None:
    run.walks = KEYED
    run.collect = replace(QUICK, pages_per_wave=1, keys_per_request=3)

    def too_slow(request: Any, _n: int) -> Any:
        return Act(silent=True) if len(request.coordinator_keys) > 1 else None

    run.cluster.override.update({(node, FindCoordinatorRequest): too_slow for node in (1, 2)})
    run.collect = replace(run.collect, request_timeout_ms=200)
    run.ingest()
    for chain in run.pages("FindCoordinator").select("chain_id").distinct().collect():
        pages = run.pages("FindCoordinator").where(f"chain_id = '{chain.chain_id}'").orderBy("page_no").collect()
        assert [page.request_cursor for page in pages] == [None, *(page.next_cursor for page in pages[:-1])]
        assert [page.wave for page in pages] == list(range(pages[0].wave, pages[0].wave + len(pages)))
        assert pages[-1].next_cursor is None


def test_find_coordinator_is_never_asked_when_its_topic_was_not_seen(run: Run) -> None:
    """The request would create it; the page says why it was not sent."""
    run.walks = KEYED

    def without_offsets(request: Any, _n: int) -> Any:
        return None if request.topics is not None else _only_orders(run.cluster)

    run.cluster.override.update({(node, MetadataRequest): without_offsets for node in (1, 2)})
    run.ingest()
    assert run.cluster.asked(FindCoordinatorRequest) == 0
    (page,) = run.pages("FindCoordinator").collect()
    assert (page.error, page.item_count) == ("NOT_ASKED", 0)
    assert "__consumer_offsets" in page.error_message


def _only_orders(cluster: StandInCluster) -> Any:
    from kafka.protocol.metadata import MetadataRequest as Request

    from harness import standin_cluster as calm

    names = [Request.MetadataRequestTopic(name="orders")]
    return calm._metadata(cluster, Request(topics=names))


def test_a_broker_that_only_replica_lists_name_owes_its_pages(run: Run) -> None:
    run.walks = ("DescribeCluster", "Metadata", "DescribeTopicPartitions", "ListGroups", "DescribeLogDirs")

    def three_replicas(request: Any, _n: int) -> Any:
        from harness import standin_cluster as calm

        answer = calm._metadata(run.cluster, request)
        for topic in answer.topics:
            for partition in topic.partitions:
                partition.replica_nodes = [1, 2, 9]
        return answer

    run.cluster.override.update({(node, MetadataRequest): three_replicas for node in (1, 2)})
    run.ingest()
    for rpc in ("ListGroups", "DescribeLogDirs"):
        pages = run.pages(rpc).where("node_id = 9").collect()
        assert [(page.error, page.attempts) for page in pages] == [("BROKER_NOT_ALIVE", 0)]
        assert "in a replica list" in pages[0].error_message


def test_pages_of_a_whole_answer_are_landed_in_parts(run: Run) -> None:
    run.collect = replace(QUICK, page_limit=2)
    run.ingest()
    pages = run.pages("ListGroups").where("node_id = 1").orderBy("part_no").collect()
    assert [(page.part_no, page.parts, page.item_count) for page in pages] == [(0, 2, 2), (1, 2, 1)]


def test_an_answer_that_is_too_large_is_asked_for_in_windows(run: Run) -> None:
    part = ListPartitionReassignmentsResponse.OngoingTopicReassignment.OngoingPartitionReassignment
    moving = [part(partition_index=0, replicas=list(range(100)), adding_replicas=[], removing_replicas=[])]

    def answer(request: Any, _n: int) -> Any:
        names = TOPICS if request.topics is None else [topic.name for topic in request.topics]
        topics = [
            ListPartitionReassignmentsResponse.OngoingTopicReassignment(name=name, partitions=moving) for name in names
        ]
        return ListPartitionReassignmentsResponse(throttle_time_ms=0, error_code=0, error_message=None, topics=topics)

    for node in (1, 2):
        run.cluster.override[node, ListPartitionReassignmentsRequest] = answer
    run.walks = ("DescribeCluster", "Metadata", "ListPartitionReassignments")
    run.ingest()
    assert run.tries("ListPartitionReassignments") == [(1, 0, 0, None)] * 2  # of two scopes
    small = Run(run.spark, run.cluster, Lake(f"{run.lake.root}-small"), walks=run.walks)
    small.collect = replace(QUICK, receive_message_max_bytes=TOO_SMALL_FOR_BOTH)
    small.ingest()
    pages = small.pages("ListPartitionReassignments").where("scope = 'cluster'").orderBy("try_no", "page_no").collect()
    assert [(page.try_no, page.page_no, page.paging, page.error, page.item_count) for page in pages] == [
        (0, 0, "whole", "FRAME_TOO_LARGE", 0),
        (1, 0, "window", None, 1),
        (1, 1, "window", None, 1),
    ]
    assert [page.next_cursor for page in pages] == [None, '[0, "orders/2"]', None]
    assert {item.topic for page in pages for item in page["items"]} == set(TOPICS)


def test_a_topic_that_only_log_dirs_have_is_asked_for_by_name(run: Run) -> None:
    """It was created after Metadata was read, or an ACL hides it: the answer by name decides."""
    calm = run.cluster.brokers[2].scripts[DescribeLogDirsRequest]

    def with_one_more(request: Any, before: int) -> Any:
        answer = calm(request, before)
        topics = answer.results[0].topics
        names = (*TOPICS, "__cluster_metadata", "born")
        answer.results[0].topics = [type(topics[0])(name=name, partitions=topics[0].partitions) for name in names]
        return answer

    run.walks = ("DescribeCluster", "Metadata", "DescribeLogDirs")
    run.ingest()
    assert run.pages("Metadata").where("scope = 'unlisted'").isEmpty()
    run.cluster.brokers[2].scripts[DescribeLogDirsRequest] = with_one_more
    later = Run(run.spark, run.cluster, Lake(f"{run.lake.root}-later"), walks=run.walks)
    later.ingest()
    pages = later.pages("Metadata").where("scope = 'unlisted'").collect()
    assert [(page.paging, page.error, [each.topic for each in page["items"]]) for page in pages] == [
        ("window", None, ["born"])
    ]


PLACED = ("DescribeCluster", "Metadata", "ListGroups", "FindCoordinator", "OffsetFetch")


def asked_groups(run: Run) -> dict[int, list[str]]:
    return {
        node: sorted(group.group_id for request in broker.of(OffsetFetchRequest) for group in request.groups)
        for node, broker in run.cluster.brokers.items()
    }


def offsets(run: Run) -> list[tuple[Any, ...]]:
    """(node, try, group, error, offset) of every landed offset."""
    rows = run.pages("OffsetFetch").selectExpr("node_id AS node", "try_no", "inline(items)").collect()
    return sorted((row.node, row.try_no, row.group_id, row.error_code, row.committed_offset) for row in rows)


def test_keys_are_asked_of_the_broker_where_they_are(run: Run) -> None:
    run.cluster.coordinator["b"] = 2
    run.walks = PLACED
    run.ingest()
    assert asked_groups(run) == {1: ["a", "c"], 2: ["b"]}
    assert offsets(run) == [(1, 0, "a", 0, 7), (1, 0, "c", 0, 7), (2, 0, "b", 0, 7)]
    run.ingest()
    assert asked_groups(run) == {1: ["a", "c"], 2: ["b"]}


def test_a_key_that_has_no_place_is_asked_for_all_the_same(run: Run) -> None:
    run.cluster.coordinator["b"] = None
    run.walks = PLACED
    run.ingest()
    (lost,) = [row for row in offsets(run) if row[2] == "b"]
    assert lost[3:] == (16, None)
    assert sorted(row[2] for row in offsets(run)) == ["a", "b", "c"]


def test_keys_that_have_a_place_are_asked_there_again_after_a_failure(run: Run) -> None:
    """With the next try, since no other broker could answer."""
    run.cluster.coordinator["b"] = 2
    run.cluster.override[2, OffsetFetchRequest] = lambda _request, n: Act(drop=True) if n < 2 else None
    run.walks = PLACED
    run.ingest()
    assert run.tries("OffsetFetch") == [(1, 0, 2, None), (2, 0, 2, "CONNECTION_FAILED"), (2, 1, 3, None)]
    assert (2, 1, "b", 0, 7) in offsets(run)


def test_a_walk_that_goes_round_ends_in_an_error_however_many_waves_a_round_takes(run: Run) -> None:
    """A broker's last page leads back to the first: the landed cursors show the loop, and requests end."""
    ids = ("a", "b", "c", "d", "e")

    def round_and_round(request: Any, _n: int) -> Any:
        here = request.cursor.group_id if request.cursor else "a"
        follows = ids[(ids.index(here) + 1) % len(ids)]
        return listed_groups(here, next_cursor=ListGroupsResponse.Cursor(group_id=follows))

    run.cluster.brokers[1].features[PAGINATION] = 1
    run.cluster.override[1, ListGroupsRequest] = round_and_round
    run.collect = replace(QUICK, pages_per_wave=2)
    run.ingest()
    pages = run.pages("ListGroups").where("node_id = 1").orderBy("page_no").collect()
    assert [page.error for page in pages if page.error] == ["CURSOR_REPEATED"]
    assert pages[-1].error == "CURSOR_REPEATED"
    assert len(pages) <= 2 * len(ids)


def test_a_walk_that_never_ends_ends_in_an_error_across_waves_and_runs(run: Run) -> None:
    """Broker 1 sends empty pages for ever, broker 2 full ones: the landed pages tell how far each walk has come."""
    for node, items in ((1, False), (2, True)):
        run.cluster.brokers[node].features[PAGINATION] = 1
        run.cluster.override[node, ListGroupsRequest] = endless_groups(items=items)
    run.collect = replace(QUICK, pages_per_wave=2, max_empty_pages=5, max_waves=3)
    run.ingest()
    asked = run.cluster.asked(ListGroupsRequest)
    run.ingest()
    assert run.cluster.asked(ListGroupsRequest) == asked
    pages = run.pages("ListGroups").orderBy("node_id", "page_no").collect()
    assert [(page.node_id, page.error) for page in pages] == [
        *[(1, None)] * 4,
        (1, "ENDLESS_WALK"),
        *[(2, None)] * 6,
        (2, "ENDLESS_WALK"),
    ]


def test_a_broker_that_is_named_twice_is_asked_once(run: Run) -> None:
    def twice(request: Any, n: int) -> Any:
        answer = calm(request, n)
        answer.brokers += answer.brokers
        return answer

    calm = run.cluster.brokers[1].scripts[DescribeClusterRequest]
    for broker in run.cluster.brokers.values():
        broker.scripts[DescribeClusterRequest] = twice
    run.ingest()
    assert run.tries("ListGroups") == [(1, 0, 0, None), (2, 0, 0, None)]
    assert run.pages("DescribeCluster").selectExpr("inline(items)").count() == 2


class Crash(BaseException):
    """Stands for kill -9 at one point in one JVM."""


KEYED = ("DescribeCluster", "Metadata", "ListGroups", "FindCoordinator")

STEPS = [
    pytest.param("kafka_census.landing.append.store.append", False, id="before the append"),
    pytest.param("kafka_census.pages.read.Part.headers", False, id="before the headers"),
    pytest.param("kafka_census.landing.ingest.Ingest._read_back", True, id="around reading back"),
    pytest.param("kafka_census.landing.route.write", False, id="before the route"),
]


@pytest.mark.parametrize(("where", "goes_on"), STEPS)
def test_a_crash_between_any_two_steps_changes_nothing_in_the_end(run: Run, where: str, *, goes_on: bool) -> None:
    """Crashed before each step in turn, then resumed: each page is there once, no answered request is sent again.

    Unless it `goes_on`, the first run is of a new census, whose pages stay in memory and are written beside planning.
    """
    run.walks, run.at_once = KEYED, 2
    target, name = where.rsplit(".", 1)
    holder = _resolve(target)
    original: Callable[..., Any] = getattr(holder, name)
    crashes = 0
    for after in (1, 2, 4):
        count = 0

        def crash(*args: Any, after: int = after, **kwargs: Any) -> Any:
            nonlocal count
            count += 1
            if count == after:
                raise Crash
            return original(*args, **kwargs)

        with patch.object(holder, name, crash):
            try:
                run.ingest(goes_on=goes_on or crashes > 0)
            except Crash:
                crashes += 1
    run.ingest()
    assert crashes > 0
    for rpc in KEYED:
        pages = run.pages(rpc).groupBy("chain_id", "page_no", "part_no").count()
        assert pages.where("count <> 1").isEmpty(), rpc
    keys = run.pages("FindCoordinator").selectExpr("inline(items)").select("key").collect()
    assert sorted(row.key for row in keys) == ["a", "b", "c"]
    assert len(run.cluster.brokers[2].of(ListGroupsRequest)) <= 1 + crashes


def _resolve(path: str) -> Any:
    import importlib

    parts = path.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return found
    raise AssertionError(path)


def test_an_append_that_is_repeated_changes_nothing(run: Run) -> None:
    """Its txnAppId is the census and the wave, unless the census is a new one."""
    run.ingest(goes_on=True)
    log = Path(run.lake.path("landing", "pages"), "_delta_log", "00000000000000000000.json").read_text()
    assert re.search(rf'"appId":"{run.census.census_id}/pages/0"', log)


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        (
            ("reassignment_backlog",),
            {"ListGroups", "FindCoordinator", "ListTransactions", "DescribeTransactions", "DescribeAcls"},
        ),
        (("under_min_isr_partitions",), {"FindCoordinator"}),
    ],
)
def test_tables_that_are_not_wanted_prune_their_rpcs(tables: tuple[str, ...], expected: set[str]) -> None:
    walks = {walk.rpc for walk in walks_for(tables_named(tables))}
    everything = {walk.rpc for walk in walks_for(FEW_TABLES)}
    assert everything - walks == expected


@pytest.mark.parametrize(
    ("read", "needed"),
    [
        # Groups, the internal topic of their coordinators, and the coordinators.
        (
            Read("OffsetFetch", "groups"),
            {("ListGroups", "groups"), ("Metadata", "names"), ("FindCoordinator", "groups")},
        ),
        (
            Read("DescribeTransactions", "transactional_ids"),
            {
                ("ListTransactions", "transactions"),
                ("Metadata", "names"),
                ("FindCoordinator", "transactional_ids"),
            },
        ),
        (Read("ListOffsets", "latest"), {("Metadata", "names"), ("DescribeTopicPartitions", "topics")}),
    ],
    ids=lambda one: one.rpc if isinstance(one, Read) else "",
)
def test_a_walk_of_keys_brings_the_walks_that_list_and_place_them(read: Read, needed: set[tuple[str, str]]) -> None:
    """Without them no broker could be asked, or the broker that is asked would not have the answer."""
    table = Table("only", "published", "A table that reads one walk.", StructType([]), key=(), reads=(read,))
    walks = [(walk.rpc, walk.scope) for walk in walks_for((table,))]
    assert needed | {(read.rpc, read.scope)} <= set(walks)
    assert max(map(walks.index, needed)) < walks.index((read.rpc, read.scope))


def test_no_broker_waits_for_a_core(spark: SparkSession) -> None:
    """As many tasks as cores, each of which asks its brokers at the same time; a task is never without a broker."""
    nodes = [Node(number, None, "alive") for number in range(100)]
    assert task_count(spark, nodes, QUICK) == spark.sparkContext.defaultParallelism
    assert task_count(spark, nodes[:1], QUICK) == 1
    assert task_count(spark, nodes, replace(QUICK, tasks=7)) == 7
