"""In ZooKeeper mode only the controller lists reassignments: the request goes to the current controller."""

from pathlib import Path
from typing import Any

from kafka.protocol.admin import (
    DescribeClusterRequest,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)
from pyspark.sql import SparkSession

from harness.standin_cluster import StandInCluster, standin_cluster
from kafka_census.lake.lake import Lake
from spark.landing_run import Run

NOT_CONTROLLER = 41
ASKED = ("DescribeCluster", "Metadata", "ListPartitionReassignments", "DescribeTopicPartitions")


def zookeeper_mode(cluster: StandInCluster, controllers: list[int]) -> None:
    """The controller is the first of these, and changes to the next one after each request for reassignments."""

    def described(_request: Any, _n: int) -> Any:
        answer = cluster.described()
        answer.controller_id = controllers[0]
        return answer

    def listed(node: int) -> Any:
        if node == controllers[0] and len(controllers) == 1:
            return None
        controllers[:] = controllers[1:] or controllers
        return ListPartitionReassignmentsResponse(
            throttle_time_ms=0, error_code=NOT_CONTROLLER, error_message="not the controller", topics=[]
        )

    for node in (1, 2):
        cluster.override[node, DescribeClusterRequest] = described
        cluster.override[node, ListPartitionReassignmentsRequest] = lambda _request, _n, node=node: listed(node)


def asked(run: Run) -> list[tuple[str, int, str | None]]:
    """(scope, node, error) of each page of ListPartitionReassignments, in order."""
    pages = run.pages("ListPartitionReassignments").orderBy("wave").collect()
    return [(page.scope, page.node_id, page.error) for page in pages]


def test_reassignments_are_asked_of_the_controller(spark: SparkSession, tmp_path: Path) -> None:
    with standin_cluster() as cluster:
        zookeeper_mode(cluster, [2])
        run = Run(spark, cluster, Lake(str(tmp_path / "lake")), walks=ASKED)
        run.ingest()
        assert asked(run) == [("before", 2, None), ("cluster", 2, None)]


def test_a_controller_that_moved_is_looked_for_again(spark: SparkSession, tmp_path: Path) -> None:
    with standin_cluster() as cluster:
        zookeeper_mode(cluster, [2, 1])
        run = Run(spark, cluster, Lake(str(tmp_path / "lake")), walks=ASKED)
        run.ingest()
        assert asked(run)[-1] == ("cluster", 1, None)
        assert ("before", 2, "NOT_CONTROLLER") in asked(run)
