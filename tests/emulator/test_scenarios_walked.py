"""Each scenario, walked as a census would: all of its faults are hit, and what is not healed is refused as it says."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from emulator.asking import serving
from emulator.census import Census, census, texts
from kafka_census.declarations.walks import WALKS
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_emulator.__main__ import server_of
from kafka_emulator.faults import Faults
from kafka_emulator.scenario_file import names, read

SMALLER: dict[str, dict[str, Any]] = {
    "hot_producers": {"topics.declared": [{"name": "hot", "partitions": 4, "producers": 250}]},
    "huge_group": {
        "topics.declared": [{"name": "wide", "partitions": 100}],
        "groups.declared": [
            {"id": f"huge-{kind}", "type": kind, "members": 120, "topics": ["wide"]} for kind in ("classic", "consumer")
        ],
    },
}

DENIED, DOWN, OLD = "CLUSTER_AUTHORIZATION_FAILED", "BROKER_NOT_ALIVE", "UNSUPPORTED_VERSION"
REFUSED: dict[str, set[tuple[str, int | None, str | None]]] = {
    "narrow_acls": {
        ("ListPartitionReassignments", 1, DENIED),
        *(("DescribeLogDirs", broker, DENIED) for broker in (1, 2, 3)),
        ("DescribeAcls", 1, DENIED),
        ("DescribeClientQuotas", 1, DENIED),
        ("DescribeUserScramCredentials", 1, DENIED),
        ("ListConfigResources", 1, DENIED),
        ("DescribeQuorum", 1, DENIED),
    },
    "old_brokers": {
        # All groups are classic ones there: what describes others is not asked. Of offsets the newest record's alone.
        (rpc, 1, OLD)
        for rpc in ("ListTransactions", "DescribeTransactions", "ListConfigResources", "DescribeQuorum", "ListOffsets")
    },
    "one_broker_down": {
        (rpc, 3, DOWN)
        for rpc in ("ApiVersions", "DescribeConfigs", "DescribeLogDirs", "ListGroups", "ListTransactions")
    },
}
"""By scenario: RPC, broker and error; nothing in all others."""

COLLECT = CollectSettings(page_limit=50, retry_backoff_ms=50, retry_backoff_max_ms=200, max_attempts=8)
"""Patient until a broker is back after half a second."""

FOR_GOOD = frozenset({"one_broker_down"})
"""Scenarios of which no broker that is down comes back."""

pytestmark = pytest.mark.timeout(60)


@cache
def walked(name: str, *, calm: bool = False) -> Census:
    """A census of a scenario's cluster, in pages of 50; `calm`: without its faults."""
    server = server_of(read(name, SMALLER.get(name, {})))
    if calm:
        server.faults = Faults()
    with serving(server):
        taken = census(server, replace(COLLECT, max_attempts=2) if name in FOR_GOOD else COLLECT)
    assert server.failure is None
    assert server.faults.never_hit == ()
    return taken


@pytest.mark.parametrize("name", names())
def test_a_scenario_is_healed_or_refused(name: str) -> None:
    found = {(defect.rpc, defect.broker_id, defect.error) for defect in walked(name).missing_reads()}
    assert found == REFUSED.get(name, set())


def test_a_patient_reader_of_the_hostile_scenario_gets_everything() -> None:
    hostile, calm = walked("hostile"), walked("hostile", calm=True)
    for walk in WALKS:
        assert texts(hostile.items(*walk.name)) == texts(calm.items(*walk.name))
