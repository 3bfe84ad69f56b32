"""One broker of both clusters is down: its partitions and coordinators change in the same way.

The last file of the suite, because the real cluster stays changed. A broker that was killed is fenced.
"""

from collections.abc import Callable

import pytest

from conformance.both import LISTED_WALKS, items, named
from conformance.by_nature import Row
from harness.kafka_cluster import KafkaCluster
from kafka_census.tables.walk import Walk

GONE = 3
OF_RECORDS = {"OffsetFetch/groups", "DescribeShareGroupOffsets/groups", "ListOffsets/earliest"}
"""Walks that report the leader epoch of a record: the emulator has no records, and reports the leader's epoch."""


@pytest.fixture(scope="module")
def fewer(real: KafkaCluster) -> KafkaCluster:
    """The real cluster without one of its brokers."""
    real.kill_broker(GONE)
    return real


@pytest.mark.parametrize("walk", LISTED_WALKS, ids=named)
def test_the_items_of_a_walk_are_the_same_without_a_broker(
    fewer: KafkaCluster, emulated: Callable[..., str], walk: Walk
) -> None:
    """Leaders, ISRs and ELRs, fenced brokers, and coordinators."""
    theirs, ours = (reported(servers, walk) for servers in (fewer.bootstrap_servers, emulated(fenced=(GONE,))))
    assert theirs
    assert ours == theirs


def reported(servers: str, walk: Walk) -> list[Row]:
    """The items of a walk, without epochs of records."""
    rows, _ = items(servers, walk)
    left_out = {"leader_epoch"} if named(walk) in OF_RECORDS else set()
    return [tuple(column for column in row if column[0] not in left_out) for row in rows]
