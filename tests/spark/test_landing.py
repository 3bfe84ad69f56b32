"""Landing against stand-ins: the landed pages are the checkpoint, wherever a run stops."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from deltalake import DeltaTable
from kafka.protocol.admin import (
    DescribeClusterRequest,
    DescribeLogDirsRequest,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)
from kafka.protocol.metadata import FindCoordinatorRequest, MetadataRequest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from harness import standin_cluster as calm
from harness.few_tables import FEW_TABLES
from harness.responses import endless_groups
from harness.standin import Act
from harness.standin_cluster import CLUSTER_ID, TOPICS, standin_cluster
from kafka_census.declarations.audit import PUBLICATIONS, ROUTES
from kafka_census.declarations.levels import walks_for
from kafka_census.declarations.table import Read, Table
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.landing import route
from kafka_census.landing.append import task_count
from kafka_census.landing.ingest import Ingest
from kafka_census.landing.route import Node
from kafka_census.pages.read import Part
from kafka_census.tables.all_tables import tables_named
from kafka_census.terminal.progress import NullProgress
from kafka_messages.kip_1062 import PAGINATION, ListGroupsRequest, ListGroupsResponse, OffsetFetchRequest
from spark.landing_run import EVERYTHING, QUICK, Crash, Run
from spark.report_lake import append

BUSY = ListGroupsResponse(throttle_time_ms=0, error_code=14, groups=[])
DENIED = ListGroupsResponse(throttle_time_ms=0, error_code=31, groups=[])
NOT_CONTROLLER = ListPartitionReassignmentsResponse(
    throttle_time_ms=0, error_code=41, error_message="not the controller", topics=[]
)
TOO_SMALL_FOR_BOTH = 600
KEYED = ("DescribeCluster", "Metadata", "ListGroups", "FindCoordinator")


@pytest.fixture
def run(spark: SparkSession, tmp_path: Path) -> Iterator[Run]:
    with standin_cluster() as cluster:
        yield Run(spark, cluster, Lake(str(tmp_path / "lake")))


def test_a_calm_census_lands_every_walk_once_and_asks_nothing_again(run: Run) -> None:
    """A broker that only the published census before names, and now no answer and no replica list, is on no route."""
    before = {"census_id": "20200101T000000000Z-000001", "cluster_id": CLUSTER_ID}
    owed = {"rpc": "ListGroups", "scope": "groups", "broker_id": 9, "alive": True, "host": "h", "port": 1}
    append(run.lake, ROUTES, [before | owed])
    published = {"cluster": "standin", "table_name": "brokers", "is_complete": True, "row_count": 1}
    append(run.lake, PUBLICATIONS, [before | published | {"published_at": run.census.started_at}])
    run.walks = EVERYTHING
    took: list[float] = []
    with patch.object(NullProgress, "__call__", lambda *_, **of: took.append(of.get("seconds", 0))):
        run.ingest()
    assert all(0 <= seconds < 600 for seconds in took)
    assert any(took)
    asked = {node: len(broker.asked) for node, broker in run.cluster.brokers.items()}
    run.ingest()
    of_bootstrap = {node: len(broker.asked) - asked[node] for node, broker in run.cluster.brokers.items()}
    assert of_bootstrap == {1: 1, 2: 0}
    assert run.tries("ListGroups") == [(1, 0, None), (2, 0, None)]
    assert run.items("FindCoordinator", "key") == ["a", "b", "c"]
    assert set(run.items("DescribeTopicPartitions", "topic")) == set(TOPICS)
    assert {page["api"] for page in run.pages("DescribeTopicPartitions")} == {"Metadata"}
    assert [page for page in run.pages("Metadata") if page["scope"] == "unlisted"] == []
    routes = DeltaTable(run.lake.path("audit", ROUTES.name)).to_pyarrow_table().to_pylist()
    routed = {(row["rpc"], row["broker_id"]) for row in routes if row["census_id"] == run.census.census_id}
    assert {broker for _, broker in routed} == {1, 2, None}
    assert {broker for rpc, broker in routed if rpc == "ListGroups"} == {1, 2}


def test_in_zookeeper_mode_the_controller_is_asked_also_when_it_moved_and_no_request_creates_a_topic(run: Run) -> None:
    """The controller is broker 2, and broker 1 after the first request for reassignments, which only it has.

    There is no `__consumer_offsets` yet: FindCoordinator would create it, and the page says why it was not sent.
    """
    controller = [2]

    def described(_request: Any, _n: int) -> Any:
        answer = run.cluster.described()
        (answer.controller_id,) = controller
        return answer

    def moved(_request: Any, _n: int) -> Any:
        controller[:] = [1]
        return NOT_CONTROLLER

    def without_offsets(request: Any, _n: int) -> Any:
        names = [MetadataRequest.MetadataRequestTopic(name="orders")]
        return None if request.topics is not None else calm._metadata(run.cluster, MetadataRequest(topics=names))

    for node in (1, 2):
        run.cluster.override[node, DescribeClusterRequest] = described
        run.cluster.override[node, MetadataRequest] = without_offsets
    run.cluster.override[2, ListPartitionReassignmentsRequest] = moved
    run.walks = (*KEYED, "ListPartitionReassignments", "DescribeTopicPartitions")
    run.ingest()
    pages = run.pages("ListPartitionReassignments")
    asked = [(page["scope"], page["node_id"], page["error"]) for page in pages]
    assert (asked[0], asked[-1]) == (("before", 2, "NOT_CONTROLLER"), ("cluster", 1, None))
    assert run.cluster.brokers[2].of(ListPartitionReassignmentsRequest) != []
    assert run.cluster.asked(FindCoordinatorRequest) == 0
    (page,) = run.pages("FindCoordinator")
    assert (page["error"], page["item_count"]) == ("NOT_ASKED", 0)
    assert "__consumer_offsets" in page["error_message"]


def test_an_answer_that_is_too_large_is_asked_for_in_windows(run: Run) -> None:
    """The same chain again, by topics; its pages are contiguous, and no request asks for more than fits."""
    moving = ListPartitionReassignmentsResponse.OngoingTopicReassignment
    part = moving.OngoingPartitionReassignment
    parts = [part(partition_index=0, replicas=list(range(100)), adding_replicas=[], removing_replicas=[])]

    def answer(request: Any, _n: int) -> Any:
        names = TOPICS if request.topics is None else [topic.name for topic in request.topics]
        topics = [moving(name=name, partitions=parts) for name in names]
        return ListPartitionReassignmentsResponse(throttle_time_ms=0, error_code=0, error_message=None, topics=topics)

    run.cluster.override.update({(node, ListPartitionReassignmentsRequest): answer for node in (1, 2)})
    run.walks = ("DescribeCluster", "Metadata", "ListPartitionReassignments")
    run.collect = replace(QUICK, receive_message_max_bytes=TOO_SMALL_FOR_BOTH)
    run.ingest()
    pages = [page for page in run.pages("ListPartitionReassignments") if page["scope"] == "cluster"]
    columns = ("try_no", "page_no", "paging", "error", "item_count")
    assert [tuple(page[name] for name in columns) for page in pages] == [
        (0, 0, "whole", "FRAME_TOO_LARGE", 0),
        (1, 0, "window", None, 1),
        (1, 1, "window", None, 1),
    ]
    assert [page["next_cursor"] for page in pages] == [None, '[0, "orders/2"]', None]
    assert {item["topic"] for page in pages for item in page["items"] or ()} == set(TOPICS)


@pytest.fixture(scope="module")
def troubled(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A census landed in two runs, of brokers that are busy, close connections, and know more than they listed.

    The coordinator of group `b` is broker 2, and closes the connection twice; `c` has none. During the first run
    broker 1 is busy, so that no groups are listed, and broker 2 refuses.
    """

    def with_one_more(_request: Any, _n: int) -> Any:
        answer = calm._log_dirs()
        topics = answer.results[0].topics
        names = (*TOPICS, "__cluster_metadata", "born")
        answer.results[0].topics = [type(topics[0])(name=name, partitions=topics[0].partitions) for name in names]
        return answer

    drops = iter((True, True))

    def fails(request: Any, _n: int) -> Any:
        return Act(drop=True) if "b" in {group.group_id for group in request.groups} and next(drops, False) else None

    with standin_cluster() as cluster:
        run = Run(spark, cluster, Lake(str(tmp_path_factory.mktemp("troubled") / "lake")))
        cluster.coordinator.update(b=2, c=None)
        cluster.override[1, ListGroupsRequest] = lambda _request, _n: BUSY
        cluster.override[2, ListGroupsRequest] = lambda _request, _n: DENIED
        cluster.override[1, ListPartitionReassignmentsRequest] = lambda _request, _n: Act(drop=True)
        cluster.override[2, DescribeLogDirsRequest] = with_one_more
        cluster.override[2, OffsetFetchRequest] = fails
        run.walks = (*KEYED, "OffsetFetch", "ListPartitionReassignments", "DescribeLogDirs")
        run.ingest()
        assert cluster.asked(FindCoordinatorRequest) == 0
        for node in (1, 2):
            del cluster.override[node, ListGroupsRequest]
        run.ingest()
    return run


