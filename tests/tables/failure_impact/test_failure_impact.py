"""Each loss stops what Kafka's own rules say; what is not known is never called safe; Spark and DuckDB foretell alike.

The cases are in one frame: the brokers of a case have ids of their own, from 10 times its number on.
"""

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from kafka_census.declarations.table import Table
from kafka_census.impact.in_duckdb import foretold
from kafka_census.impact.verdict import ALL_WELL
from kafka_census.tables.failure_impact.columns import FAILURE_IMPACT, KINDS
from kafka_census.tables.failure_impact.transform import frames
from spark.landed_items import Item, at, compute, frame, item, published, rows_by, rows_of, transform_of

IDENTITY = published(1)
OFFSETS, STATE = "__consumer_offsets", "__transaction_state"
Rows = dict[str, list[Item]]


def broker(node: int, rack: str | None = None, state: str = "alive") -> Item:
    return IDENTITY | {"broker_id": node, "rack": rack, "state": state, "is_controller": False}


def partition(topic: str, number: int, replicas: list[int], minimum: int | None = 1, **more: Any) -> Item:
    """A partition that its first replica leads, all in sync, 100 bytes in the dir /a of each broker."""
    dirs = [{"broker_id": node, "log_dir": "/a", "bytes": 100} for node in replicas]
    row = {"topic": topic, "partition": number, "replicas": replicas, "isr": replicas, "leader_id": replicas[0]}
    row |= {"min_isr_effective": minimum, "status": "OK", "log_dirs": dirs}
    return IDENTITY | row | more


def log_dir(node: int, name: str = "/a", state: str = "online", reason: str | None = None) -> Item:
    return IDENTITY | {"broker_id": node, "log_dir": name, "state": state, "reason": reason}


def voter(node: int, *, caught_up: bool | None = True) -> Item:
    return IDENTITY | {"replica_id": node, "directory_id": "", "role": "voter", "caught_up": caught_up}


def placed(ids: str, name: str, number: int, coordinator: int | None, **more: Any) -> Item:
    column = "offsets_partition" if ids == "group_id" else "transactions_partition"
    found = {"found_coordinator": coordinator, "expected_coordinator": coordinator, "agreement": "agree"}
    return IDENTITY | {ids: name, column: number} | found | more


def config(kind: str, name: str, key: str, value: str) -> Item:
    return item(resource_type=kind, resource_name=name, error_code=0, name=key, value=value, source=1)


