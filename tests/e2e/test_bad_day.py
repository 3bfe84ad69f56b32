"""Three real 4.3.1 brokers on a bad day: every row against Kafka's own answer, then with a broker gone.

The oracle is never ours: the Java AdminClient, and Kafka's command-line classes.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F

from e2e.listing import pages
from e2e.operator import PUBLISH_INCOMPLETE, Operator
from harness import workload
from harness.kafka_cluster import KafkaCluster
from harness.oracle import ask, command_line
from kafka_census.tables.books import CALLS, CENSUS_RUNS, PUBLICATIONS, VERDICTS

SPECIAL = ["polygenelubricants", "é", "😀", "a b", "ｆｕｌｌ"]
GROUPS = [f"group-{number:03}" for number in range(60)] + SPECIAL
TABLES = ("group_coordinator_placement", "under_min_isr_partitions", "reassignment_backlog")


@pytest.fixture(scope="module")
def day() -> Iterator[KafkaCluster]:
    """Topics of every durability, groups of every spelling, and a move that cannot end."""
    with KafkaCluster(brokers=3, properties={"offsets.topic.replication.factor": 3}) as cluster:
        servers = cluster.admin_servers
        workload.create_topic(servers, "orders", 6, 3, min_insync_replicas=2)
        workload.create_topic(servers, "payments", 3, 3, min_insync_replicas=3)
        workload.create_topic(servers, "audit", assignment=[[1], [2], [3]], min_insync_replicas=2)
        workload.create_topic(servers, "clickstream", assignment=[[1], [2]])
        workload.create_topic(servers, "plain", 2, 2)
        workload.produce(servers, "clickstream", 20_000_000)
        workload.produce(servers, "orders", 100_000)
        workload.commit_offsets(servers, GROUPS, "orders")
        workload.commit_offset(servers, "", "orders")
        workload.throttle(servers, ["clickstream"], cluster.brokers)
        workload.reassign(servers, {("clickstream", 0): [2]})
        yield cluster


@pytest.fixture(scope="module")
def whole(day: KafkaCluster, operator: Callable[..., Operator]) -> Operator:
    """A census of the cluster while all brokers are there, published."""
    census = operator(day.bootstrap_servers, "whole")
    with workload.LiveGroups(day.admin_servers, "plain", ["live-0", "live-1"], day.folder / "members"):
        ran = census.run("census")
    assert (ran.code, ran.error) == (0, "")
    return census


@pytest.fixture(scope="module")
def broken(day: KafkaCluster, whole: Operator, operator: Callable[..., Operator]) -> tuple[Operator, Any]:
    """A first-ever census on a lake of its own, with broker 3 stopped before it; how it ended."""
    assert whole.current(TABLES[0]).count() > 0
    day.stop_broker(3)
    census = operator(day.bootstrap_servers, "broken")
    return census, census.run("census")


def effective(raw: int, partition: dict[str, Any]) -> int:
    """The brokers' own rule: min.insync.replicas, but no more than the partition has replicas."""
    return min(raw, len(partition["replicas"]))


def status(partition: dict[str, Any], least: int, adding: int) -> str:
    """What the documentation of the table says, written again."""
    isr = len(partition["isr"])
    behind = len(partition["replicas"]) - adding - isr
    if partition["leader"] is None:
        return "OFFLINE"
    if isr < least:
        return "UNDER"
    if behind > 0:
        return "AT" if isr == least else "UNDER_REPLICATED"
    return "OK"


def assert_partitions_are_the_java_clients(census: Operator, servers: str) -> None:
    """Row by row: leader, replicas, ISR, ELR, min ISR by the brokers' rule, status."""
    said = ask(servers, "partition", "config", "reassignment")
    raw = {row["resource_name"]: int(row["value"]) for row in said if row.get("resource_type") == "topic"}
    adding = {
        (row["topic"], row["partition"]): len(row["adding_replicas"]) for row in said if row["kind"] == "reassignment"
    }
    wanted = {}
    for row in said:
        if row["kind"] != "partition":
            continue
        key = row["topic"], row["partition"]
        least = effective(raw[row["topic"]], row)
        wanted[key] = (
            row["topic_id"],
            row["leader"],
            row["replicas"],
            sorted(row["isr"]),
            sorted(row["elr"]),
            least,
            status(row, least, adding.get(key, 0)),
            row["leader"] is not None and len(row["isr"]) >= least,
        )
    got = {
        (row.topic, row.partition): (
            row.topic_id,
            row.leader_id,
            row.replicas,
            sorted(row.isr),
            sorted(row.eligible_leader_replicas),
            row.min_isr_effective,
            row.status,
            row.ready_for_acks_all,
        )
        for row in census.current("under_min_isr_partitions").collect()
    }
    assert got == wanted


