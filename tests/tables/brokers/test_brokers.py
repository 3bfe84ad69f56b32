"""Brokers named by any answer: brokers that are down are found where only replica lists still name them."""

from typing import Any

from kafka_census.tables.brokers.columns import BROKERS
from spark.cases import Case, each_case
from spark.landed_items import Item, item, missing_read, naive


def listed(node: int, *, fenced: bool | None = False, controller: int = 3) -> Item:
    """A broker of DescribeCluster, which names a random alive broker as controller."""
    host = {"host": f"h{node}", "port": 9092, "rack": f"r{node}"}
    return item(1, 0, node_id=node, is_fenced=fenced, controller_id=controller, **host)


def part(number: int, leader: int, replicas: list[int], isr: list[int], offline: list[int]) -> Item:
    state = {"leader_id": leader, "replicas": replicas, "isr": isr, "offline_replicas": offline, "error_code": 0}
    return item(1, 4, topic="t", partition=number, **state)


def quorum(leader: int) -> Item:
    return item(1, 1, replica_id=leader, leader_id=leader, error_code=0)


def configured(node: int, **values: str) -> list[Item]:
    of = {"resource_type": "broker", "resource_name": str(node), "error_code": 0}
    return [item(node, 2, **of, name=name.replace("_", "."), value=value) for name, value in values.items()]


def versions(node: int, release: str | None, **finalized: int | None) -> list[Item]:
    """A broker's answer to ApiVersions: one row per feature, with levels 1 to 9; or one row without a feature."""
    of = {"release_at_least": release, "min_version": 1, "max_version": 9}
    rows = [item(node, 3, **of, feature=name, finalized_version=level) for name, level in finalized.items()]
    return rows or [item(node, 3, release_at_least=release)]


def feature(name: str, level: int | None) -> dict[str, Any]:
    return {"feature": name, "min_version": 1, "max_version": 9, "finalized_version": level}


# Broker 9 is down: partition 2 has no leader, and 0 lost a replica.
PARTITIONS = [
    *(part(0, 1, [1, 2, 9], [1, 2], [9]), part(1, 1, [2, 1], [1, 2], [])),
    *(part(2, -1, [9], [], [9]), part(3, 2, [2, 1], [2], [])),
]
ALL = (1, 2, 3, 4, 9)


def case(columns: str, rows: dict[int, Any], *missing: Any, **roles: list[Item]) -> Case:
    """Brokers 1, 2 and 3 are alive, 4 is fenced; 2 leads the quorum. Values of columns by broker."""
    cluster = [listed(1), listed(2), listed(3), listed(4, fenced=True)]
    given = {"cluster": cluster, "quorum": [quorum(2)], "partitions": PARTITIONS, "missing": missing, "alone": True}
    return Case(given | roles, None).table(columns, rows)


ZOOKEEPER = configured(1, zookeeper_connect="zk:2181", process_roles="")
MIGRATES = configured(3, zookeeper_connect="zk:2181", zookeeper_metadata_migration_enable="true")
NO_QUORUM = missing_read("DescribeQuorum", "quorum", 1, "UNSUPPORTED_VERSION")
CONTROLLER = "is_controller controller_reason"
"""DescribeCluster's random broker counts only where brokers have no quorum: with ZooKeeper."""


def nobody(why: str, *nodes: int) -> dict[int, Any]:
    """Whether they are the controller is not known."""
    return dict.fromkeys(nodes, (None, why))