def test_a_retriable_error_is_asked_again_with_the_next_try(troubled: Run) -> None:
    """Within the run and by the next one: max_tries limits a run, not the census; a refusal stays.

    To the same node, or to another one where any broker may answer; the good page counts.
    """
    busy = [(1, number, "COORDINATOR_LOAD_IN_PROGRESS") for number in (0, 1)]
    assert troubled.tries("ListGroups") == [*busy, (1, 2, None), (2, 0, "CLUSTER_AUTHORIZATION_FAILED")]
    good = [node for node, _, error in troubled.tries("ListPartitionReassignments") if error is None]
    assert good == [2, 2]  # in two scopes
    # Its appends conflict with none, and those of a census that goes on are not repeated.
    blind = [commit["isBlindAppend"] for commit in troubled.delta().history() if commit["operation"] == "WRITE"]
    assert set(blind) == {True}
    assert any(app_id.startswith(f"{troubled.census.census_id}/pages/") for app_id in troubled.app_ids())
    # A topic that only log dirs have was created after Metadata was read, or an ACL hides it: it is asked for by name.
    [page] = [page for page in troubled.pages("Metadata") if page["scope"] == "unlisted"]
    assert (page["paging"], page["error"], [each["topic"] for each in page["items"]]) == ("window", None, ["born"])


