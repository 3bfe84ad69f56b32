"""Five brokers in three racks: each is stopped in turn, and a rack, and what happens is what `impact --live` foretold.

Kafka's own AdminClient tells what happened. Two partitions have an alive replica that is not in sync, because its
copies are throttled: one may lead by its ELR, the other by an unclean election. At the end the quorum loses its
majority.
"""

import io
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

import pytest
from confluent_kafka import KafkaException

from e2e.listing import await_partitions
from harness import workload
from harness.foretold import happened
from harness.kafka_cluster import KafkaCluster
from harness.oracle import ask
from kafka_census.cli.command import command
from kafka_census.declarations.shared_rules import FETCH_TIMEOUT_MS
from kafka_census.terminal.log import Redactor
from trouble.test_partitions import wanted_partitions

RACKS = {1: "a", 2: "a", 3: "b", 4: "b", 5: "c"}
KINDS = ("cluster", "partition", "config", "reassignment", "group_coordinator", "group", "quorum")
GROUPS = [f"group-{number}" for number in range(40)]
_MEGABYTE = 1_000_000

Said = Mapping[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Loss:
    """What was foretold of a loss, the exit code, and Kafka's answers before and after it."""

    lost: frozenset[int]
    foretold: Mapping[str, Any]
    code: int
    before: Said
    after: Said


def said(servers: str) -> Said:
    found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    for row in ask(servers, *KINDS):
        found[row["kind"]].append(row)
    return found


def foretell(servers: str, *options: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the row of `kafka-census impact --live`."""
    out = io.StringIO()
    with redirect_stdout(out):
        code = command(["impact", "--bootstrap-server", servers, "--live", "--json", *options], Redactor())
    return code, json.loads(out.getvalue())


def await_in_sync(servers: str, but: frozenset[str] = frozenset()) -> None:
    """Until every replica is in sync, without those of topics that are throttled."""
    await_partitions(servers, lambda at, one: at[0] in but or (len(one.isrs) >= len(one.replicas) and one.leader >= 0))


def stopped(cluster: KafkaCluster, options: tuple[str, ...], lost: frozenset[int]) -> Loss:
    """Foretell a loss, and stop the brokers."""
    servers = cluster.admin_servers
    before = said(servers)
    code, foretold = foretell(servers, *options)
    for node in sorted(lost):
        cluster.stop_broker(node)
    return Loss(lost, foretold, code, before, said(servers))


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    with KafkaCluster(
        brokers=5,
        properties={
            "auto.leader.rebalance.enable": "false",
            "replication.quota.window.size.seconds": 3600,
            "group.initial.rebalance.delay.ms": 0,
        },
        broker_properties={node: {"broker.rack": rack} for node, rack in RACKS.items()},
    ) as cluster:
        servers = cluster.admin_servers
        orders = [[1, 3, 5], [2, 4, 5], [3, 5, 1], [4, 1, 5], [5, 2, 3]]
        workload.create_topic(servers, "orders", assignment=orders, min_insync_replicas=2)
        workload.create_topic(servers, "near", assignment=[[1, 2, 3], [4, 3, 5]], min_insync_replicas=2)
        workload.create_topic(servers, "pairs", assignment=[[4, 5], [5, 1], [2, 3]], min_insync_replicas=2)
        workload.create_topic(servers, "loose", assignment=[[1, 2], [3, 4], [5, 1]])
        workload.create_topic(servers, "solo", assignment=[[1], [2], [3], [3], [5]])
        workload.create_topic(servers, "elected", assignment=[[1, 3]], min_insync_replicas=2)
        workload.create_topic(
            servers, "risky", assignment=[[2, 4]], min_insync_replicas=1, unclean_leader_election_enable="true"
        )
        workload.commit_offsets(servers, GROUPS, "orders")
        yield cluster


@pytest.fixture(scope="module")
def losses(cluster: KafkaCluster) -> dict[str, Loss]:
    """Every loss by its name, one after the other."""
    found = {}
    for node in cluster.brokers:
        found[f"broker {node}"] = stopped(cluster, ("--broker", str(node)), frozenset({node}))
        cluster.start_broker(node)
        await_in_sync(cluster.admin_servers)
    for rack in ("a", "b"):
        nodes = frozenset(node for node, of in RACKS.items() if of == rack)
        found[f"rack {rack}"] = stopped(cluster, ("--rack", rack), nodes)
        for node in sorted(nodes):
            cluster.start_broker(node)
        await_in_sync(cluster.admin_servers)
    found |= _out_of_sync(cluster)
    return found


def _out_of_sync(cluster: KafkaCluster) -> dict[str, Loss]:
    """Brokers 3 and 4 come back, and may not catch up with two partitions; then their leaders are stopped."""
    servers, topics = cluster.admin_servers, ("elected", "risky")
    workload.throttle(servers, topics, (1, 2, 3, 4))
    for node in (3, 4):
        cluster.stop_broker(node)
    for topic in topics:
        workload.produce(servers, topic, 5 * _MEGABYTE)
    for node in (3, 4):
        cluster.start_broker(node)
    await_in_sync(servers, frozenset(topics))
    found = {}
    for name, node in (("eligible", 1), ("unclean", 2)):
        found[name] = stopped(cluster, ("--broker", str(node)), frozenset({node}))
        cluster.start_broker(node)
        await_in_sync(servers, frozenset(topics))
    return found


NAMES = [*(f"broker {node}" for node in RACKS), "rack a", "rack b", "eligible", "unclean"]


@pytest.mark.parametrize("name", NAMES)
def test_what_was_foretold_happened(losses: dict[str, Loss], name: str) -> None:
    loss = losses[name]
    done = happened(wanted_partitions(loss.before), wanted_partitions(loss.after), loss.lost)
    assert {column: loss.foretold[column] for column in done} == done
    before, after = (
        {row["key"]: row["node_id"] for row in of["group_coordinator"]} for of in (loss.before, loss.after)
    )
    moved = {group for group, node in before.items() if node in loss.lost}
    assert loss.foretold["groups_moving"] == len(moved)
    assert loss.foretold["groups_stranded"] == len(moved - after.keys())
    assert before.keys() - after.keys() <= moved
    assert loss.foretold["voters_left"] == len(RACKS) - len(loss.lost)
    assert loss.foretold["keeps_quorum"] is True
    assert loss.code == {"safe": 0, "unknown": 3}.get(loss.foretold["verdict"], 4)


def test_the_losses_are_of_every_kind(losses: dict[str, Loss]) -> None:
    assert losses["rack a"].foretold["last_in_sync_partitions"] > 0
    assert losses["broker 4"].foretold["verdict"] == "stops_writes"
    assert {losses[name].foretold["verdict"] for name in ("broker 1", "rack b")} == {"loses_availability"}
    moved = {
        name: sorted(
            (row["topic"], row["leader"])
            for row in losses[name].after["partition"]
            if row["topic"] in ("elected", "risky") and row["leader"] in (3, 4)
        )
        for name in ("eligible", "unclean")
    }
    assert moved == {"eligible": [("elected", 3)], "unclean": [("elected", 3), ("risky", 4)]}
    assert [losses[name].foretold["unclean_partitions"] for name in moved] == [0, 1]


def test_a_third_voter_of_five_takes_the_majority_with_it(cluster: KafkaCluster, losses: dict[str, Loss]) -> None:
    """Used last: the cluster has no controller afterwards, and makes no topic."""
    assert losses
    servers = cluster.admin_servers
    [quorum] = {row["leader_id"] for row in said(servers)["quorum"]}
    first, second, third = [node for node in RACKS if node != quorum][:3]
    for node in (first, second):
        assert foretell(servers, "--controller", str(node))[1]["keeps_quorum"] is True
        cluster.stop_broker(node)
    # The active controller counts a voter as caught up for as long as the voter might still fetch in time.
    time.sleep(2 * FETCH_TIMEOUT_MS / 1000)
    code, foretold = foretell(servers, "--controller", str(third))
    assert (code, foretold["keeps_quorum"], foretold["voters_left"], foretold["voters_needed"]) == (4, False, 2, 3)
    cluster.kill_controller(third)
    with pytest.raises((KafkaException, TimeoutError)):
        workload.create_topic(servers, "late", assignment=[[quorum]])
