"""Two brokers, three controllers: a broker loses a disk, gets it back, is decommissioned; then a controller dies.

Half of the internal partitions have their only replica on broker 2, on one of its two disks.
"""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from confluent_kafka.admin import PartitionMetadata

from e2e.listing import rows_of
from e2e.operator import PUBLISH_INCOMPLETE, Operator, Ran
from harness import workload
from harness.broker import INTERNAL
from harness.kafka_cluster import KafkaCluster
from harness.oracle import command_line
from kafka_census.alerts import textfile
from kafka_census.declarations.table import Table
from kafka_census.declarations.walks import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.tables.config_drift.columns import CONFIG_DRIFT
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS

GONE = 2
BEFORE, HIT, HEALED, STOPPED, UNREGISTERED = range(5)
"""The censuses, in order."""

GROUPS = [f"group-{number:02}" for number in range(24)]
OF_THE_DISK = (
    GROUP_COORDINATOR_PLACEMENT,
    TRANSACTION_COORDINATOR_PLACEMENT,
    DELETABLE_GROUPS,
    UNDER_MIN_ISR_PARTITIONS,
    LOG_DIR_USAGE,
)
"""The tables of the first three censuses; `log_dir_usage` is made of `brokers`, which is in all of them."""

TROUBLE = "offline,under_min_isr,unreachable,under_replicated,voters_behind,incomplete,not_known"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Losses:
    """Five censuses in one lake.

    lost     the partitions on the disk, by internal topic
    refused  the result of the second census under the default policy, before it was published explicitly
    ids      the ids of the censuses
    copies   the number of replicas on the disk that are not the only ones
    figures  the figures for Prometheus after each of the first three censuses, by the end of their names
    dead     the controller that was the leader
    last     the result of the last census, which looks for voters that are behind
    """

    lost: Mapping[str, list[int]]
    refused: Ran
    ids: list[str]
    copies: int
    figures: list[Mapping[str, float]]
    dead: int
    last: Ran
    lake: PublishedLake

    def of(self, table: Table, *censuses: int) -> list[Row]:
        """The rows of some of the censuses, in their order."""
        ids = [self.ids[number] for number in censuses]
        rows = self.lake.opened(table.folder).to_table().to_pylist()
        return sorted((row for row in rows if row["census_id"] in ids), key=lambda row: str(row["census_id"]))


def losses(operator: Callable[..., Operator]) -> Losses:
    """Take the censuses; all but the second are published under the default policy."""
    quick = {"replica.high.watermark.checkpoint.interval.ms": 500}
    with KafkaCluster(brokers=2, controllers=3, heap="256m", log_dirs=2, properties=quick) as cluster:
        servers = cluster.admin_servers
        as_made = {"cleanup_policy": "compact", "compression_type": "producer"}
        workload.create_topic(servers, "orders", assignment=[[1]])
        workload.create_topic(servers, OFFSETS_TOPIC, assignment=[[1], [GONE]] * 4, **as_made)
        workload.create_topic(servers, TRANSACTIONS_TOPIC, assignment=[[GONE]] * 4, **as_made)
        workload.create_topic(servers, "copied", assignment=[[1, GONE]] * 6)
        workload.commit_offsets(servers, GROUPS, "orders")
        census = replace(operator(cluster.bootstrap_servers, "losses"), tables=(*OF_THE_DISK, QUORUM))
        figures = [published(census, "--fail-on", TROUBLE)]

        data = cluster.brokers[GONE].folder / "data1"
        lost = {
            topic: sorted(int(folder.name.rpartition("-")[2]) for folder in data.glob(f"{topic}-*"))
            for topic in (OFFSETS_TOPIC, TRANSACTIONS_TOPIC)
        }
        copies = len([*data.glob("copied-*")])
        away = data.rename(data.with_name("away"))
        until_led(servers, lost, led=False)
        census.tables = OF_THE_DISK
        refused = taken(census)
        figures.append(reported_figures(census))
        assert census.run("publish", **PUBLISH_INCOMPLETE).code == 0
        cluster.stop_broker(GONE)
        away.rename(data)
        cluster.start_broker(GONE)
        until_led(servers, lost, led=True)
        until(servers, lambda one: len(one.isrs) == len(one.replicas), "replicas do not come back into sync")
        figures.append(published(census))

        empty(servers)
        cluster.stop_broker(GONE)
        census.tables = (*OF_THE_DISK, CONFIG_DRIFT)
        published(census)
        alive = cluster.brokers[1].address(INTERNAL)
        command_line(alive, "org.apache.kafka.tools.ClusterTool", "--id", str(GONE), step="unregister")
        dead = leader(alive)
        assert dead in cluster.controllers
        cluster.kill_controller(dead)
        deadline = time.monotonic() + 60
        while leader(alive) in (dead, -1):
            assert time.monotonic() < deadline, "no other controller is elected"
            time.sleep(0.1)
        census.tables = (LOG_DIR_USAGE, CONFIG_DRIFT, QUORUM)
        last = census.run("census", "--fail-on", "voters_behind")
    lake = PublishedLake(census.lake)
    ids = sorted({row["census_id"] for row in lake.publications.to_table(["census_id"]).to_pylist()})
    return Losses(lost, refused, ids, copies, figures, dead, last, lake)


def taken(census: Operator, *arguments: str) -> Ran:
    """A census under the default policy, which refuses missing reads and writes its figures."""
    folder = {"KAFKA_CENSUS__ALERTS__PROMETHEUS_FOLDER": str(census.folder)}
    return census.run("census", "--no-report", *arguments, **folder)


def published(census: Operator, *arguments: str) -> Mapping[str, float]:
    ran = taken(census, *arguments)
    assert (ran.code, ran.error) == (0, "")
    return reported_figures(census)


def reported_figures(census: Operator) -> Mapping[str, float]:
    """The figures of the last census, without what all names begin with."""
    read = textfile.read(textfile.path_of(str(census.folder), "test"))
    return {name.removeprefix("kafka_census_"): figure for name, figure in read.items()}


def leader(server: str) -> int:
    """The active controller; -1 while there is none."""
    return next((row["leader_id"] for row in rows_of(server, "DescribeQuorum", "quorum")), None) or -1


def empty(servers: str) -> None:
    """Move the replicas of a broker away, as an operator would who decommissions it."""
    held = [where for where, one in partitions(servers).items() if GONE in one.replicas]
    assert held
    workload.reassign(servers, {where: [1] for where in held})
    until(servers, lambda one: GONE not in one.replicas, "the replicas do not move away")


def until_led(servers: str, lost: Mapping[str, list[int]], *, led: bool) -> None:
    on_it = {(topic, number) for topic, numbers in lost.items() for number in numbers}
    until(servers, lambda one: (one.leader != -1) == led, f"leaders of {lost} do not change", on_it)


def partitions(servers: str) -> Mapping[tuple[str, int], PartitionMetadata]:
    topics = workload.admin(servers).list_topics(timeout=20).topics
    return {(name, number): one for name, topic in topics.items() for number, one in topic.partitions.items()}


def until(
    servers: str,
    holds: Callable[[PartitionMetadata], bool],
    otherwise: str,
    among: Collection[tuple[str, int]] | None = None,
) -> None:
    """Wait until it holds of every partition, or of those among some."""
    deadline = time.monotonic() + 60
    while not all(holds(one) for where, one in partitions(servers).items() if among is None or where in among):
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.1)