def test_every_group_is_placed_where_kafka_places_it(whole: Operator, day: KafkaCluster) -> None:
    """The hash, FindCoordinator and the listing agree with the Java client's coordinator of each group."""
    # The Java client refuses to describe the group id ""; brokers do not.
    wanted = {row["group_id"]: row["coordinator"] for row in ask(day.admin_servers, "coordinator") if row["group_id"]}
    everything = whole.current("group_coordinator_placement").collect()
    assert [row.agreement for row in everything if row.group_id == ""] == ["agree"]
    rows = [row for row in everything if row.group_id]
    assert {row.group_id: row.found_coordinator for row in rows} == wanted
    assert {row.group_id: row.expected_coordinator for row in rows} == wanted
    assert {row.agreement for row in rows} == {"agree"}
    assert {*SPECIAL, "live-0"} <= {row.group_id for row in rows}


def test_special_group_ids_land_in_the_partition_that_the_broker_uses(whole: Operator) -> None:
    """polygenelubricants hashes to Integer.MIN_VALUE and lands in 0; astral characters count as two units."""
    rows = {row.group_id: row for row in whole.current("group_coordinator_placement").collect()}
    assert (rows["polygenelubricants"].hash, rows["polygenelubricants"].offsets_partition) == (-(2**31), 0)
    assert (rows[""].hash, rows[""].offsets_partition) == (0, 0)
    assert rows["é"].hash == 0xE9
    assert rows["😀"].hash == 31 * 0xD83D + 0xDE00


def test_every_partition_is_as_the_java_client_describes_it(whole: Operator, day: KafkaCluster) -> None:
    """With the effective min ISR of the brokers, not kafka-topics' raw one."""
    assert_partitions_are_the_java_clients(whole, day.admin_servers)


def test_the_raw_rule_is_kept_beside_the_effective_one(whole: Operator) -> None:
    """RF 1 with min ISR 2 takes writes, whatever kafka-topics says; both are told."""
    rows = whole.current("under_min_isr_partitions").where("topic = 'audit'").collect()
    assert {(row.min_isr_raw, row.min_isr_effective, row.status, row.under_by_raw_rule) for row in rows} == {
        (2, 1, "OK", True)
    }


def test_the_backlog_is_what_kafka_reassign_partitions_lists(whole: Operator, day: KafkaCluster) -> None:
    """The same partitions, and the bytes left by the sizes of DescribeLogDirs."""
    listed = command_line(day.admin_servers, "org.apache.kafka.tools.reassign.ReassignPartitionsCommand", "--list")
    moving = re.findall(r"(\S+)-(\d+): replicas: \S+?\.? adding: (\d+)", listed)
    rows = whole.current("reassignment_backlog").where("kind = 'move'").collect()
    assert [(row.topic, row.partition, row.replica_id) for row in rows] == [(t, int(p), int(b)) for t, p, b in moving]
    (row,) = rows
    sizes = {
        one["node_id"]: one["size"]
        for one in ask(day.admin_servers, "log_dir")
        if (one.get("topic"), one.get("partition")) == ("clickstream", 0)
    }
    assert row.bytes_total == sizes[row.source_id]
    assert 0 < row.bytes_left <= row.bytes_total
    # The move goes on at a byte a second or so while we look.
    assert abs((row.bytes_total - sizes[row.replica_id]) - row.bytes_left) < 1_000_000


def test_windows_of_topics_list_the_same_moves(day: KafkaCluster) -> None:
    """The fall-back of a whole answer that is too large or too late."""
    walk = (day.admin_servers, "ListPartitionReassignments", "cluster")
    topics = [row for page in pages(day.admin_servers, "Metadata", "names") for row in page.rows]
    keys = tuple(f"{topic}/{count}" for topic, _, _, count, *_ in topics)
    (whole,), windows = pages(*walk), pages(*walk, keys)
    assert whole.rows
    assert {page.paging for page in windows} == {"window"}
    assert sorted(row for page in windows for row in page.rows) == sorted(whole.rows)