def test_keys_are_asked_of_the_broker_where_they_are_and_there_again_after_a_failure(troubled: Run) -> None:
    """FindCoordinator's landed answer gives the broker of each group; a group without one is asked for all the same."""
    asked = {
        node: {group.group_id for request in broker.of(OffsetFetchRequest) for group in request.groups} - {"c"}
        for node, broker in troubled.cluster.brokers.items()
    }
    assert asked == {1: {"a"}, 2: {"b"}}
    assert set(troubled.items("FindCoordinator", "key")) == {"a", "b", "c"}
    assert (2, 0, "CONNECTION_FAILED") in troubled.tries("OffsetFetch")
    rows = {
        item["group_id"]: (page["node_id"], page["try_no"], item["error_code"], item["committed_offset"])
        for page in troubled.pages("OffsetFetch")
        for item in page["items"] or ()
    }
    assert (rows["a"], rows["b"], rows["c"][2:]) == ((1, 0, 0, 7), (2, 1, 0, 7), (16, None))


def test_a_walk_that_never_ends_ends_in_an_error_across_waves_and_runs(run: Run) -> None:
    """Broker 1 sends empty pages for ever, broker 2 full ones: the landed pages tell how far each walk has come."""
    for node, items in ((1, False), (2, True)):
        run.cluster.brokers[node].features[PAGINATION] = 1
        run.cluster.override[node, ListGroupsRequest] = endless_groups(items=items)
    run.collect = replace(QUICK, pages_per_wave=2, max_empty_pages=3, max_waves=2)
    run.ingest()
    asked = run.cluster.asked(ListGroupsRequest)
    run.ingest()
    assert run.cluster.asked(ListGroupsRequest) == asked
    for node, good in ((1, 2), (2, 4)):
        pages = [page for page in run.pages("ListGroups") if page["node_id"] == node]
        assert [page["error"] for page in pages] == [None] * good + ["ENDLESS_WALK"]
        cursors = [page["next_cursor"] for page in pages[: good - 1]]
        assert [page["request_cursor"] for page in pages[:good]] == [None, *cursors]
        assert len(set(cursors)) == good - 1


