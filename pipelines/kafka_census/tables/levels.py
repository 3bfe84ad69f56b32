"""Which walks a census takes, and which of them together.

A census takes what its tables read, what those walks need in turn, and the visibility probes of their listings. Walks
that need not wait for each other are a level: they are planned, fetched and committed together.
"""

from kafka_census.tables.table import Table
from kafka_census.tables.visibility_probes import VISIBILITY_PROBES
from kafka_census.tables.walk import Walk
from kafka_census.tables.walks import WALKS

ALWAYS = frozenset({("DescribeCluster", "cluster")})
"""Every census asks who is in the cluster and what the principal may do."""


def walks_for(tables: tuple[Table, ...]) -> tuple[Walk, ...]:
    """The walks that these tables need, in the order of a census."""
    wanted = set(ALWAYS) | {(read.rpc, read.scope) for table in tables for read in table.reads}
    while True:
        taken = [walk for walk in WALKS if walk.name in wanted]
        sources = {name for walk in taken for name in walk.sources}
        sources |= {(walk.fallback.rpc, walk.fallback.scope) for walk in taken if walk.fallback}
        if any(walk.asks_all_brokers or walk.lives_in for walk in taken):
            # Replica lists name brokers that no listing names any more; what has no leader is in no listing.
            sources.add(("DescribeTopicPartitions", "topics"))
        sources |= {walk for probe in VISIBILITY_PROBES if probe.listing in wanted for walk in probe.by}
        if sources <= wanted:
            return tuple(taken)
        wanted |= sources


def levels(walks: tuple[Walk, ...]) -> tuple[tuple[Walk, ...], ...]:
    """The smallest number of groups of these walks such that each comes after the groups of what it `comes_after`."""
    of: dict[tuple[str, str], int] = {}
    for walk in walks:
        of[walk.name] = 1 + max((of[name] for name in walk.comes_after if name in of), default=-1)
    return tuple(tuple(walk for walk in walks if of[walk.name] == number) for number in sorted(set(of.values())))
