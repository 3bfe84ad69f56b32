"""What the loss of brokers did, by Kafka's own answers before and after: what failure_impact must have foretold."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

Partitions = Mapping[tuple[str, int], Mapping[str, Any]]
"""Rows with leader_id, isr, isr_size, eligible_leader_replicas and min_isr_effective, by topic and partition."""


def happened(before: Partitions, after: Partitions, lost: Collection[int]) -> dict[str, Any]:
    """Columns of failure_impact that Kafka's answers about partitions decide."""
    led = {one: row for one, row in before.items() if row["leader_id"] is not None}
    offline = {one for one in led if after[one]["leader_id"] is None}
    moved = {one for one in led.keys() - offline if led[one]["leader_id"] in lost}
    unclean = {
        one for one in moved if after[one]["leader_id"] not in {*led[one]["isr"], *led[one]["eligible_leader_replicas"]}
    }
    sizes = [(row["isr_size"], after[one]["isr_size"], row["min_isr_effective"]) for one, row in led.items()]
    sizes = [size for one, size in zip(led, sizes, strict=True) if one not in offline]
    heirs = Counter(after[one]["leader_id"] for one in moved)
    return {
        "offline_partitions": len(offline),
        "offline_topics": len({topic for topic, _ in offline}),
        "unclean_partitions": len(unclean),
        "under_min_isr_partitions": sum(now < least <= then for then, now, least in sizes),
        "at_min_isr_partitions": sum(now == least < then for then, now, least in sizes),
        "last_in_sync_partitions": sum(now == 1 < then for then, now, _ in sizes),
        "leaders_moving": len(moved),
        "leaders_to": [{"broker_id": node, "leaders": count} for node, count in sorted(heirs.items())],
    }
