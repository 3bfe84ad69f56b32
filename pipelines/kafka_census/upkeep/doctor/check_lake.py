"""Checks of the lake's history of a cluster's name, and of clocks: a census id begins with the start of the census.

Only DescribeQuorum reports a broker's time: for the leader of the metadata log, the active controller, the last fetch
time is the controller's clock at the answer (KRaft, Kafka 3.3 and later).
"""

from kafka_census.declarations.census import started_at
from kafka_census.errors import ConfigError
from kafka_census.kafka.rpc.describe_quorum import ITEM as REPLICA
from kafka_census.lake.cluster_key import foreign, told
from kafka_census.terminal.human import human_time
from kafka_census.upkeep.doctor.facts import Cluster
from kafka_census.upkeep.doctor.finding import Detail, Finding, State

_TOLERATED_S, _MINUTE = 5.0, 60.0
_QUORUM = ("DescribeQuorum", "quorum")


def history(cluster: Cluster) -> Finding:
    """Whether the lake's censuses of this name are of this cluster."""
    name, of_lake, view = cluster.configured.settings.name, cluster.history, cluster.view
    if of_lake.unread is not None:
        return Finding(State.NOT_CHECKED, of_lake.unread)
    names = cluster.configured.names
    other = None if view is None else foreign(view.cluster_id, names, of_lake.published)
    if other is not None:
        return Finding(State.FAILED, "another name had this cluster id", (Detail(name, *told(names, other)),))
    if of_lake.cluster_id is None:
        return Finding(State.OK, f"the lake has no census of '{name}' yet")
    if view is not None and of_lake.cluster_id != view.cluster_id:
        what = f"the cluster there is {view.cluster_id}, the lake's censuses of '{name}' are of {of_lake.cluster_id}"
        remedy = f"correct clusters.{name}.bootstrap_servers, or give the new cluster a name of its own (--cluster)"
        return Finding(State.FAILED, "another cluster had this name", (Detail(name, what, remedy),))
    published = _published(cluster)
    last = f"the last published one is {published}" if published else "none is published yet"
    return Finding(State.OK, f"the lake's censuses of '{name}' are of this cluster; {last}")


def clock(cluster: Cluster) -> Finding:
    """Whether this machine's clock is behind the last published census, or far from the controller's."""
    ahead, skew = _ahead(cluster), _skew(cluster)
    if ahead is not None:
        return Finding(State.FAILED, "behind the last published census", (ahead,))
    if skew is None:
        return Finding(State.OK, "no broker reported its time")
    node, apart, unsure = skew
    off = human_time(abs(apart)) if abs(apart) >= _MINUTE else f"{abs(apart):.1f}s"
    said = f"{off} {'behind' if apart > 0 else 'ahead of'} that of broker {node}"
    said = said if abs(apart) > unsure else f"as that of broker {node}"
    controller = f"{said}, the active controller"
    if abs(apart) - unsure <= _TOLERATED_S:
        return Finding(State.OK, controller)
    what = f"this machine's clock is {controller}: ages of transactions and lags in time are wrong by that"
    return Finding(State.WARNING, controller, (Detail("this machine", what, "set the clock that is wrong (NTP)"),))


def _published(cluster: Cluster) -> str | None:
    """The id of the last published census of the cluster; None for none."""
    return max((one.census_id for one in cluster.history.published), default=None)


def _ahead(cluster: Cluster) -> Detail | None:
    """A published census that begins after now: a new census would stay hidden behind it."""
    published = _published(cluster)
    if published is None:
        return None
    try:
        begins = started_at(published)
    except ConfigError as error:
        return Detail("audit/publications", str(error), "delete these rows")
    if begins <= cluster.now:
        return None
    name = cluster.configured.settings.name
    return Detail(
        "this machine",
        f"the last published census, {published}, begins at {begins:%Y-%m-%d %H:%M:%SZ}, after the time here",
        "set the clock, or retire a census of a wrong clock: "
        f"kafka-census maintain --cluster {name} --retire {published} --apply",
    )


def _skew(cluster: Cluster) -> tuple[int, float, float] | None:
    """The active controller, the seconds by which its clock is ahead of ours, and their error; None without a time."""
    answer = cluster.answers.get(_QUORUM)
    if answer is None or answer.code:
        return None
    names = [field.name for field in REPLICA]
    replicas = [dict(zip(names, row, strict=True)) for row in answer.rows]
    leader = next((one for one in replicas if one["replica_id"] == one["leader_id"]), None)
    if leader is None or leader["last_fetch_ms"] is None:
        return None
    asked, answered = answer.asked.timestamp(), answer.answered.timestamp()
    return leader["leader_id"], leader["last_fetch_ms"] / 1000 - (asked + answered) / 2, (answered - asked) / 2 + 0.001


def lock(cluster: Cluster) -> Finding:
    """Whether another process surveys the cluster."""
    if cluster.history.lock_trouble is not None:
        return Finding(State.FAILED, "cannot be taken", (Detail("locks", cluster.history.lock_trouble),))
    if cluster.history.holder is None:
        return Finding(State.OK, "free")
    name = cluster.configured.settings.name
    what = f"'{name}' is in use by {cluster.history.holder}: a census that starts now ends with exit code 1"
    return Finding(State.WARNING, "held", (Detail(f"{name}.lock", what, "wait for it to end, or stop it"),))