WORLD: Rows = {
    "brokers": [
        *(broker(node, rack) for node, rack in ((11, "a"), (12, "b"), (13, "c"))),
        *(broker(node, rack) for node, rack in ((21, "d"), (22, "d"), (23, "e"))),
        *(broker(node) for node in (31, 32, 41, 42, 51, 52, 61, 62, 71, 72)),
        *(broker(33, state="fenced"), broker(34, state="not_alive"), broker(99, state="gone")),
    ],
    "partitions": [
        # Three replicas and a minimum of 2: any broker can go.
        *(partition("steady", n, replicas, 2) for n, replicas in enumerate(([11, 12, 13], [12, 13, 11], [11, 13, 12]))),
        # Two of three replicas in one rack.
        partition("near", 0, [21, 22, 23], 2),
        partition("near", 1, [23, 21, 22], 2, isr=[23, 21]),
        # The order is that of the assignment; a fenced broker may be eligible, and cannot lead.
        partition("single", 0, [31]),
        partition("single", 1, [31]),
        partition("elected", 0, [31, 33, 32], 2, isr=[31], eligible_leader_replicas=[33, 32], status="UNDER"),
        partition("stuck", 0, [31, 33], 2, isr=[31], eligible_leader_replicas=[33], status="UNDER"),
        partition("risky", 0, [31, 34, 32], 1, isr=[31], status="UNDER_REPLICATED"),
        partition("offline", 0, [34], 1, leader_id=None, status="OFFLINE"),
        partition("as many", 0, [32, 31], 2),
        # What is not known of one partition, and where the lost replica does not matter.
        partition("unread", 0, [41, 42], None),
        partition("unread", 1, [41, 42], None, isr=[41]),
        # Two log dirs, the second with the metadata log; a replica in no dir that was told.
        partition("disks", 0, [51, 52], log_dirs=[{"broker_id": 51, "log_dir": "/b", "bytes": 7}]),
        partition("disks", 1, [51], log_dirs=[{"broker_id": 51, "log_dir": "/a", "bytes": 5}]),
        # Coordinators.
        *(partition(OFFSETS, 0, [61, 62]), partition(OFFSETS, 1, [61]), partition(STATE, 0, [62], 1)),
        # The leader has no listener of the name that was asked.
        partition("hidden", 0, [71, 72], leader_id=None, status="UNKNOWN"),
    ],
    "log_dirs": [
        *(log_dir(51), log_dir(51, "/b"), log_dir(52), log_dir(31)),
        *(log_dir(61, "", "not_read", "broker 61 did not answer"), log_dir(34, "", "not_read", "BROKER_NOT_ALIVE")),
        *(log_dir(62, "/z", "offline", "KAFKA_STORAGE_ERROR"), log_dir(62, "remote://x", "remote")),
    ],
    "quorum": [voter(51), voter(901), voter(902, caught_up=None)],
    "backlog": [
        IDENTITY | {"topic": "steady", "partition": 0, "kind": "move", "replica_id": 13, "log_dir": "/a"},
        IDENTITY | {"topic": "steady", "partition": 0, "kind": "remove", "replica_id": 12},
        IDENTITY
        | {"topic": "disks", "partition": 1, "kind": "log_dir_move", "replica_id": 51, "log_dir": "/a"}
        | {"future_log_dir": "/b"},
    ],
    "groups": [
        *(placed("group_id", f"g{n}", n % 2, 61) for n in range(5)),
        placed("group_id", "unanswered", 0, None, agreement="unknown", expected_coordinator=61),
        placed("group_id", "lost", 0, None, agreement="no_coordinator"),
        placed("group_id", "grown", 0, 72, agreement="formula_differs", expected_coordinator=61),
    ],
    "transactions": [placed("transactional_id", "t", 0, 62)],
    "topic_configs": [config("topic", "risky", "unclean.leader.election.enable", "true")],
    "broker_configs": [
        *(config("broker", "51", "process.roles", "broker,controller"), config("broker", "51", "log.dirs", "/b, /a")),
        *(config("broker", node, "process.roles", "broker") for node in ("31", "52")),
    ],
}
COUNTS = [
    *("verdict", "offline_partitions", "unclean_partitions", "under_min_isr_partitions", "at_min_isr_partitions"),
    *("last_in_sync_partitions", "leaders_moving"),
]
LOST, STOPS, UNKNOWN, DEGRADES, SAFE = "loses_availability", "stops_writes", "unknown", "degrades", "safe"
EXPECTED: dict[tuple[str, str], tuple[Any, ...]] = {
    ("broker", "13"): (DEGRADES, 0, 0, 0, 3, 0, 0),
    ("rack", "d"): (STOPS, 0, 0, 2, 0, 2, 1),
    ("broker", "31"): (LOST, 3, 1, 1, 0, 1, 2),
    ("broker", "33"): (SAFE, 0, 0, 0, 0, 0, 0),
    ("broker", "34"): (SAFE, 0, 0, 0, 0, 0, 0),
    ("broker", "41"): (LOST, 1, 0, None, None, 1, 1),
    ("broker", "42"): (UNKNOWN, 0, 0, None, None, 1, 0),
    ("broker", "51"): (LOST, 1, 0, 0, 1, 1, 1),
    ("log_dir", "51:/a"): (LOST, 1, 0, 0, 0, 0, 0),
    ("log_dir", "51:/b"): (LOST, 1, 0, 0, 1, 1, 1),
    ("log_dir", "52:/a"): (UNKNOWN, None, None, None, None, None, None),
    ("log_dir", "31:/a"): (LOST, 3, 1, 1, 0, 1, 2),
    ("log_dir", "61:"): (UNKNOWN, None, None, None, None, None, None),
    ("log_dir", "62:/z"): (SAFE, 0, 0, 0, 0, 0, 0),
    ("broker", "61"): (LOST, 1, 0, 0, 1, 1, 1),
    ("broker", "71"): (UNKNOWN, None, None, None, None, None, None),
    ("controller", "51"): (LOST, 1, 0, 0, 1, 1, 1),
    ("controller", "901"): (UNKNOWN, 0, 0, 0, 0, 0, 0),
    ("controller", "902"): (SAFE, 0, 0, 0, 0, 0, 0),
}
"""By what is lost, the columns of `COUNTS`."""
IDS = ["groups_moving", "groups_stranded", "groups_reason", "transactional_ids_moving", "transactional_ids_stranded"]
AWAY = "1 group hashes to a partition that another broker leads: where it goes is not known"
HIDDEN = "1 partition has a leader that is not known"
TEXTS: dict[tuple[str, str], dict[str, Any]] = {
    ("broker", "31"): {
        "reason": "3 partitions without a leader; 1 partition with a leader that was not in sync, and lacks records; "
        "1 partition under its minimum ISR; 1 partition with one in-sync replica left",
        "examples": "single-0, single-1, stuck-0, risky-0, as many-0",
        "offline_topics": 2,
        "offline_bytes": 300,
        "leaders_to": [(32, 2)],
    },
    ("broker", "11"): {"leaders_to": [(12, 1), (13, 1)], "reassignments_stopped": 0, "reason": ALL_WELL},
    ("broker", "13"): {"reassignments_stopped": 1, "reason": "1 reassignment without the replica that it copies to"},
    ("log_dir", "51:/a"): {"reassignments_stopped": 1, "keeps_quorum": True},
    ("log_dir", "51:/b"): {"reassignments_stopped": 1, "keeps_quorum": None, "offline_bytes": 5},
    ("broker", "33"): {"reason": "the broker is not alive: nothing more is lost with it"},
    ("log_dir", "52:/a"): {
        "reason": "1 partition with one in-sync replica left; "
        "1 in-sync replica of the broker is in no log dir that it told"
    },
    ("log_dir", "61:"): {"reason": "broker 61 did not answer", "offline_bytes_reason": "broker 61 did not answer"},
    ("broker", "42"): {"min_isr_reason": "1 partition has a minimum ISR that is not known", "partitions_reason": None},
    ("broker", "61"): dict(zip(IDS, (6, 2, None, 0, 0), strict=True)),
    ("broker", "62"): dict(zip(IDS, (0, 0, None, 1, 1), strict=True)),
    ("broker", "72"): dict(zip(IDS, (1, None, AWAY, 0, None), strict=True)),
    ("controller", "901"): {"reason": "1 of 3 voters caught up, 1 not heard from", "broker_id": None},
    ("nothing", ""): {
        "verdict": LOST,
        "examples": "offline-0, elected-0, stuck-0, hidden-0, unread-0",
        "partitions_reason": HIDDEN,
    },
}
"""By what is lost, some columns more."""


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> dict[Any, Any]:
    return rows_by(compute(spark, FAILURE_IMPACT, **WORLD), "kind", "name")