FENCED = (
    "broker 4 was not asked: it is fenced and holds no replica; if it was decommissioned: kafka-cluster.sh "
    "unregister --bootstrap-server HOST:PORT --id 4"
)
LOST = missing_read("DescribeTopicPartitions", "topics", None, "DEADLINE_EXCEEDED")
UNDESCRIBED = "1 topics could not be described, and are not counted"
CASES = {
    # Stale metadata may name a broker that no other answer names; old brokers do not tell of fenced ones.
    "a leader outside the replicas, and a controller with ZooKeeper": case(
        f"state leaders replicas {CONTROLLER}",
        {
            1: ("alive", 0, 1, False, None),
            3: ("alive", 0, 0, True, None),
            7: ("not_alive", 1, 0, False, None),
        },
        NO_QUORUM,
        cluster=[listed(1, fenced=None), listed(3)],
        quorum=[],
        configs=ZOOKEEPER,
        partitions=[part(0, 7, [1], [1], [])],
    ),
    # No features where a broker reports none; unknown features where a broker did not answer.
    "release and features are what the broker itself reported": case(
        "release_at_least features features_reason",
        {
            1: ("3.5", [feature("a", 4), feature("b", None)], None),
            2: ("4.3", [feature("a", 5)], None),
            3: (None, [], None),
            4: (None, [], "ApiVersions was not read from broker 4 (BROKER_NOT_ALIVE)"),
            9: (None, [], "broker 9 did not answer ApiVersions"),
        },
        missing_read("ApiVersions", "features", 4, "BROKER_NOT_ALIVE"),
        versions=[*versions(1, "3.5", b=None, a=4), *versions(2, "4.3", a=5), *versions(3, None)],
        cluster=[listed(one) for one in (1, 2, 3, 4)],
        partitions=[*PARTITIONS, item(1, topic="hidden", error_code=29)],
        quorum=[item(1, replica_id=2, leader_id=-1)],
    ).table(
        "is_controller controller_reason counts_reason replicas",
        {
            node: (None, "the cluster has no controller", UNDESCRIBED, replicas)
            for node, replicas in zip(ALL, (3, 3, 0, 0, 2), strict=True)
        },
    ),
    # Skew is against the brokers that are alive: one that is down would make the others look busier than they are.
    "a fenced broker that holds nothing was not asked; KRaft without its quorum": case(
        "state leader_skew replica_skew",
        {1: ("alive", 2.0, 1.5), 2: ("alive", 1.0, 1.5), 3: ("alive", 0.0, 0.0)}
        | {4: ("fenced", 0.0, 0.0), 9: ("not_alive", 0.0, 1.0)},
        NO_QUORUM,
        quorum=[],
        configs=[*ZOOKEEPER, *configured(2, zookeeper_connect="", process_roles="broker")],
    )
    .table(
        "features_reason", {node: FENCED if node == 4 else f"broker {node} did not answer ApiVersions" for node in ALL}
    )
    .table(CONTROLLER, nobody("in KRaft mode only DescribeQuorum tells the controller, and it is not offered", *ALL)),
    # With a missing page the counts would be too low, and broker 4 may hold replicas.
    "counts rest on every page; no controller during a migration": case(
        "replicas leaders leader_skew counts_reason features_reason",
        {
            node: (
                *(None, None, None, "DescribeTopicPartitions was not read (DEADLINE_EXCEEDED)"),
                f"broker {node} did not answer ApiVersions",
            )
            for node in ALL
        },
        *(LOST, NO_QUORUM),
        quorum=[],
        configs=[*ZOOKEEPER, *MIGRATES],
    ).table(CONTROLLER, nobody("the cluster migrates from ZooKeeper to KRaft: DescribeCluster names any broker", *ALL)),
    # It has a row in the next census and none in the one after; a broker that is named again is not gone.
    "a broker that nobody names any more is gone once; a controller by ZooKeeper's address alone": case(
        f"state {CONTROLLER}",
        {1: ("alive", False, None), 2: ("alive", True, None), 9: ("not_alive", False, None)},
        NO_QUORUM,
        previous=[{"broker_id": node, "state": "alive"} for node in (1, 9, 20)] + [{"broker_id": 21, "state": "gone"}],
        cluster=[listed(node, controller=2) for node in (1, 2)],
        quorum=[],
        configs=configured(1, zookeeper_connect="zk:2181"),
    ).table(
        "state host port is_controller replicas counts_reason observed_at features_reason",
        {
            20: (
                *("gone", None, None, False, 0, None, naive(0)),
                "broker 20 was not asked: the cluster does not name it any more",
            )
        },
    ),
    "no broker is gone where nobody said who is there": case(
        CONTROLLER,
        nobody(
            "DescribeQuorum is not offered, and no broker's configuration tells whether it runs with ZooKeeper",
            *(1, 2, 9),
        ),
        NO_QUORUM,
        previous=[{"broker_id": 20, "state": "alive"}],
        cluster=[],
        quorum=[],
    ),
}

test_every_case = each_case(BROKERS, CASES, lambda row: row.broker_id)
