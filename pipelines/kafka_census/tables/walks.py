"""Which walks a census takes: what its tables read, what those walks need in turn, and witnesses of their listings."""

from kafka_census.tables.landed import LANDED, Landed
from kafka_census.tables.table import Table
from kafka_census.tables.witnesses import WITNESSES

ALWAYS = frozenset({("DescribeCluster", "cluster")})
"""Every census asks who is in the cluster and what the principal may do."""


def walks_for(tables: tuple[Table, ...]) -> tuple[Landed, ...]:
    """The walks that these tables need, in the order of a census."""
    wanted = set(ALWAYS) | {(read.rpc, read.scope) for table in tables for read in table.reads}
    while True:
        taken = [walk for walk in LANDED if (walk.rpc, walk.scope) in wanted]
        unless = (walk.keys.unless for walk in taken if walk.keys)
        named = (*unless, *(keys for walk in taken for keys in (walk.keys, walk.fallback, walk.at and walk.at.keys)))
        sources = {(keys.rpc, keys.scope) for keys in named if keys}
        if any(walk.creates for walk in taken):
            # Its internal topic must have been seen.
            sources.add(("Metadata", "names"))
        if any(walk.every_node or walk.lives_in for walk in taken):
            # Replica lists name brokers that no listing names any more; what has no leader is in no listing.
            sources.add(("DescribeTopicPartitions", "topics"))
        sources |= {walk for witness in WITNESSES if witness.listing in wanted for walk in witness.by}
        if sources <= wanted:
            return tuple(taken)
        wanted |= sources
