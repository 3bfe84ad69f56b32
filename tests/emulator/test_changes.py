"""Two emulated worlds whose difference is known, one broker unread in the second: `changes` is that difference."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from pyspark.sql import functions as F

from e2e.operator import PUBLISH_INCOMPLETE, Operator
from emulator.asking import serving
from kafka_census.sql.difference import difference, published
from kafka_census.tables.changes import CHANGES
from kafka_census.tables.hanging_transactions import HANGING_TRANSACTIONS
from kafka_census.tables.log_dir_usage import LOG_DIR_USAGE
from kafka_census.tables.quorum import QUORUM
from kafka_census.tables.scram_users import SCRAM_USERS
from kafka_census.without_spark import PublishedLake
from kafka_emulator.__main__ import server_of
from kafka_emulator.scenario import Scenario
from kafka_emulator.world import World

GROUPS = [f"group-{number:02}" for number in range(12)]
UNREAD = 3
"""The broker that answers nothing in the second world."""

Change = tuple[str, str, str, str, str | None, str | None]
"""Subject, key, column_name, change, before, after."""
Rows = Sequence[Mapping[str, Any]]


def first() -> dict[str, Any]:
    orders = {"name": "orders", "assignment": [[1, 2], [2, 1]], "configs": {"retention.ms": "1000"}, "log_end": 50_000}
    return {
        "brokers": {"count": 3, "configs_of": {1: {"num.io.threads": "9"}, UNREAD: {"num.io.threads": "10"}}},
        "topics": {
            "partitions": 0,
            "declared": [
                orders,
                {"name": "old", "assignment": [[1, 2]]},
                {"name": "moved", "assignment": [[1]], "states": [{"partition": 0, "adding": [2]}]},
                {"name": "moved-there", "assignment": [[1]], "states": [{"partition": 0, "adding": [UNREAD]}]},
            ],
        },
        "groups": {"count": 0, "offsets_partitions": 6, "declared": [_group(one, 49_990) for one in GROUPS]},
        "transactions": {"count": 0},
        "security": {
            "acls": [
                {"principal": "User:app", "operation": "READ", "resource_type": "TOPIC", "resource_name": "orders"}
            ],
            "quotas": [{"entity": {"user": "alice"}, "values": {"producer_byte_rate": 1000.0}}],
            "scram_users": [{"user": "alice", "mechanisms": {"SCRAM-SHA-256": 4096}}],
        },
    }


def second() -> dict[str, Any]:
    """Later: of everything something is otherwise, and broker 3 hangs up whenever it is asked."""
    world = first()
    orders, _, moved, there = world["topics"]["declared"]
    orders |= {"assignment": [[1, 2], [2, 1], [1, 2]], "configs": {"retention.ms": "2000"}}
    orders["states"] = [{"partition": 0, "isr": [1]}]
    del moved["states"], there["states"]
    # At the position of the old one: the emulator makes ids of topics from their positions.
    world["topics"]["declared"] = [orders, {"name": "new", "assignment": [[2, 1]]}, moved, there]
    world["brokers"]["configs_of"][1] = {"num.network.threads": "5"}
    world["groups"]["declared"] = [_group(one, 0) for one in GROUPS]
    world["security"] = {
        "acls": [{"operation": "ALL", "resource_type": "TOPIC", "resource_name": "*"}],
        "quotas": [{"entity": {"user": "alice"}, "values": {"producer_byte_rate": 1000.5, "consumer_byte_rate": 7.0}}],
        "scram_users": [{"user": "alice", "mechanisms": {"SCRAM-SHA-256": 8192, "SCRAM-SHA-512": 4096}}],
    }
    return world | {"faults": [{"broker": UNREAD, "always": True, "do": "drop"}]}


def _group(name: str, offset: int) -> dict[str, Any]:
    offsets = [{"topic": "orders", "partition": at, "offset": offset} for at in (0, 1)]
    return {"id": name, "offsets": offsets}


@pytest.fixture(scope="module")
def taken(operator: Callable[..., Operator]) -> Operator:
    """A census of each world in one lake: published, whatever was not read."""
    census = replace(operator("none", "changes"), tables=(LOG_DIR_USAGE, QUORUM, SCRAM_USERS, CHANGES))
    for world in (first(), second()):
        with serving(server_of(Scenario.model_validate(world))) as server:
            # The broker that is not read is no bootstrap server.
            census.servers = ",".join(server.bootstrap_servers.split(",")[: UNREAD - 1])
            ran = census.run("census", "--no-report", **PUBLISH_INCOMPLETE)
            assert (ran.code, ran.error) == (0, ""), ran.err[-2000:]
    return census


@pytest.fixture(scope="module")
def reported(taken: Operator) -> Rows:
    found = taken.rows(CHANGES).withColumn("observed_at", F.unix_micros("observed_at")).collect()
    return [row.asDict() for row in found]


def comparable(rows: Rows) -> set[Change]:
    """Without where brokers listen, which differs from one start of the emulator to the next, and sizes of logs."""
    found = [
        (row["subject"], row["key"], row["column_name"], row["change"], _without_size(row["before"]), row["after"])
        for row in rows
        if row["column_name"] != "host"
    ]
    assert len(set(found)) == len(found)
    return set(found)


def _without_size(text: str | None) -> str | None:
    return text and re.sub(r"^\d+ (?=bytes left)", "", text)


def test_changes_are_the_difference_of_the_two_worlds(reported: Rows) -> None:
    """All differences, and nothing else, none of them of the first census; what only broker 3 reports is unread."""
    unheard = World(Scenario.model_validate(first())).groups_of(UNREAD)[:]
    assert 0 < len(unheard) < len(GROUPS)
    assert comparable(reported) == {
        ("partition", "orders-0", "status", "worse", "OK", "AT"),
        ("topic", "orders", "partitions", "changed", "2", "3"),
        ("partition", "moved-0", "replicas", "changed", "[1, 2]", "[1]"),
        ("partition", "moved-there-0", "replicas", "changed", "[1, 3]", "[1]"),
        ("topic", "old", "", "gone", "1 partition", None),
        ("topic", "new", "", "appeared", None, "1 partition"),
        ("config", "topic orders retention.ms", "value", "changed", "1000", "2000"),
        ("config", "broker 1 num.io.threads", "", "gone", "9", None),
        ("config", "broker 1 num.network.threads", "", "appeared", None, "5"),
        ("config", f"broker {UNREAD}", "", "unread", None, None),
        ("broker", str(UNREAD), "release_at_least", "unread", "4.3", None),
        ("move", "moved-0 move at broker 2", "", "gone", "bytes left", None),
        ("move", f"moved-there-0 move at broker {UNREAD}", "", "unread", "bytes left", None),
        ("quota", "user alice producer_byte_rate", "value", "changed", "1000", "1000.5"),
        ("quota", "user alice consumer_byte_rate", "", "appeared", None, "7"),
        ("log_dir", f"broker {UNREAD}", "", "unread", None, None),
        ("scram_user", "alice SCRAM-SHA-256", "iterations", "changed", "4096", "8192"),
        ("scram_user", "alice SCRAM-SHA-512", "", "appeared", None, "4096 iterations"),
        ("acl", "allow read on topic literal orders to User:app from *", "", "gone", "ordinary", None),
        ("acl", "allow all on topic literal * to User:ANONYMOUS from *", "", "appeared", None, "dangerous"),
        *(("group", group, "", "unread", "lag 20", None) for group in unheard),
        *(("group", group, "lag_total", "worse", "20", "100000") for group in GROUPS if group not in unheard),
    }
    reasons = {row["reason"] for row in reported if row["change"] == "unread" and row["subject"] == "group"}
    assert reasons == {"ListGroups was not read from broker 3 (CONNECTION_FAILED)"}


def test_diff_says_the_same_without_spark(taken: Operator, reported: Rows) -> None:
    lake = PublishedLake(taken.lake)
    found = difference(lake, *published(lake, {}))
    assert found.not_compared == [HANGING_TRANSACTIONS.name]  # no census here has the table
    ours = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    theirs = [{name: row[name] for name in found.columns} for row in reported]
    for row in ours:
        row["observed_at"] = round(row["observed_at"].timestamp() * 1e6)
    assert sorted(map(repr, ours)) == sorted(map(repr, theirs))