@pytest.fixture(scope="module")
def arrow(spark: SparkSession) -> dict[str, pa.Table]:
    """The frames of the same world, as DuckDB gets them."""
    sources = transform_of(FAILURE_IMPACT).inputs
    roles = {
        role: rows_of(spark, source, WORLD.get(role, []))
        if isinstance(source, Table)
        else frame(spark, *source, WORLD.get(role, []))
        for role, source in sources.items()
    }
    return {name: one.toArrow() for name, one in frames(**roles, missing=()).items()}


def by_name(frames: dict[str, pa.Table], **changed: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """What DuckDB foretells, with other rows in some frames."""
    for name, given in changed.items():
        frames = frames | {name: pa.Table.from_pylist(given, frames[name].schema)}
    return {(row["kind"], row["name"]): row for row in foretold(frames)}


def voting(voters: list[int], caught_up: list[int]) -> dict[str, list[int]]:
    """Columns of the frame `cluster`: the leader has heard from every voter."""
    return {"voters": voters, "caught_up": caught_up, "unheard": []}


def test_each_loss_stops_what_kafkas_rules_say_and_its_row_what_it_rests_on(rows: dict[Any, Any]) -> None:
    told = {key: tuple(rows[key][name] for name in COUNTS) for key in EXPECTED}
    assert told == EXPECTED, {key: (told[key], rows[key].reason) for key in EXPECTED if told[key] != EXPECTED[key]}
    assert {kind for kind, _ in rows} == set(KINDS)
    assert ("broker", "99") not in rows
    assert {name for kind, name in rows if kind == "log_dir"} == {"51:/a", "51:/b", "52:/a", "31:/a", "61:", "62:/z"}
    assert {key: {name: rows[key][name] for name in TEXTS[key]} for key in TEXTS} == TEXTS


def test_spark_and_duckdb_foretell_the_same(rows: dict[Any, Any], arrow: dict[str, pa.Table]) -> None:
    by_duckdb = by_name(arrow)
    told = {key: {name: row[name] for name in row.asDict() if name in by_duckdb[key]} for key, row in rows.items()}
    by_spark = {
        key: row | {"leaders_to": [heir.asDict() for heir in row["leaders_to"]], "observed_at": at(1)}
        for key, row in told.items()
    }
    assert by_duckdb == by_spark


@pytest.mark.parametrize(
    ("changed", "key", "expected"),
    [
        # What is missing of the whole cluster: harm that is known stays, and nothing is safe.
        ({"cluster": {"partitions_gap": "lost"}}, ("broker", "11"), {"verdict": UNKNOWN, "leaders_moving": None}),
        ({"cluster": {"partitions_gap": "lost"}}, ("broker", "31"), {"verdict": LOST, "offline_partitions": None}),
        ({"cluster": {"moves_gap": "lost"}}, ("broker", "11"), {"verdict": UNKNOWN, "reassignments_stopped": None}),
        ({"cluster": {"quorum_gap": "lost"}}, ("broker", "11"), {"verdict": UNKNOWN, "quorum_reason": "lost"}),
        # With ZooKeeper there is no quorum.
        (
            {"cluster": {"has_quorum": False, "quorum_gap": "UNSUPPORTED_VERSION", **voting([], [])}},
            ("broker", "11"),
            {"verdict": SAFE, "keeps_quorum": None, "quorum_reason": None, "voters_needed": None},
        ),
        ({"cluster": voting([], [])}, ("broker", "11"), {"verdict": UNKNOWN, "keeps_quorum": None}),
        # Two of three: one may go, the second may not.
        (
            {"cluster": voting([11, 12, 13], [11, 12])},
            ("broker", "11"),
            {"verdict": LOST, "keeps_quorum": False, "reason": "1 of 3 voters caught up, which is no majority"},
        ),
        ({"cluster": voting([11, 12, 13], [11, 12])}, ("broker", "21"), {"keeps_quorum": True, "voters_left": 2}),
        ({"cluster": voting([11, 21, 22], [11, 21, 22])}, ("rack", "d"), {"keeps_quorum": False, "voters_left": 1}),
        # A list that was not read matters where the broker leads a partition of the internal topic.
        (
            {"brokers": {"groups_gap": "ListGroups lost"}},
            ("broker", "61"),
            {"groups_moving": None, "groups_stranded": None, "groups_reason": "ListGroups lost"},
        ),
        ({"brokers": {"groups_gap": "ListGroups lost"}}, ("broker", "11"), {"verdict": SAFE, "groups_moving": 0}),
    ],
)
def test_what_is_not_known_is_never_safe(
    arrow: dict[str, pa.Table], changed: dict[str, Any], key: tuple[str, str], expected: dict[str, Any]
) -> None:
    given = {name: [row | columns for row in arrow[name].to_pylist()] for name, columns in changed.items()}
    row = by_name(arrow, **given)[key]
    assert {name: row[name] for name in expected} == expected
