"""What identifies a cluster in a lake: the cluster id, which Kafka writes when the storage of a cluster is formatted.

All readers group censuses by `KEY`. A configured name selects censuses, together with the cluster's former names
(`clusters.NAME.former_names`). Images and charts with a fixed id give two clusters the same id: no census is started or
published while its id has published censuses under a name that is not one of its cluster (`require_own`). Lakes of
earlier releases may hold such censuses: `mixed` names them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kafka_census.errors import WrongCluster

KEY = "cluster_id"
"""The column that identifies a cluster in every table."""


@dataclass(frozen=True)
class Last:
    """The last published census of a cluster, by one of the names that it had in configurations."""

    cluster_id: str
    cluster: str
    census_id: str


@dataclass(frozen=True)
class Names:
    """The names of clusters in a configuration.

    of_one   the present name of the one cluster that is read, then its former names; empty: all clusters
    present  the present name of a cluster by each of its former names; a reader without a configuration knows none
    """

    of_one: tuple[str, ...] = ()
    present: Mapping[str, str] = field(default_factory=dict)


EVERY = Names()
"""All clusters of a lake, by the names in it."""


def foreign(cluster_id: str, names: tuple[str, ...], published: Iterable[Last]) -> Last | None:
    """The last census of this id that was published under a name that is none of the cluster's; None without one."""
    others = [one for one in published if one.cluster_id == cluster_id and one.cluster not in names]
    return max(others, key=lambda one: one.census_id, default=None)


def told(names: tuple[str, ...], other: Last) -> tuple[str, str]:
    """What is wrong with a `foreign` census, and what to do. `names` begins with the present name of the cluster."""
    what = (
        f"this lake has censuses of cluster id {other.cluster_id} under another name, '{other.cluster}' (the last is "
        f"{other.census_id})"
    )
    renamed = f"clusters.{names[0]}.former_names: [{', '.join([*names[1:], other.cluster])}]"
    return what, (
        f"where '{other.cluster}' was renamed to '{names[0]}', set {renamed}, or with --bootstrap-server give "
        f"--cluster {other.cluster}; where these are two clusters, one has a "
        "copied cluster.id: give each a lake of its own (lake.root), or format one with another cluster.id"
    )


def require_own(cluster_id: str, names: tuple[str, ...], published: Iterable[Last]) -> None:
    """Raise WrongCluster where the id has published censuses under a name that is none of the cluster's.

    names  the present name of the cluster, then its former names
    """
    other = foreign(cluster_id, names, published)
    if other is not None:
        raise WrongCluster(f"cluster '{names[0]}' is not surveyed into this lake: {'; '.join(told(names, other))}")


def mixed(published: Iterable[Last], present: Mapping[str, str]) -> list[str]:
    """One line per cluster id with published censuses under several names.

    present  the present name of a cluster by each of its former names; a reader without a configuration knows none
    """
    by_id: dict[str, dict[str, str]] = {}
    for one in published:
        last = by_id.setdefault(one.cluster_id, {})
        name = present.get(one.cluster, one.cluster)
        last[name] = max(one.census_id, last.get(name, ""))
    return [
        f"cluster id {cluster_id} has censuses under {len(last)} names, {', '.join(sorted(last))}: current_* shows the "
        f"last of them all, {max(last.values())} of {max(last, key=lambda name: last[name])}; that is right where a "
        "cluster was renamed (former_names in the configuration), and two clusters need two lakes"
        for cluster_id, last in sorted(by_id.items())
        if len(last) > 1
    ]
