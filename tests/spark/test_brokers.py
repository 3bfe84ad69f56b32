"""Brokers named by any answer: brokers that are down are found where only replica lists still name them."""

from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from kafka_census.tables.brokers import BROKERS
from spark.landed_items import Item, compute, item, missing_read, rows_by


def listed(node: int, *, fenced: bool | None = False, controller: int = 3) -> Item:
    """A broker of DescribeCluster, which names a random alive broker as controller."""
    host = {"host": f"h{node}", "port": 9092, "rack": f"r{node}"}
    return item(1, 0, node_id=node, is_fenced=fenced, controller_id=controller, **host)


def part(number: int, leader: int, replicas: list[int], isr: list[int], offline: list[int], **more: Any) -> Item:
    """A partition of one topic."""
    state = {"leader_id": leader, "replicas": replicas, "isr": isr, "offline_replicas": offline, "error_code": 0}
    return item(1, 4, topic="t", partition=number, **state | more)


def quorum(leader: int) -> Item:
    """A replica of the metadata log, and the leader of the log."""
    return item(1, 1, replica_id=leader, leader_id=leader, error_code=0)


PARTITIONS = [
    part(0, 1, [1, 2, 9], [1, 2], [9]),
    part(1, 1, [2, 1], [1, 2], []),
    part(2, -1, [9], [], [9]),
    part(3, 2, [2, 1], [2], []),
]
"""Broker 9 is down: partition 2 has no leader, and 0 lost a replica."""


def brokers(spark: SparkSession, *missing: Any, **roles: list[Item]) -> dict[int, Row]:
    """The table by broker: 1, 2 and 3 are alive, 4 is fenced; 2 leads the quorum."""
    given = {"cluster": [listed(1), listed(2), listed(3), listed(4, fenced=True)], "quorum": [quorum(2)]}
    return rows_by(compute(spark, BROKERS, missing, **given | {"partitions": PARTITIONS} | roles), "broker_id")


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> dict[int, Row]:
    return brokers(spark)


def test_every_broker_that_anybody_names(rows: dict[int, Row]) -> None:
    """An alive broker, one without any replica, a fenced one, and one that only replica lists name."""
    assert {node: (row.state, row.host, row.rack, row.is_controller) for node, row in rows.items()} == {
        1: ("alive", "h1", "r1", False),
        2: ("alive", "h2", "r2", True),
        3: ("alive", "h3", "r3", False),
        4: ("fenced", "h4", "r4", False),
        9: ("not_alive", None, None, False),
    }
    assert {
        node: (row.replicas, row.leaders, row.preferred_leaders, row.preferred_elsewhere, row.preferred_imbalance)
        for node, row in rows.items()
    } == {
        1: (3, 2, 1, 0, 0.0),
        2: (3, 1, 2, 1, 0.5),
        3: (0, 0, 0, 0, None),
        4: (0, 0, 0, 0, None),
        9: (2, 0, 1, 1, 1.0),
    }
    assert {node: (row.out_of_sync_replicas, row.offline_replicas) for node, row in rows.items()} == {
        1: (1, 0),
        2: (0, 0),
        3: (0, 0),
        4: (0, 0),
        9: (2, 2),
    }
    assert {row.counts_reason for row in rows.values()} == {None}


def test_skew_is_against_the_brokers_that_are_alive(rows: dict[int, Row]) -> None:
    """A broker that is down would make the others look busier than they are."""
    assert {node: (row.leader_skew, row.replica_skew) for node, row in rows.items() if node != 9} == {
        1: (2.0, 1.5),
        2: (1.0, 1.5),
        3: (0.0, 0.0),
        4: (0.0, 0.0),
    }


def test_leader_outside_the_replicas_is_a_broker_too(spark: SparkSession) -> None:
    """Stale metadata may name a broker that no other answer names."""
    rows = brokers(spark, partitions=[part(0, 7, [1], [1], [])])
    assert (rows[7].state, rows[7].leaders, rows[7].replicas) == ("not_alive", 1, 0)


def test_controller_is_the_quorums_leader_or_not_known(spark: SparkSession) -> None:
    """DescribeCluster's random broker counts only where brokers have no quorum: with ZooKeeper."""
    denied = missing_read("DescribeQuorum", "quorum", 1, "CLUSTER_AUTHORIZATION_FAILED")
    assert {(row.is_controller, row.controller_reason) for row in brokers(spark, denied, quorum=[]).values()} == {
        (None, "DescribeQuorum was not read from broker 1 (CLUSTER_AUTHORIZATION_FAILED)")
    }
    headless = brokers(spark, quorum=[item(1, replica_id=2, leader_id=-1)])
    assert {(row.is_controller, row.controller_reason) for row in headless.values()} == {
        (None, "the cluster has no controller")
    }


def configured(node: int, **values: str) -> list[Item]:
    """A broker's answer about its own config."""
    of = {"resource_type": "broker", "resource_name": str(node), "error_code": 0}
    return [item(node, 2, **of, name=name.replace("_", "."), value=value) for name, value in values.items()]