def test_a_whole_census_says_that_it_is_complete(whole: Operator) -> None:
    """One publication row a table, visible, proven, nothing missing; every verdict is on the books."""
    rows = whole.rows(PUBLICATIONS).collect()
    assert {(row.table_name, row.is_complete, row.visibility, len(row.missing)) for row in rows} == {
        (table, True, "proven", 0) for table in TABLES
    }
    assert whole.rows(VERDICTS).where("outcome = 'refuse'").count() == 0
    assert whole.rows(VERDICTS).select("kind").distinct().count() == 4
    events = [row.event for row in whole.rows(CENSUS_RUNS).orderBy("at").collect()]
    assert events == ["started", "landed", "staged", "gated", "published"]


def test_every_call_is_on_the_books(whole: Operator) -> None:
    """Batches of coordinators, one listing a broker, no error."""
    calls = whole.rows(CALLS)
    asked = defaultdict(set)
    for row in calls.collect():
        asked[row.rpc, row.scope].add(row.node_id)
    assert asked["ListGroups", "groups"] == asked["DescribeLogDirs", "log_dirs"] == {1, 2, 3}
    assert asked["DescribeConfigs", "brokers"] == {1, 2, 3}
    found = calls.where("rpc = 'FindCoordinator'").agg(F.sum("items"), F.sum("requests")).first()
    assert found is not None
    assert found[0] == len(GROUPS) + 1 + 2
    assert found[1] <= 3
    assert calls.where("errors > 0").count() == 0


def test_the_report_fits_a_terminal(whole: Operator) -> None:
    """80 columns, the three tables, the worst first, a SQL line that works."""
    ran = whole.run("report")
    assert ran.code == 0
    # All but the command at the end, which is one line so that it can be pasted.
    assert max(map(len, ran.out.splitlines()[:-1])) <= 80
    assert all(table in ran.out for table in TABLES)


def test_a_stopped_broker_refuses_a_first_census(broken: tuple[Operator, Any]) -> None:
    """It vanished from Metadata; its pages are landed all the same, exit 3, and nothing is published."""
    census, ran = broken
    assert ran.code == 3
    assert "broker 3" in ran.out + ran.err
    assert re.search(r"DescribeLogDirs|ListGroups", ran.error)
    pages = census.spark.table(f"delta.`{census.lake}/landing/ListGroups`").where("node_id = 3").collect()
    assert [(page.error, page.item_count) for page in pages] == [("BROKER_NOT_ALIVE", 0)]
    assert not Path(census.lake, "published").exists()


def test_the_same_census_can_be_published_knowingly_as_incomplete(
    broken: tuple[Operator, Any], day: KafkaCluster
) -> None:
    """is_complete is false with the missing pairs named; a table that needs none of them stays complete."""
    census, _ = broken
    ran = census.run("publish", **PUBLISH_INCOMPLETE)
    assert (ran.code, ran.error) == (0, "")
    rows = {row.table_name: row for row in census.rows(PUBLICATIONS).collect()}
    assert {name: row.is_complete for name, row in rows.items()} == {
        "group_coordinator_placement": False,
        "under_min_isr_partitions": True,
        "reassignment_backlog": False,
    }
    missing = {(one.rpc, one.node_id, one.error) for one in rows["reassignment_backlog"].missing}
    assert missing == {("DescribeLogDirs", 3, "BROKER_NOT_ALIVE")}
    assert_partitions_are_the_java_clients(census, day.admin_servers)


def test_what_depends_on_a_missing_page_is_null_with_a_reason(broken: tuple[Operator, Any]) -> None:
    """Groups that cannot commit are not counted from half of the listings."""
    census, _ = broken
    offsets = census.current("under_min_isr_partitions").where("topic = '__consumer_offsets'")
    hurt = offsets.where("status IN ('UNDER', 'OFFLINE')").collect()
    assert all(row.groups_unable_to_commit is None and "broker 3" in row.groups_unable_to_commit_reason for row in hurt)
