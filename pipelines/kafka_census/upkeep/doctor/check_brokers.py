"""Checks of the cluster behind the servers: its id, whether its brokers answer, and how each RPC is paged."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from kafka_census.pages.header import WalkName
from kafka_census.terminal.human import counted
from kafka_census.upkeep.doctor.facts import Cluster, Configured, Node
from kafka_census.upkeep.doctor.finding import Detail, Finding, State, together

_UNNAMED = "it has replicas, and the cluster does not name it: it is down, or was removed"
_START = "start it, or move its replicas to other brokers: kafka-reassign-partitions.sh"


def cluster_id(cluster: Cluster) -> Finding:
    """The cluster id must be that of the configuration, if any, at every server. Raises ValueError without an id."""
    settings, view = cluster.configured.settings, cluster.view
    if view is None:
        raise ValueError("no server named its cluster, though none failed")
    key = f"clusters.{settings.name}"
    if settings.cluster_id not in (None, view.cluster_id):
        what = f"the cluster there is {view.cluster_id}, and {key}.cluster_id is {settings.cluster_id}"
        remedy = f"correct {key}.bootstrap_servers or {key}.cluster_id"
        where = ", ".join(settings.bootstrap_servers)
        return Finding(State.FAILED, "another cluster answers", (Detail(where, what, remedy),))
    others = tuple(
        Detail(str(node.endpoint), f"it belongs to {node.view.cluster_id}", f"correct {key}.bootstrap_servers")
        for node in cluster.servers
        if node.view is not None and node.view.cluster_id != view.cluster_id
    )
    if others:
        return Finding(State.FAILED, "the bootstrap servers belong to different clusters", others)
    proof = "as configured" if settings.cluster_id else "not compared: the configuration names none"
    return Finding(State.OK, f"{view.cluster_id}; {proof}")


def brokers(cluster: Cluster) -> Finding:
    """Every broker that is named or has replicas must answer; each proves its release and its cluster."""
    unnamed = sorted((cluster.holders or frozenset()) - {node.endpoint.node_id for node in cluster.brokers})
    failed = together(
        [
            *(
                Detail(str(node.endpoint), node.failure.what, node.failure.remedy)
                for node in cluster.brokers
                if node.failure is not None
            ),
            *(Detail(f"broker {node}", _UNNAMED, _START) for node in unnamed),
        ]
    )
    answering = [node for node in cluster.brokers if node.failure is None]
    releases = defaultdict(list)
    for node in answering:
        releases[node.release or "older than 2.8"].append(str(node.endpoint.node_id))
    proven = "; ".join(_release(release, ids, len(releases)) for release, ids in sorted(releases.items()))
    said = f"{len(answering)} of {counted(len(cluster.brokers) + len(unnamed), 'broker')} answer: {proven or 'none'}"
    if cluster.asked is not None and cluster.holders is None:
        said += "; whether others have replicas is not known"
    if not failed:
        return Finding(State.OK, said)
    return Finding(_without_brokers(cluster.configured), said, failed)


def _release(release: str, ids: list[str], releases: int) -> str:
    text = release if " " in release else f"Kafka {release} or newer"
    return text if releases == 1 else f"{', '.join(ids)} {text}"


def _without_brokers(configured: Configured) -> State:
    """The state of a check when an answer of a broker is missing."""
    return State.FAILED if configured.unreachable_brokers == "refuse" else State.WARNING


def paging(cluster: Cluster) -> Finding:
    """How each RPC is paged, by broker; a broker that does not offer an RPC that a table requires is a failure."""
    answering = [node for node in cluster.brokers if node.failure is None]
    if not answering:
        return Finding(State.NOT_CHECKED, "no broker answers")
    ways = Counter(way for way in _ways(answering[0].paging).values())
    by_cursor = sorted(rpc for rpc, way in _ways(answering[0].paging).items() if way == "cursor")
    counts = [f"{ways[way]} {text}" for way, text in _TEXTS if ways[way]]
    cursors = [f"by cursor: {', '.join(by_cursor)}"] if 0 < len(by_cursor) <= _NAMED else []
    if len(by_cursor) > _NAMED:
        cursors = [f"{len(by_cursor)} RPCs by cursor"]
    said = "; ".join([*cursors, *counts])
    details = (*_not_offered(cluster, answering), *_differing(answering))
    if not details:
        return Finding(State.OK, said)
    needed = any(detail.tables for detail in details)
    return Finding(_without_brokers(cluster.configured) if needed else State.OK, said, details)


_NAMED = 2
_LEAVE_OUT = (
    "leave these out of `tables`, or publish them without it: completeness.unreachable_brokers: publish_incomplete"
)
_TEXTS = (("window", "in windows"), ("whole", "whole"), ("none", "not offered"))


def _ways(paging: Mapping[WalkName, str]) -> dict[str, str]:
    """The way of paging by RPC, from its first walk."""
    ways: dict[str, str] = {}
    for (rpc, _), way in paging.items():
        ways.setdefault(rpc, way)
    return ways


def _not_offered(cluster: Cluster, answering: Iterable[Node]) -> Iterator[Detail]:
    for taken in cluster.configured.taken:
        lacking = [node for node in answering if node.paging.get(taken.name) == "none"]
        if lacking and not taken.keyed:
            ids = ", ".join(str(node.endpoint.node_id) for node in lacking)
            what = f"not offered by {'broker' if len(lacking) == 1 else 'brokers'} {ids}"
            yield Detail(taken.name[0], what, _LEAVE_OUT if taken.required else None, taken.required)


def _differing(answering: list[Node]) -> Iterator[Detail]:
    """RPCs that brokers page differently, as during an upgrade."""
    first = _ways(answering[0].paging)
    for node in answering[1:]:
        for rpc, way in _ways(node.paging).items():
            if way != first.get(rpc):
                what = f"{rpc}: {way}, and {first.get(rpc)} at {answering[0].endpoint}"
                yield Detail(str(node.endpoint), what)