def test_controller_of_describe_cluster_counts_with_zookeeper_alone(spark: SparkSession) -> None:
    """In KRaft mode and during a migration DescribeCluster names a random broker, maybe also where nothing was read."""
    old = missing_read("DescribeQuorum", "quorum", 1, "UNSUPPORTED_VERSION")
    zookeeper = configured(1, zookeeper_connect="zk:2181", process_roles="")
    alone = configured(1, zookeeper_connect="zk:2181")
    kraft = configured(2, zookeeper_connect="", process_roles="broker")
    migrating = configured(3, zookeeper_connect="zk:2181", zookeeper_metadata_migration_enable="true")
    for configs, controllers, why in (
        (zookeeper, [3], None),
        (alone, [3], None),
        ([*zookeeper, *kraft], [], "in KRaft mode only DescribeQuorum tells the controller, and it is not offered"),
        (
            [*zookeeper, *migrating],
            [],
            "the cluster migrates from ZooKeeper to KRaft: DescribeCluster names any broker",
        ),
        (
            [],
            [],
            "DescribeQuorum is not offered, and no broker's configuration tells whether it runs with ZooKeeper",
        ),
    ):
        rows = brokers(spark, old, quorum=[], configs=configs)
        assert [node for node, row in rows.items() if row.is_controller] == controllers
        assert {row.controller_reason for row in rows.values()} == {why}


def versions(node: int, release: str | None, **finalized: int | None) -> list[Item]:
    """A broker's answer to ApiVersions: one row per feature, with levels 1 to 9; or one row without a feature."""
    of = {"release_at_least": release, "min_version": 1, "max_version": 9}
    rows = [item(node, 3, **of, feature=name, finalized_version=level) for name, level in finalized.items()]
    return rows or [item(node, 3, release_at_least=release)]


def test_release_and_features_are_what_the_broker_itself_reported(spark: SparkSession) -> None:
    """No features where a broker reports none; unknown features where a broker did not answer."""
    reported = [*versions(1, "3.5", b=None, a=4), *versions(2, "4.3", a=5), *versions(3, None)]
    gap = missing_read("ApiVersions", "features", 4, "BROKER_NOT_ALIVE")
    rows = brokers(spark, gap, versions=reported, cluster=[listed(one) for one in (1, 2, 3, 4)])
    releases = {node: row.release_at_least for node, row in rows.items()}
    assert releases == {1: "3.5", 2: "4.3", 3: None, 4: None, 9: None}
    assert {node: [tuple(one) for one in row.features] for node, row in rows.items()} == {
        1: [("a", 1, 9, 4), ("b", 1, 9, None)],
        2: [("a", 1, 9, 5)],
        3: [],
        4: [],
        9: [],
    }
    assert {node: row.features_reason for node, row in rows.items() if row.features_reason} == {
        4: "ApiVersions was not read from broker 4 (BROKER_NOT_ALIVE)",
        9: "broker 9 did not answer ApiVersions",
    }


def test_counts_rest_on_every_page(spark: SparkSession) -> None:
    """With a missing page the counts would be too low; a refused topic is only reported."""
    missing = brokers(spark, missing_read("DescribeTopicPartitions", "topics", None, "DEADLINE_EXCEEDED"))
    why = "DescribeTopicPartitions was not read (DEADLINE_EXCEEDED)"
    assert {(row.replicas, row.leaders, row.leader_skew, row.counts_reason) for row in missing.values()} == {
        (None, None, None, why)
    }
    refused = brokers(spark, partitions=[*PARTITIONS, item(1, topic="hidden", error_code=29)])
    assert refused[1].replicas == 3
    assert {row.counts_reason for row in refused.values()} == {"1 topics could not be described, and are not counted"}


def test_old_brokers_do_not_tell_of_fenced_ones(spark: SparkSession) -> None:
    """Null does not mean fenced."""
    assert brokers(spark, cluster=[listed(1, fenced=None)], partitions=[])[1].state == "alive"


def test_a_broker_that_nobody_names_any_more_is_gone_once(spark: SparkSession) -> None:
    """The broker has a row in the next census and none in the one after; a broker that is named again is not gone."""
    before: list[Item] = [{"broker_id": node, "state": "alive"} for node in (1, 9, 20)]
    before.append({"broker_id": 21, "state": "gone"})
    rows = rows_by(
        compute(
            spark, BROKERS, previous=before, cluster=[listed(1), listed(2)], partitions=PARTITIONS, quorum=[quorum(2)]
        ),
        "broker_id",
    )
    assert {node: row.state for node, row in rows.items()} == {1: "alive", 2: "alive", 9: "not_alive", 20: "gone"}
    gone = rows[20]
    assert (gone.host, gone.port, gone.is_controller, gone.replicas, gone.counts_reason) == (None, None, False, 0, None)
    assert gone.observed_at == rows[1].observed_at.replace(second=0)
    assert gone.features_reason == "broker 20 was not asked: the cluster does not name it any more"


def test_a_broker_that_is_fenced_and_holds_nothing_was_not_asked(spark: SparkSession, rows: dict[int, Row]) -> None:
    """Its row says what to do, if it was decommissioned; where not all replica lists were read, it was asked."""
    assert rows[4].features_reason == (
        "broker 4 was not asked: it is fenced and holds no replica; if it was decommissioned: kafka-cluster.sh "
        "unregister --bootstrap-server HOST:PORT --id 4"
    )
    lost = missing_read("DescribeTopicPartitions", "topics", None, "DEADLINE_EXCEEDED")
    assert brokers(spark, lost)[4].features_reason == "broker 4 did not answer ApiVersions"


def test_no_broker_is_gone_where_nobody_said_who_is_there(spark: SparkSession) -> None:
    """Without an answer of DescribeCluster no broker is known to be missing."""
    rows = compute(spark, BROKERS, previous=[{"broker_id": 20, "state": "alive"}], partitions=PARTITIONS)
    assert sorted(row.broker_id for row in rows.collect()) == [1, 2, 9]
