"""Collects the facts about one cluster: all bootstrap servers at the same time, then all brokers, then our rights.

A node has `TIMEOUT_S` for everything, so that a dead node costs no more than that, at most twice: as a bootstrap server
and as a broker. When all nodes answer, the facts are collected within milliseconds.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

from kafka.net.selector import NetworkSelector

from kafka_census.clock import Clock
from kafka_census.kafka.error_codes import UNREGISTER
from kafka_census.kafka.protocol.cluster import bootstrap_endpoints
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.connection import Connection
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.redaction import redacted, secrets_of
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.pages.header import WalkName
from kafka_census.upkeep.doctor import probes
from kafka_census.upkeep.doctor.concurrently import concurrently
from kafka_census.upkeep.doctor.facts import Answer, Cluster, Configured, Failure, History, Node, Stage
from kafka_census.upkeep.doctor.probes import PROBES, Probe
from kafka_census.upkeep.doctor.reach import reach
from kafka_census.upkeep.doctor.rights import NEEDS

TIMEOUT_S = 3.0
"""The time limit for a node, and for the probes of our rights, in seconds."""


def _fenced(node_id: int) -> Failure:
    return Failure(
        Stage.CLUSTER,
        "it is registered, but not alive: the controller has fenced it",
        f"start it, or, {UNREGISTER} {node_id}",
    )


def look(
    configured: Configured, collect: CollectSettings, history: Callable[[str | None], History], clock: Clock
) -> Cluster:
    """All about a cluster; `history` says what the lake knows of it, given the cluster id where one was answered."""
    settings = configured.settings
    # The first question is the cluster id, so no id can be proven yet.
    servers = _reached(bootstrap_endpoints(settings), replace(settings, cluster_id=None), configured, collect, clock)
    view = next((node.view for node in servers if node.view is not None), None)
    brokers: tuple[Node, ...] = ()
    asked, holders = None, None
    answers: dict[WalkName, Answer] = {}
    if view is not None and settings.cluster_id in (None, view.cluster_id):
        proven = settings.proving(view.cluster_id)
        alive = [one.endpoint for one in view.brokers if not one.is_fenced]
        reached = _reached(alive, proven, configured, collect, clock)
        fenced = [Node(one.endpoint, _fenced(one.endpoint.node_id)) for one in view.brokers if one.is_fenced]
        brokers = tuple(sorted((*reached, *fenced), key=lambda node: node.endpoint.node_id))
        asked = next((node.endpoint for node in brokers if node.failure is None), None)
        if asked is not None:
            answers, holders = _asked(asked, proven, collect, _needed(configured), clock)
    return Cluster(
        configured=configured,
        servers=servers,
        brokers=brokers,
        asked=asked,
        answers=answers,
        history=history(view.cluster_id if view else None),
        now=clock.now(),
        holders=holders,
    )


def _reached(
    endpoints: Collection[Endpoint],
    cluster: ClusterSettings,
    configured: Configured,
    collect: CollectSettings,
    clock: Clock,
) -> tuple[Node, ...]:
    walks = [taken.name for taken in configured.taken]

    def late(endpoint: Endpoint) -> Node:
        # All other steps have a timeout.
        what = f"'{endpoint.host}' was not resolved within {TIMEOUT_S:g} s"
        return Node(endpoint, Failure(Stage.NAME, what, "look at this machine's name resolution"))

    return concurrently(
        endpoints,
        lambda endpoint: reach(endpoint, cluster, collect, walks, clock.monotonic() + TIMEOUT_S),
        late,
        TIMEOUT_S + 0.5,
    )


def _needed(configured: Configured) -> list[Probe]:
    """The probes of the rights that the census needs; each right has at least one probe, possibly of another RPC."""
    needed = {right for taken in configured.taken for right in NEEDS[taken.name]}
    return [probe for probe in PROBES if probe.right in needed]


def _asked(
    endpoint: Endpoint, cluster: ClusterSettings, collect: CollectSettings, asked: Collection[Probe], clock: Clock
) -> tuple[dict[WalkName, Answer], frozenset[int] | None]:
    """A broker's answers to the probes, and the brokers with replicas."""
    net = NetworkSelector(client_id=cluster.client_id, slow_task_threshold_secs=0)
    connection = Connection(net, endpoint, cluster, collect)
    try:
        answers: dict[WalkName, Answer] = net.run(probes.ask, connection, asked, clock, clock.monotonic() + TIMEOUT_S)
        holders: frozenset[int] | None = net.run(probes.holders, connection, clock, clock.monotonic() + TIMEOUT_S)
    finally:
        connection.close()
        net.close()
    secrets = secrets_of(cluster)
    return {walk: replace(one, message=redacted(one.message, secrets)) for walk, one in answers.items()}, holders