@pytest.mark.parametrize(
    "steps",
    [
        ((store, "append", 1), (Ingest, "_read_back", 1), (store, "append", 1), (store, "append", 2)),
        ((route, "write", 1), (Part, "headers", 1)),
    ],
    ids=["writing and reading back", "the route and headers"],
)
def test_a_crash_between_any_two_steps_changes_nothing_in_the_end(
    run: Run, steps: tuple[tuple[Any, str, int], ...]
) -> None:
    """Run after run crashes before a step: each page is there once, no answered request is sent again.

    The first run is of a new census, whose pages stay in memory and are written beside planning.
    """
    run.walks, run.at_once = KEYED, 2
    for holder, name, number in steps:
        original: Callable[..., Any] = getattr(holder, name)
        counted = count(1)

        def crash(*args: Any, **kwargs: Any) -> Any:
            if next(counted) == number:  # noqa: B023 - called within this turn
                raise Crash
            return original(*args, **kwargs)  # noqa: B023

        with patch.object(holder, name, crash), pytest.raises(Crash):
            run.ingest()
    run.ingest()
    run.check_that_no_page_is_there_twice()
    assert run.items("FindCoordinator", "key") == ["a", "b", "c"]
    # What the first of these runs asked was not written.
    assert len(run.cluster.brokers[2].of(ListGroupsRequest)) <= 2


def test_what_no_chosen_table_reads_is_not_asked() -> None:
    every = {walk.rpc for walk in walks_for(FEW_TABLES)}
    for table, pruned in {
        "reassignment_backlog": {*KEYED[2:], "ListTransactions", "DescribeTransactions", "DescribeAcls"},
        "under_min_isr_partitions": {"FindCoordinator"},
    }.items():
        assert every - {walk.rpc for walk in walks_for(tables_named((table,)))} == pruned


def test_a_walk_of_keys_brings_the_walks_that_list_and_place_them() -> None:
    """Without them no broker could be asked, or the broker that is asked would not have the answer."""
    names, ids = ("Metadata", "names"), ("DescribeTransactions", "transactional_ids")
    for walk, needed in {
        ("OffsetFetch", "groups"): {("ListGroups", "groups"), names, ("FindCoordinator", "groups")},
        ids: {("ListTransactions", "transactions"), names, ("FindCoordinator", ids[1])},
        ("ListOffsets", "latest"): {names, ("DescribeTopicPartitions", "topics")},
    }.items():
        table = Table("only", "published", "A table of one walk.", StructType([]), key=(), reads=(Read(*walk),))
        walks = [each.name for each in walks_for((table,))]
        assert needed <= set(walks[: walks.index(walk)])


def test_no_broker_waits_for_a_core(spark: SparkSession) -> None:
    """As many tasks as cores, each of which asks its brokers at the same time; a task is never without a broker."""
    nodes = [Node(number, None, "alive") for number in range(100)]
    assert task_count(spark, nodes, QUICK) == spark.sparkContext.defaultParallelism
    assert task_count(spark, nodes[:1], QUICK) == 1
    assert task_count(spark, nodes, replace(QUICK, tasks=7)) == 7
