"""One broker of both clusters is down: its partitions and coordinators change in the same way.

The last file of the suite, because the real cluster stays changed. A broker that was killed is fenced.
"""

import pytest

from conformance.both import LISTED_WALKS, Emulated, items, named, read
from e2e.listing import Landed
from harness.kafka_cluster import KafkaCluster
from kafka_census.declarations.walk import Walk

GONE = 3
OF_RECORDS = {"OffsetFetch/groups", "DescribeShareGroupOffsets/groups", "ListOffsets/earliest"}
"""Walks that report the leader epoch of a record: the emulator has no records, and reports the leader's epoch."""


@pytest.fixture(scope="module")
def without_a_broker(real: KafkaCluster, emulated: Emulated) -> list[Landed]:
    real.kill_broker(GONE)
    return [read(servers) for servers in (real.bootstrap_servers, emulated(fenced=(GONE,)))]


@pytest.mark.parametrize("walk", LISTED_WALKS, ids=named)
def test_the_items_of_a_walk_are_the_same_without_a_broker(without_a_broker: list[Landed], walk: Walk) -> None:
    left_out = {"leader_epoch"} if named(walk) in OF_RECORDS else set()
    theirs, ours = (
        [tuple(column for column in row if column[0] not in left_out) for row in items(walk, landed[walk.name])[0]]
        for landed in without_a_broker
    )
    assert theirs
    assert ours == theirs
