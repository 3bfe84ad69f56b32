"""One broker of both clusters is down: its partitions and coordinators change in the same way.

The last file of the suite, because the real cluster stays changed. A broker that was killed is fenced.
"""

from collections.abc import Callable

import pytest

from conformance.both import LISTED_WALKS, items, named, read
from conformance.by_nature import Row
from conformance.conftest import Census
from e2e.listing import Landed
from harness.kafka_cluster import KafkaCluster
from kafka_census.error_codes import ErrorCode
from kafka_census.tables.walk import Walk

GONE = 3
OF_RECORDS = {"OffsetFetch/groups", "DescribeShareGroupOffsets/groups", "ListOffsets/earliest"}
"""Walks that report the leader epoch of a record: the emulator has no records, and reports the leader's epoch."""


@pytest.fixture(scope="module")
def without_a_broker(real: KafkaCluster, emulated: Callable[..., str], census: Census) -> list[Landed]:
    real.kill_broker(GONE)
    return [read(census(servers)) for servers in (real.bootstrap_servers, emulated(fenced=(GONE,)))]


@pytest.mark.parametrize("walk", LISTED_WALKS, ids=named)
def test_the_items_of_a_walk_are_the_same_without_a_broker(without_a_broker: list[Landed], walk: Walk) -> None:
    """Leaders, ISRs and ELRs, fenced brokers, and coordinators."""
    theirs, ours = (reported(landed, walk) for landed in without_a_broker)
    assert theirs
    assert ours == theirs


def reported(landed: Landed, walk: Walk) -> list[Row]:
    """The items of a walk, without epochs of records; what the broker owes is a page that says that it is down."""
    pages = landed[walk.name]
    owed = [page.error_code for page in pages if page.chain.node_id == GONE]
    assert owed == ([ErrorCode.BROKER_NOT_ALIVE] if walk.asks_all_brokers else [])
    rows, _ = items(walk, [page for page in pages if page.chain.node_id != GONE])
    left_out = {"leader_epoch"} if named(walk) in OF_RECORDS else set()
    return [tuple(column for column in row if column[0] not in left_out) for row in rows]
