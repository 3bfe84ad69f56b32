"""A disk is lost and every broker is alive: its groups and transactions are in no listing, without any error."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from pyspark.sql import functions as F

from e2e.operator import PUBLISH_INCOMPLETE, Operator, Ran
from harness import workload
from harness.kafka_cluster import KafkaCluster
from harness.oracle import ask
from kafka_census.alerts import textfile
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.deletable_groups import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.log_dir_usage import LOG_DIR_USAGE
from kafka_census.tables.table import Table
from kafka_census.tables.transaction_coordinator_placement import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS
from kafka_census.tables.walks import OFFSETS_TOPIC, TRANSACTIONS_TOPIC

HURT = 2
GROUPS = [f"group-{number:02}" for number in range(24)]
TABLES = (
    GROUP_COORDINATOR_PLACEMENT,
    TRANSACTION_COORDINATOR_PLACEMENT,
    DELETABLE_GROUPS,
    UNDER_MIN_ISR_PARTITIONS,
    LOG_DIR_USAGE,
)
Rows = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Survey:
    """Three censuses: before the disk was lost, while it was lost, and after its return.

    lost     the partitions on the disk, by internal topic
    refused  the result of the second census under the default policy, before it was published explicitly
    ids      the ids of the censuses
    copies   the number of replicas on the disk that are not the only ones
    figures  the figures for Prometheus after each census, by the end of their names
    """

    census: Operator
    lost: Mapping[str, list[int]]
    refused: Ran
    ids: list[str]
    copies: int
    figures: list[Mapping[str, float]]

    def rows(self, table: Table, number: int, key: str) -> Rows:
        """The rows of one of the censuses, by key."""
        rows = self.census.rows(table).where(F.col("census_id") == self.ids[number]).collect()
        return {row[key]: row.asDict(recursive=True) for row in rows}


@pytest.fixture(scope="module")
def survey(operator: Callable[..., Operator]) -> Survey:
    """Half of the internal partitions have their only replica on broker 2, on one of its two disks."""
    quick = {"replica.high.watermark.checkpoint.interval.ms": 500}
    with KafkaCluster(brokers=3, log_dirs=2, properties=quick) as cluster:
        servers = cluster.admin_servers
        as_made = {"cleanup_policy": "compact", "compression_type": "producer"}
        workload.create_topic(servers, "orders", assignment=[[1, 3]])
        workload.create_topic(servers, OFFSETS_TOPIC, assignment=[[1], [HURT], [3], [HURT]] * 2, **as_made)
        workload.create_topic(servers, TRANSACTIONS_TOPIC, assignment=[[HURT]] * 4, **as_made)
        workload.create_topic(servers, "copied", assignment=[[1, HURT]] * 6)
        workload.commit_offsets(servers, GROUPS, "orders")
        census = replace(operator(cluster.bootstrap_servers, "lost_disk"), tables=TABLES)
        assert published(census).code == 0
        figures = [reported_figures(census)]
        data = cluster.brokers[HURT].folder / "data1"
        lost = {
            topic: sorted(int(folder.name.rpartition("-")[2]) for folder in data.glob(f"{topic}-*"))
            for topic in (OFFSETS_TOPIC, TRANSACTIONS_TOPIC)
        }
        copies = len([*data.glob("copied-*")])
        away = data.rename(data.with_name("away"))
        until_led(servers, lost, led=False)
        refused = published(census)
        figures.append(reported_figures(census))
        assert census.run("publish", **PUBLISH_INCOMPLETE).code == 0
        cluster.stop_broker(HURT)
        away.rename(data)
        cluster.start_broker(HURT)
        until_led(servers, lost, led=True)
        until_copied(servers)
        assert published(census).code == 0
        figures.append(reported_figures(census))
    rows = census.rows(PUBLICATIONS).select("census_id").distinct().orderBy("census_id").collect()
    return Survey(census, lost, refused, [row.census_id for row in rows], copies, figures)


def published(census: Operator) -> Ran:
    """A census under the default policy, which writes its figures."""
    return census.run("census", "--no-report", KAFKA_CENSUS__ALERTS__PROMETHEUS_FOLDER=str(census.folder))


def reported_figures(census: Operator) -> Mapping[str, float]:
    """The figures of the last census, without what all names begin with."""
    read = textfile.read(textfile.path_of(str(census.folder), "test"))
    return {name.removeprefix("kafka_census_"): figure for name, figure in read.items()}


def until_copied(servers: str) -> None:
    """Wait until every replica is in sync again."""
    deadline = time.monotonic() + 60
    while any(len(row["isr"]) < len(row["replicas"]) for row in ask(servers, "partition")):
        assert time.monotonic() < deadline, "replicas do not come back into sync"


def until_led(servers: str, lost: Mapping[str, list[int]], *, led: bool) -> None:
    """Wait until these partitions have a leader, or have none."""
    deadline = time.monotonic() + 60
    wanted = {(topic, number) for topic, numbers in lost.items() for number in numbers}
    while {
        (row["topic"], row["partition"])
        for row in ask(servers, "partition")
        if (row["leader"] is not None) == led and (row["topic"], row["partition"]) in wanted
    } != wanted:
        assert time.monotonic() < deadline, f"leaders of {lost} do not change"


def reported(partitions: list[int], topic: str, what: str) -> str:
    """The reason that names partitions without a leader."""
    named = ", ".join(map(str, partitions))
    if len(partitions) == 1:
        return f"partition {named} of {topic} has no leader: its {what} are in no answer"
    return f"partitions {named} of {topic} have no leader: their {what} are in no answer"


def test_the_lost_disk_raises_alerts_that_end_with_its_return(survey: Survey) -> None:
    """Every broker is alive: the disk itself and the replicas that lack their copies on it are the only symptoms."""
    names = ("offline_log_dirs", "under_replicated_partitions", "offline_partitions")
    lost = sum(map(len, survey.lost.values()))
    assert survey.copies > 0
    assert [tuple(figures[name] for name in names) for figures in survey.figures] == [
        (0, 0, 0),
        (1, survey.copies, lost),
        (0, 0, 0),
    ]


def test_the_partitions_are_missing_reads_of_what_lists_their_groups_and_transactions(survey: Survey) -> None:
    """Refused by default with the partitions named; published explicitly as incomplete; complete once healed."""
    assert all(survey.lost.values())
    assert survey.refused.code == 3
    reasons = {
        "ListGroups": reported(survey.lost[OFFSETS_TOPIC], OFFSETS_TOPIC, "groups"),
        "ListTransactions": reported(survey.lost[TRANSACTIONS_TOPIC], TRANSACTIONS_TOPIC, "transactions"),
    }
    assert reasons["ListGroups"] in survey.refused.error
    first, hurt, healed = (survey.rows(PUBLICATIONS, number, "table_name") for number in range(3))
    assert {row["is_complete"] for row in (*first.values(), *healed.values())} == {True}
    missing = {
        name: {(one["rpc"], one["broker_id"], one["error"], one["reason"]) for one in row["missing"]}
        for name, row in hurt.items()
    }
    of = {rpc: {(rpc, None, "LEADER_NOT_AVAILABLE", reason)} for rpc, reason in reasons.items()}
    lacking = {
        GROUP_COORDINATOR_PLACEMENT.name: of["ListGroups"],
        TRANSACTION_COORDINATOR_PLACEMENT.name: of["ListTransactions"],
        DELETABLE_GROUPS.name: of["ListGroups"],
    }
    assert missing == {name: set() for name in hurt} | lacking
    assert {name for name, row in hurt.items() if not row["is_complete"]} == set(lacking)


def test_groups_that_could_not_be_listed_keep_their_history(survey: Survey) -> None:
    """They are in no listing while the disk is lost; their history keeps its beginning."""
    first, hurt, healed = (survey.rows(DELETABLE_GROUPS, number, "group_id") for number in range(3))
    listed = survey.rows(GROUP_COORDINATOR_PLACEMENT, 1, "group_id")
    unlisted = set(GROUPS) - listed.keys()
    assert unlisted
    assert listed.keys() < set(GROUPS) == hurt.keys()
    for name in unlisted:
        row = hurt[name]
        assert row["verdict"] == "unknown"
        assert (
            row["reason"] == f"it could not be listed: {reported(survey.lost[OFFSETS_TOPIC], OFFSETS_TOPIC, 'groups')}"
        )
        assert (row["empty_since"], row["censuses_empty"]) == (first[name]["empty_since"], 1)
    for name in GROUPS:
        assert healed[name]["empty_since"] == first[name]["empty_since"]
        assert healed[name]["censuses_empty"] == (2 if name in unlisted else 3)
