"""The SQL of failure_impact counts what Kafka's election does to each partition by itself, whatever is lost.

PartitionChangeBuilder, without the brokers that are lost: the leader stays, else the first replica that is in sync,
else the first that is eligible and alive, else, where the topic allows it, the first that is alive.
"""

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_census.impact.answers import table_of
from kafka_census.impact.frames import FRAMES
from kafka_census.impact.in_duckdb import foretold
from spark.landed_items import at

BROKERS = range(1, 7)
Partition = dict[str, Any]


@st.composite
def partitions(draw: st.DrawFn) -> Partition:
    """A partition that has a leader, or none."""
    replicas = draw(st.lists(st.sampled_from(BROKERS), min_size=1, max_size=4, unique=True))
    isr = draw(st.lists(st.sampled_from(replicas), unique=True))
    others = [node for node in replicas if node not in isr]
    return {
        "replicas": replicas,
        "isr": isr,
        "leader_id": draw(st.sampled_from(isr)) if isr else None,
        "eligible": draw(st.lists(st.sampled_from(others), unique=True)) if others else [],
        "min_isr": draw(st.integers(1, len(replicas))),
        "unclean": draw(st.booleans()),
    }


def counted(of: list[Partition], lost: set[int], alive: set[int]) -> dict[str, Any]:
    """What Kafka would do, partition by partition."""
    found: Counter[str] = Counter()
    heirs: Counter[int] = Counter()
    for each in of:
        leader, isr, least = each["leader_id"], set(each["isr"]), each["min_isr"]
        if leader is None:
            continue
        left, there = isr - lost, [node for node in each["replicas"] if node not in lost]
        clean = [node for node in there if node in left] or [
            node for node in there if node in alive and node in each["eligible"]
        ]
        uncleanly = [node for node in there if node in alive and each["unclean"]]
        heir = leader if leader not in lost else next(iter([*clean, *uncleanly]), None)
        found["offline"] += heir is None
        found["unclean"] += heir is not None and leader in lost and not clean
        in_sync = len(left) or 1
        if heir is not None:
            found["under_min_isr"] += in_sync < least <= len(isr)
            found["at_min_isr"] += in_sync == least < len(isr)
            found["last_in_sync"] += in_sync == 1 < len(isr)
            heirs[heir] += leader in lost
    names = ("offline", "unclean", "under_min_isr", "at_min_isr", "last_in_sync")
    to = [{"broker_id": node, "leaders": count} for node, count in sorted(heirs.items()) if count]
    return {f"{name}_partitions": found[name] for name in names} | {"leaders_to": to}


@settings(max_examples=40)
@given(
    of=st.lists(partitions(), min_size=1, max_size=12),
    racks=st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=len(BROKERS), max_size=len(BROKERS)),
    down=st.sets(st.sampled_from(BROKERS), max_size=2),
)
def test_what_is_foretold_is_what_kafka_does_to_each_partition(
    of: list[Partition], racks: list[str], down: set[int]
) -> None:
    rack_of, alive = dict(zip(BROKERS, racks, strict=True)), set(BROKERS) - down
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in FRAMES}
    for number, each in enumerate(of):
        named = [rack_of[node] for node in each["replicas"]]
        known = [rack for rack in named if rack]
        mates = [[node for node in each["replicas"] if rack_of[node] == rack] for rack in named]
        row = {"topic": "t", "partition": number, "known": True, "racks": named, "dirs": [], "dir_bytes": []}
        rows["partitions"].append(
            row | {"mates": mates if len(known) > len(set(known)) else None, "dir_brokers": []} | each
        )
    rows["brokers"] = [{"broker_id": node, "rack": rack, "state": "alive"} for node, rack in rack_of.items()]
    lists: dict[str, list[int]] = {name: [] for name in ("voters", "caught_up", "unheard")}
    rows["cluster"] = [{"alive": sorted(alive), "has_quorum": False, "observed_at": at(0), **lists}]
    found = {(row["kind"], row["name"]): row for row in foretold({n: table_of(n, some) for n, some in rows.items()})}
    losses = {("broker", str(node)): {node} for node in BROKERS}
    losses |= {("rack", rack): {node for node in BROKERS if rack_of[node] == rack} for rack in {*racks} - {""}}
    for loss, lost in losses.items():
        wanted = counted(of, lost, alive)
        assert {name: found[loss][name] for name in wanted} == wanted, loss
