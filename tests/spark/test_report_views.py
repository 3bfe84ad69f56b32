"""Tables on a terminal: the rows worth a look, the worst first; unknown differs from none.

Spark and DuckDB find the same; the cases are asked of DuckDB.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from pyspark.sql import SparkSession

from harness.page_lake import BAD_DAY, write_census
from harness.small_lake import census_id
from kafka_census.lake.lake import Lake
from kafka_census.reading.report.found import Found, find
from kafka_census.reading.report.in_duckdb import InDuckDB
from kafka_census.reading.report.in_spark import InSpark
from kafka_census.reading.report.source import Source
from kafka_census.tables.views import VIEWS
from kafka_census.terminal.columns import WIDTH, cells_of, table

Rows = list[dict[str, Any]]
LONG = "a-name-that-is-rather-long-as-names-in-real-clusters-are"
A_TOPIC = "a-topic-with-a-rather-long-name"
VIEW = {view.table.name: view for view in VIEWS}


class Case(NamedTuple):
    """Rows of a table; the values of a column of the rows that are shown, in order; the sentences about all rows.

    cells  some of the cells, by position of the shown row and of the column
    notes  why a cell is unknown, by position of the shown row
    """

    table: str
    rows: Rows
    key: str
    shown: Sequence[Any]
    totals: Sequence[str]
    cells: Mapping[tuple[int, int], str] = MappingProxyType({})
    notes: Mapping[int, str | None] = MappingProxyType({})


def at(row: int, column: int, *cells: str) -> dict[tuple[int, int], str]:
    return {(row, number): cell for number, cell in enumerate(cells, column)}


SINCE = datetime(2026, 10, 25, 0, 30, 0, 123456, tzinfo=UTC)


FULL = {"state": "online", "log_dir": f"/{LONG}", "total_bytes": 1000, "replicas": 10**6, "skew": 1.0}
DIRS: Rows = [
    FULL | {"broker_id": 1, "usable_bytes": 500, "replica_bytes": 300, "leader_bytes": 100},
    FULL | {"broker_id": 2, "usable_bytes": 5, "replica_bytes": 600, "leader_bytes": 200},
    {"broker_id": 3, "log_dir": "/d", "state": "offline", "reason": "not readable"},
    {"broker_id": 4, "log_dir": "", "state": "not_read", "reason": "down"},
]


def of_brokers_and_topics() -> Iterator[Case]:
    """Of brokers, and of what they hold."""
    base: dict[str, Any]
    rows: Rows
    # A broker that leads its preferred partitions is only counted.
    counts = ("leaders", "preferred_elsewhere", "replicas", "out_of_sync_replicas", "offline_replicas")
    base = dict.fromkeys(counts, 0) | {"state": "alive", "rack": LONG, "is_controller": False}
    rows = [
        base | {"broker_id": 1, "leaders": 10**6},
        base | {"broker_id": 2, "preferred_elsewhere": 3},
        base | {"broker_id": 3, "state": "not_alive", "offline_replicas": 10**6, "rack": None},
        base | dict.fromkeys(counts) | {"broker_id": 4, "counts_reason": "not read", "is_controller": None},
    ]
    totals = ["4 brokers: 1 not_alive, 3 alive", "3 partitions not led by the preferred replica"]
    yield Case("brokers", rows, "broker_id", [3, 4, 2], totals, at(1, 3, "?", "-"), {1: "not read"})
    # Data and disks are two numbers, and lower bounds where a dir is not known.
    totals = ["4 log dirs: 1 offline, 1 not_read, 2 online", "at least 300 B of data, 900 B with all replicas"]
    cells = at(1, 1, "-", "not_read", "-", "-", "-")
    yield Case("log_dir_usage", DIRS, "broker_id", [3, 4, 2, 1], totals, cells)
    # Topics with unknown bytes first, then the largest; the numbers without a reader, and with a shared rack.
    base = {"is_internal": False, "groups": 1, "partitions": 10**5, "cleanup_policy": "compact,delete"}
    written = datetime(2026, 11, 20, tzinfo=UTC)
    rows = [
        base | {"topic": "small", "leader_bytes": 10, "growth_bytes": -5_000_000, "groups": 0},
        base | {"topic": LONG, "leader_bytes": 10**15, "growth_bytes": 7, "last_written_at": written},
        base | {"topic": "dark", "leader_bytes_reason": "down", "groups_reason": "down", "replicas_sharing_rack": 3},
        base | {"topic": "least", "leader_bytes": 15, "last_written_at_least": written, "last_written_reason": "down"},
        base | {"topic": "__internal", "leader_bytes": 20, "is_internal": True, "groups": 0},
    ]
    totals = [
        "5 topics: at least 1.0 PB of data",
        "1 topic that no group reads, Kafka's own aside",
        "1 topic with several replicas of a partition in one rack",
    ]
    cells = at(0, 2, "-", "-", "compact,delete", "1+", "-", "3") | {
        (1, 6): "2026-11-20",
        (3, 6): "2026-11-20+",
        (4, 3): "-5.0 MB",
    }
    yield Case("topics", rows, "topic", ["dark", LONG, "__internal", "least", "small"], totals, cells, {0: "down"})
    # The fastest first, then the largest; unknown bytes have a reason, and the sum is a lower bound.
    base = {"topic": A_TOPIC, "leader_id": 1, "replicas": [1, 2, 3], "is_preferred_leader": True, "status": "OK"}
    rows = [
        base | {"partition": 0, "leader_bytes": 10**15, "end_offset": 10**12},
        base | {"partition": 1, "leader_bytes": 10**6, "end_offset": 9, "records_per_second": 12345.67},
        base | {"partition": 2, "leader_bytes_reason": "down", "status": "OFFLINE", "leader_id": None},
        base | {"partition": 3, "leader_bytes": 10**6, "is_preferred_leader": False, "records_per_second": 0.0},
    ]
    rows[2]["is_preferred_leader"] = False
    totals = [
        "4 partitions: 1 OFFLINE, 3 OK",
        "at least 1.0 PB of data",
        "2 partitions not led by the preferred replica",
    ]
    cells = at(0, 2, "1", "1,2,3", "1.0 MB", "9", "12,345.7", "OK") | at(3, 2, "-", "1,2,3", "-", "-", "-")
    yield Case("partitions", rows, "partition", [1, 3, 0, 2], totals, cells, {0: None, 3: "down"})


def of_settings() -> Iterator[Case]:
    """Of configs, rights, quotas and the metadata log."""
    base: dict[str, Any]
    rows: Rows
    # Configs that are only set are counted.
    base = {"resource_type": "topic", "resource_name": LONG, "name": "min.insync.replicas", "value": "1"}
    kinds = ("not_default", "not_read", "between_brokers", "since_before", "not_desired")
    rows = [base | {"kind": kind, "expected": "2", "reason": "r"} for kind in kinds]
    rows[1] |= {"value": None, "name": ""}
    totals = ["5 rows: 1 not_desired, 1 since_before, 1 between_brokers, 1 not_read, 1 not_default"]
    yield Case("config_drift", rows, "kind", kinds[:0:-1], totals, {}, {0: None, 1: None, 2: None, 3: "r"})
    # Resources that were not read; all configs are counted by their source.
    base = {"resource_type": "topic", "resource_name": LONG}
    told = [base | {"name": name, "source": name, "is_sensitive": False} for name in ("default", "topic")]
    secret = base | {"name": "secret", "source": "static", "is_sensitive": True}
    rows = [
        *told,
        secret,
        *(base | {"name": "", "resource_type": of, "reason": "denied"} for of in ("topic", "broker")),
    ]
    totals = ["3 configs by source: 1 topic, 1 static, 1 default", "1 config whose value Kafka hides"]
    yield Case("configs", rows, "resource_type", ["broker", "topic"], totals, {}, {0: "denied", 1: "denied"})
    # Entries with most dangers first.
    # A prefix is called one: with a star behind it, it would look like a literal name, and a star would be two. A
    # principal without a name is not everyone, and brokers accept entries for it.
    base = {"resource_type": "topic", "resource_name": LONG, "pattern_type": "prefixed", "permission": "allow"}
    base |= {"operation": "write", "is_dangerous": False}
    danger = {"is_dangerous": True, "reason": "why"}
    nameless = {"principal": "", "resource_type": "group", "resource_name": "*", "pattern_type": "literal"}
    rows = [
        base | {"principal": "User:a"},
        base | danger | {"principal": "User:b", "dangers": ["internal_topics"]},
        base | danger | {"principal": "User:*", "dangers": ["everyone", "internal_topics"]},
        base | {"principal": "User:a", "permission": "deny"},
        base | danger | nameless | {"operation": "all", "dangers": ["every_resource"]},
    ]
    cells = at(1, 0, '""', "all", "group *", "every_resource") | at(2, 2, f"topic prefix {LONG}")
    totals = ["5 ACLs: 4 allow, 1 deny", "3 grants may be dangerous"]
    yield Case("acl_inventory", rows, "principal", ["User:*", "", "User:b"], totals, cells)
    # Voters first; the required number of voters is shown.
    base = {"role": "voter", "caught_up": True, "lag_offsets": 0, "lag_ms": 0, "is_leader": False}
    behind = {"caught_up": False, "lag_offsets": 10**9, "lag_ms": 90_000, "reason": "behind"}
    rows = [
        base | {"replica_id": 1, "is_leader": True},
        base | {"replica_id": 2},
        base | behind | {"replica_id": 3, "role": "observer"},
        base | {"replica_id": 4, "caught_up": None, "lag_offsets": None, "lag_ms": None, "reason": "silent"},
    ]
    cells = at(0, 3, "-", "-", "-") | at(1, 3, "1000000000", "1m 30s", "NO")
    totals = ["4 replicas: 3 voter, 1 observer", "2 of 3 voters caught up, 2 needed"]
    yield Case("quorum", rows, "replica_id", [4, 3], totals, cells)
    # Limits have their units.
    rows = [
        {"entity": LONG, "quota": "controller_mutation_rate", "value": 2.5, "unit": "mutations/s"},
        {"entity": LONG, "quota": "producer_byte_rate", "value": 1.5e9, "unit": "bytes/s"},
        {"entity": LONG, "quota": "later_rate", "value": 7.0},
    ]
    cells = {(0, 2): "2.5 mutations/s", (1, 2): "7", (2, 2): "1.5 GB/s"}
    totals = ["3 quotas: 1 producer_byte_rate, 1 controller_mutation_rate, 1 later_rate"]
    yield Case("quotas", rows, "entity", [LONG] * 3, totals, cells)
    # Users with only the weaker mechanism come first.
    both = ["SCRAM-SHA-256", "SCRAM-SHA-512"]
    known = {"user": LONG, "iterations": 8192, "mechanisms": both, "only_sha_256": False}
    weak = {"user": "weak", "mechanism": both[0], "mechanisms": both[:1], "only_sha_256": True}
    rows = [*(known | {"mechanism": each} for each in both), weak]
    totals = ["3 credentials: 1 SCRAM-SHA-512, 2 SCRAM-SHA-256", "1 user cannot log in by SCRAM-SHA-512"]
    yield Case("scram_users", rows, "user", ["weak", LONG, LONG], totals)


def of_groups() -> Iterator[Case]:
    """Of groups, and of all that is found."""
    base: dict[str, Any]
    rows: Rows
    # Offsets outside their log, unknown, or falling behind; an offset that keeps up is not shown.
    base = {"topic": A_TOPIC, "partition": 0, "topic_state": "exists", "range": "in_range"}
    known = base | {"committed_offset": 10**11, "high_watermark": 10**11 + 5, "lag": 5}
    rows = [
        known | {"group_id": "well", "seconds_to_drain": 3},
        known | {"group_id": "behind", "drain_reason": "not_draining"},
        known | {"group_id": "after", "range": "after_end", "lag": 0, "seconds_to_drain": 0},
        known | {"group_id": "another", "topic_state": "recreated"},
        base | {"group_id": "lost", "range": "unknown", "lag_reason": "no leader"},
        base | {"group_id": "gone", "range": "unknown", "topic_state": "gone", "lag_reason": "gone"},
        base | {"group_id": "new", "range": "no_commit", "lag_reason": "never"},
    ]
    totals = [
        "7 partitions of groups: 1 after_end, 2 unknown, 1 no_commit, 3 in_range",
        "1 partition of topics that are deleted",
        "1 partition with an offset of an earlier topic of that name",
        "1 partition not consumed faster than written to",
    ]
    notes = dict(enumerate([None, "gone", "no leader", "never", None, None]))
    shown, cells = ["after", "gone", "lost", "new", "another", "behind"], {(1, VIEW["consumer_lag"].noted): "-"}
    yield Case("consumer_lag", rows, "group_id", shown, totals, cells, notes)
    # Groups with unknown lag first, then by lag; a total that lacks some partitions is a lower bound.
    base = {"group_state": "PreparingRebalance", "members": 3, "partitions": 4, "partitions_missed": 0, "lag_total": 0}
    behind = {"lag_total": 70, "lag_max": 60, "slowest_topic": A_TOPIC, "partitions_out_of_range": 1}
    old = {"lag_seconds": 7200, "lag_seconds_method": "at_least"}
    rows = [
        base | {"group_id": "", "lag_max": 0, "slowest_topic": "t", "slowest_partition": 0},
        base
        | behind
        | old
        | {"group_id": "b", "partitions_missed": 2, "slowest_partition": 31, "seconds_to_drain": 90},
        base | {"group_id": "c", "lag_total": None, "offsets_reason": "refused", "lag_reason": "refused"},
    ]
    totals = [
        "3 groups: at least 70 offsets behind",
        "2 partitions without a known lag, in no total, 1 outside their log",
        "1 group whose offsets were not all read",
    ]
    cells = at(1, 5, "> 2h", f"{A_TOPIC}-31", "1m 30s")
    yield Case("group_lag", rows, "group_id", ["c", "b"], totals, cells, {0: "refused"})
    # Groups with unknown members first, then members without known assignment, and waiting ones.
    base = {"group_id": "g", "status": "described", "client_id": "c", "client_host": "/10.0.0.1", "partitions": 3}
    rows = [
        base | {"member_id": "well"},
        base | {"member_id": "waits", "partitions": 0},
        base | {"member_id": "silent", "partitions": None, "assignment_reason": "it rebalances"},
        {"group_id": "", "member_id": "", "status": "not_read", "reason": "refused"},
    ]
    cells = at(0, 0, '""', "-", "-", "-", "-", "-")
    totals = ["3 members", "1 member without a partition", "1 group whose members were not all read"]
    notes = {0: "refused", 1: "it rebalances", 2: None}
    yield Case("group_members", rows, "member_id", ["", "silent", "waits"], totals, cells, notes)
    # Open risks first, then unknown ones, then those that somebody accepts.
    open_one = {
        "risk": "one_replica",
        "subject": "topic",
        "affected": 3,
        "detail": "3 of 3 partitions",
        "state": "open",
    }
    rows = [
        open_one | {"name": A_TOPIC, "state": "accepted", "accepted_until": SINCE.date(), "accepted_why": "tests"},
        {"risk": "no_authorizer", "subject": "cluster", "name": "", "state": "unknown", "reason": "refused"},
        open_one | {"name": "b"},
    ]
    totals = ["3 risks: 2 one_replica, 1 no_authorizer", "1 accepted by the configuration", "1 not known"]
    yield Case("risks", rows, "name", ["b", "", A_TOPIC], totals, notes={0: None, 1: "refused", 2: "tests"})
    # The largest owner first, and nobody last, with the first names that no pattern matches.
    known = {"topics": 2, "partitions": 10**6, "groups": 3, "lag_total": 10**12, "producer_ids": 7}
    rows = [
        {"owner": "", "topics": 1, "groups": 2, "replica_bytes": 10**15, "examples": ["group g", "topic t"]},
        known | {"owner": LONG, "replica_bytes": 10**12, "share_of_bytes": 0.5},
        known | {"owner": "small", "replica_bytes": 5},
    ]
    totals = ["2 owners", "nobody has 1 topic and 2 groups"]
    notes = {0: None, 1: None, 2: "group g, topic t"}
    yield Case("usage_by_owner", rows, "owner", [LONG, "small", ""], totals, notes=notes)
    # Improvements are only counted; a subject that was not read has the reason.
    base = {"subject": "group", "column_name": "lag_total", "before": "1", "after": "2"}
    kinds = ("better", "appeared", "changed", "unread", "gone", "worse")
    rows = [base | {"key": f"g{number}", "change": kind, "reason": "why"} for number, kind in enumerate(kinds)]
    totals = ["6 changes: 1 worse, 1 gone, 1 unread, 1 changed, 1 appeared, 1 better"]
    yield Case("changes", rows, "change", kinds[:0:-1], totals, notes=dict(enumerate([None, None, "why", None, None])))


CASES = [*of_brokers_and_topics(), *of_settings(), *of_groups()]


WORST, CALM, OPEN, ODD = range(1, 5)
"""A census of all cases, a calm one, one of a cluster without an authorizer, and one of problems and odd values."""

NAMES = ("principal", "resource_type", "resource_name", "pattern_type", "permission", "operation")
NO_AUTHORIZER = dict.fromkeys(NAMES, "") | {"is_dangerous": True, "reason": "why", "dangers": ["no_authorizer"]}
VALUES: Mapping[str, Rows] = {
    "deletable_groups": [{"group_id": 'a"\\\x1b\n😀', "verdict": "deletable", "empty_since": SINCE}],
    "coordinator_load": [{"broker_id": 1, "if_lost": [{"broker_id": 2, "groups": 3}], "groups_expected": math.inf}],
    "quotas": [{"entity": "", "quota": "q", "value": math.nan}],
}
ROWS: Mapping[int, Mapping[str, Sequence[Mapping[str, Any]]]] = {
    WORST: {case.table: case.rows for case in CASES},
    CALM: {"log_dir_usage": DIRS[:2]},
    OPEN: {"acl_inventory": [NO_AUTHORIZER]},
    ODD: {**BAD_DAY, **VALUES},
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    root = tmp_path_factory.mktemp("views") / "lake"
    for number, rows in ROWS.items():
        write_census(root, number, rows, [VIEW[name].table for name in rows])
    return Lake(root=str(root))


def found_in(source: Source, number: int, at_least: int = 1, limit: int = 10) -> Mapping[str, Found]:
    counts = {name: max(len(ROWS[number][name]), at_least) if name in ROWS[number] else 0 for name in VIEW}
    return find(source, census_id(number), VIEWS, counts, limit)


def totals(found: Mapping[str, Found], name: str) -> list[str]:
    return list(VIEW[name].totals(found[name].counts, found[name].sums))


@pytest.fixture(scope="module")
def found(lake: Lake) -> Mapping[str, Found]:
    return found_in(InDuckDB(str(lake.root)), WORST)


@pytest.mark.parametrize("seen", [(WORST,), (ODD,), (WORST, 10**6, 2)], ids=["worst", "odd", "by more than one task"])
def test_spark_and_duckdb_find_the_same(spark: SparkSession, lake: Lake, seen: tuple[int, ...]) -> None:
    """Times in UTC, NaN, lists of structs, nulls, names with any characters; the names and impact of all problems."""
    by_spark, by_duckdb = (found_in(source, *seen) for source in (InSpark(spark, lake), InDuckDB(str(lake.root))))
    assert repr(by_spark) == repr(by_duckdb)
    assert max(len(each.worst) for each in by_duckdb.values()) <= (seen[2] if seen[2:] else 10)
    if seen[0] == ODD:
        [group], [load] = (by_duckdb[name].worst for name in ("deletable_groups", "coordinator_load"))
        assert (group.group_id, group.empty_since) == ('a"\\\x1b\n😀', SINCE)
        assert (load.if_lost[0].groups, load.groups_expected) == (3, math.inf)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.table)
def test_the_worst_rows_are_shown_first_and_all_are_counted(found: Mapping[str, Found], case: Case) -> None:
    view, of = VIEW[case.table], found[case.table]
    assert [row[case.key] for row in of.worst] == list(case.shown)
    assert of.shown_rows == len(of.worst)
    assert totals(found, case.table) == list(case.totals)
    cells = [view.cells(row) for row in of.worst]
    assert {at: cells[at[0]][at[1]] for at in case.cells} == case.cells
    assert {row: view.note(of.worst[row]) for row in case.notes} == case.notes
    assert max(map(cells_of, table(view.columns, cells))) <= WIDTH


def test_no_rows_are_said_to_be_none_and_known_dirs_are_no_lower_bound(lake: Lake) -> None:
    found = found_in(InDuckDB(str(lake.root)), CALM)
    of_nothing = " ".join(said for name in VIEW if name != "log_dir_usage" for said in totals(found, name))
    assert "no topics" in of_nothing
    assert re.findall(r"[1-9]", of_nothing) == []
    assert totals(found, "log_dir_usage")[1] == "300 B of data, 900 B with all replicas"
    # Without an authorizer nothing else is shown.
    found = found_in(InDuckDB(str(lake.root)), OPEN)
    [shown] = found["acl_inventory"].worst
    assert VIEW["acl_inventory"].cells(shown) == ("everyone", "all", "everything", "no_authorizer")
    assert totals(found, "acl_inventory") == ["no authorizer is configured: everyone may do everything"]
