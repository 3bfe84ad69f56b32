"""The walks of a census, and the levels in which they run.

A census takes the walks that its tables read, the walks that those need in turn, and the visibility probes of their
listings. Walks that need not wait for each other form a level: they are planned, fetched and committed together.
"""

from kafka_census.declarations.table import Table
from kafka_census.declarations.visibility_probes import VISIBILITY_PROBES
from kafka_census.declarations.walk import Walk
from kafka_census.declarations.walks import WALKS

ALWAYS = frozenset({("DescribeCluster", "cluster")})
"""The walks of every census: it asks for the brokers, and for the operations that the principal may perform."""


def walks_for(tables: tuple[Table, ...]) -> tuple[Walk, ...]:
    """The walks that these tables need, in the order of a census."""
    wanted = set(ALWAYS) | {(read.rpc, read.scope) for table in tables for read in table.reads}
    while True:
        taken = [walk for walk in WALKS if walk.name in wanted]
        sources = {name for walk in taken for name in walk.sources}
        sources |= {(walk.fallback.rpc, walk.fallback.scope) for walk in taken if walk.fallback}
        if any(walk.asks_all_brokers or walk.lives_in for walk in taken):
            # Only this walk reports replica lists, which name stopped brokers, and partitions without a leader.
            sources.add(("DescribeTopicPartitions", "topics"))
        sources |= {walk for probe in VISIBILITY_PROBES if probe.listing in wanted for walk in probe.by}
        if sources <= wanted:
            return tuple(taken)
        wanted |= sources


def levels(walks: tuple[Walk, ...]) -> tuple[tuple[Walk, ...], ...]:
    """The walks in as few levels as possible; a walk is in a later level than the walks that it `comes_after`."""
    of: dict[tuple[str, str], int] = {}
    for walk in walks:
        of[walk.name] = 1 + max((of[name] for name in walk.comes_after if name in of), default=-1)
    return tuple(tuple(walk for walk in walks if of[walk.name] == number) for number in sorted(set(of.values())))
