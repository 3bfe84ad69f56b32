"""What counts as a change, and as which, on rows of the compared tables: the SQL as DuckDB runs it."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from harness.compared import COMPARED, Row, Rows, changes, text
from kafka_census.comparison.not_read import NotRead, not_read
from kafka_census.comparison.query import Comparison, query
from kafka_census.comparison.subjects import SUBJECTS
from kafka_census.declarations.visibility_rules import NOT_VISIBLE
from kafka_census.pages.missing_read import MissingRead, read_back
from kafka_census.tables.under_min_isr_partitions.columns import STATUSES

PARTITION = {"topic": "orders", "partition": 3, "status": "OK", "leader_id": 1, "replicas": [1, 2]}
GROUP = {"group_id": "billing", "lag_total": 0, "partitions_missed": 0, "partitions_without_commit": 0, "members": 1}
GROUP |= {"partitions_out_of_range": 0}
BROKER: Row = {"broker_id": 1, "state": "alive", "host": "b1", "port": 9092, "release_at_least": "4.3"}
BROKER |= {"is_controller": False}
CONFIG = {"kind": "not_default", "resource_type": "topic", "resource_name": "orders", "name": "retention.ms"}
CONFIG |= {"value": "1", "source": "topic", "is_sensitive": False}
NOT_READ = {"kind": "not_read", "resource_type": "topic", "resource_name": "orders", "name": "", "reason": "lost"}
MOVE = {"topic": "orders", "partition": 3, "kind": "move", "replica_id": 2, "bytes_left": 7}
ACL = {"resource_type": "topic", "resource_name": "orders", "pattern_type": "literal", "principal": "User:a"}
ACL |= {"host": "*", "operation": "read", "permission": "allow", "is_dangerous": False}
QUOTA = {"user": "a", "is_default": False, "quota": "producer_byte_rate", "value": 1000.0}
TOPIC = {"topic": "orders", "partitions": 3, "topic_id": "id"}
LOG_DIR = {"broker_id": 1, "log_dir": "/data", "state": "online"}
VOTER = {"replica_id": 1, "directory_id": "id", "role": "voter", "caught_up": True, "is_leader": False, "leader_id": 2}
TRANSACTION = {"topic": "orders", "partition": 3, "producer_id": 7, "verdict": "hanging", "confidence": "low"}
USER = {"user": "alice", "mechanism": "SCRAM-SHA-512", "iterations": 4096}
NAMES = "under_min_isr_partitions brokers topic_readiness group_lag reassignment_backlog config_drift acl_inventory"
NAMES += " quotas log_dir_usage quorum hanging_transactions scram_users"
ROWS = (PARTITION, BROKER, TOPIC, GROUP, MOVE, CONFIG, ACL, QUOTA, LOG_DIR, VOTER, TRANSACTION, USER)
TABLES = dict(zip(NAMES.split(), ROWS, strict=True))
"""A row of each compared table."""


def reported(before: Rows, after: Rows, sql: str) -> set[tuple[Any, ...]]:
    names = ("subject", "key", "column_name", "change", "before", "after")
    rows = changes(before, after, sql)
    found = {tuple(row[name] for name in names) for row in rows}
    assert len({row[:3] for row in found}) == len(rows), "a key comes twice"
    return found


def of(table: str, before: Row | None, after: Row | None, lacking: Sequence[MissingRead] = ()) -> list[tuple[Any, ...]]:
    was, there = ({table: [row] if row is not None else []} for row in (before, after))
    return sorted(row[2:] for row in reported(was, there, text(lacking, lacking, table)))


def test_every_compared_table_has_a_subject_and_a_row_here() -> None:
    assert {subject.table for subject in SUBJECTS} == set(TABLES) == {table.name for table in COMPARED}
    schemas = {table.name: set(table.columns) for table in COMPARED}
    for subject in SUBJECTS:
        assert set(subject.key) <= schemas[subject.table] | {"feature"}
        assert len({column.name for column in subject.columns}) == len(subject.columns)
    status = next(column for column in SUBJECTS[0].columns if column.name == "status")
    assert [*getattr(status, "worst_first", ()), "UNKNOWN"] == sorted([*STATUSES], key=lambda one: one == "UNKNOWN")


@pytest.mark.parametrize("table", TABLES)
def test_a_thing_appears_and_goes(table: str) -> None:
    row = TABLES[table]
    appeared, gone = of(table, None, row), of(table, row, None)
    if table == "under_min_isr_partitions":
        assert (appeared, gone) == ([], [])
        return
    [(column, change, was, shown)] = appeared
    assert (column, change, was) == ("", "appeared", None)
    assert gone == [("", "gone", shown, None)]


CHANGES: list[tuple[str, Row, Row, tuple[Any, ...]]] = [
    ("under_min_isr_partitions", {}, {"status": "UNDER"}, ("status", "worse", "OK", "UNDER")),
    ("under_min_isr_partitions", {}, {"leader_id": None}, ("leader_id", "changed", "1", "none")),
    ("under_min_isr_partitions", {}, {"replicas": [1, 3]}, ("replicas", "changed", "[1, 2]", "[1, 3]")),
    ("under_min_isr_partitions", {}, {"status": "UNKNOWN", "reason": "?"}, ("status", "unread", "OK", None)),
    ("brokers", {}, {"state": "fenced"}, ("state", "worse", "alive", "fenced")),
    ("brokers", {}, {"rack": "r2"}, ("rack", "changed", "none", "r2")),
    ("brokers", {}, {"port": 9093}, ("host", "changed", "b1:9092", "b1:9093")),
    ("brokers", {}, {"release_at_least": None}, ("release_at_least", "unread", "4.3", None)),
    ("brokers", {}, {"is_controller": True}, ("is_controller", "changed", "false", "true")),
    ("topic_readiness", {}, {"partitions": 6}, ("partitions", "changed", "3", "6")),
    ("topic_readiness", {}, {"partitions": None, "reason": "?"}, ("partitions", "unread", "3", None)),
    ("topic_readiness", {}, {"topic_id": "id-2"}, ("topic_id", "changed", "id", "id-2")),
    ("group_lag", {}, {"lag_total": 10_000}, ("lag_total", "worse", "0", "10000")),
    ("group_lag", {}, {"partitions_out_of_range": 1}, ("partitions_out_of_range", "worse", "0", "1")),
    ("group_lag", {}, {"members": 0}, ("members", "worse", "some", "none")),
    ("group_lag", {}, {"members": None, "members_reason": "?"}, ("members", "unread", "some", None)),
    ("reassignment_backlog", {"stalled": False}, {"stalled": True}, ("stalled", "worse", "moving", "stalled")),
    ("config_drift", {}, {"value": "2"}, ("value", "changed", "1", "2")),
    ("config_drift", {}, {"source": "default"}, ("source", "changed", "topic", "default")),
    ("acl_inventory", {}, {"is_dangerous": True}, ("is_dangerous", "worse", "ordinary", "dangerous")),
    ("log_dir_usage", {}, {"state": "offline"}, ("state", "worse", "online", "offline")),
    ("quorum", {}, {"caught_up": False}, ("caught_up", "worse", "caught up", "behind")),
    ("quorum", {}, {"caught_up": None}, ("caught_up", "worse", "caught up", "not heard from")),
    ("quorum", {}, {"is_leader": True}, ("is_leader", "changed", "false", "true")),
    ("hanging_transactions", {}, {"confidence": "high"}, ("confidence", "worse", "low", "high")),
    ("scram_users", {}, {"iterations": 8192}, ("iterations", "changed", "4096", "8192")),
    ("quotas", {}, {"value": 1000.5}, ("value", "changed", "1000", "1000.5")),
    ("quotas", {}, {"value": 2.0**63}, ("value", "changed", "1000", "9000000000000000000 or more")),
]


@pytest.mark.parametrize(("table", "before", "after", "change"), CHANGES)
def test_a_column_of_a_thing_changes(table: str, before: Row, after: Row, change: tuple[Any, ...]) -> None:
    """And back again, the other way; whatever else both censuses could not read."""
    one, other = TABLES[table] | before, TABLES[table] | after
    lacking = [read_back(rpc, 2, LOST) for listed, rpc in LISTED_BY if listed == table]
    assert of(table, one, other) == [change]
    assert not lacking or of(table, one, other, lacking) == [change]
    column, how, was, now = change
    opposite = {"worse": "better", "better": "worse"}.get(how, how)
    assert of(table, other, one) == [(column, opposite, now, was)]


NO_CHANGES: list[tuple[str, Row, Row]] = [
    ("group_lag", {"lag_total": 9_999}, {"lag_total": 0}),
    ("group_lag", {"lag_total": 60_000}, {"lag_total": 100_000}),
    ("group_lag", {}, {"lag_total": None, "lag_reason": "no partition is committed"}),
    ("group_lag", {"members": 1}, {"members": 7}),
    ("group_lag", {"members": 1, "members_reason": "may be too low"}, {"members": 7}),
    ("group_lag", {"group_state": "Stable"}, {"group_state": "PreparingRebalance"}),
    ("brokers", {"state": "not_alive", "host": None}, {"state": "not_alive", "rack": "r"}),
    ("brokers", {"release_at_least": None, "state": "fenced"}, {"state": "fenced"}),
    ("reassignment_backlog", {"bytes_left": 9}, {"bytes_left": 5, "stalled": False}),
    ("under_min_isr_partitions", {"status": "UNKNOWN", "reason": "a"}, {"status": "UNKNOWN", "reason": "b"}),
    ("config_drift", {"value": None, "is_sensitive": True}, {"value": None, "is_sensitive": True}),
    ("log_dir_usage", {"usable_bytes": 9}, {"usable_bytes": 5, "replicas": 7}),
    ("hanging_transactions", {"verdict": "held"}, {"verdict": "ended"}),
    ("quorum", {"role": "observer"}, {"role": "observer", "caught_up": False}),
]


@pytest.mark.parametrize(("table", "before", "after"), NO_CHANGES)
def test_what_moves_by_itself_and_what_neither_has_read_is_no_change(table: str, before: Row, after: Row) -> None:
    one, other = TABLES[table] | before, TABLES[table] | after
    assert of(table, one, other) == of(table, other, one) == of(table, one, one) == []


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ((0, 0), (50_000, 2), "worse"),  # it is at least so much
        *(((50_000, 2), (0, 0), "better"), ((50_000, 0), (0, 2), "unread"), ((0, 2), (50_000, 0), "unread")),
        ((0, 2), (50_000, 2), "worse"),  # the same partitions, as far as anybody can tell
    ],
)
def test_a_lag_of_which_parts_are_not_known_is_a_lower_bound(
    before: tuple[int, int], after: tuple[int, int], change: str
) -> None:
    """(lag, partitions of which it is not known)."""
    lags = [({"lag_total": lag, "partitions_without_commit": 1}, missed) for lag, missed in (before, after)]
    rows = [GROUP | lag | {"partitions_missed": 1 + missed} for lag, missed in lags]
    # Partitions that were read, and have no lag that Kafka could tell.
    was_read = [GROUP | lag | {"partitions_missed": 9, "partitions_unread": missed} for lag, missed in lags]
    for pair in (rows, was_read):
        assert [row[:2] for row in of("group_lag", *pair)] == [("lag_total", change)]


def test_an_alive_broker_that_becomes_gone_is_gone_once() -> None:
    gone = {"broker_id": 1, "state": "gone"}
    assert of("brokers", BROKER, gone) == [("", "gone", "alive", None)]
    assert of("brokers", gone, None) == []


def test_configs_of_what_was_not_read_are_one_row() -> None:
    had = {"config_drift": [CONFIG, CONFIG | {"name": "cleanup.policy"}, CONFIG | {"resource_name": "other"}]}
    lacks = {"config_drift": [NOT_READ, CONFIG | {"resource_name": "other"}]}
    sql = text((), (), "config_drift")
    expected = {("config", "topic orders", "", "unread", None, None)}
    assert reported(had, lacks, sql) == reported(lacks, had, sql) == expected
    assert reported(lacks, lacks, sql) == set()
    [row] = changes(had, lacks, sql)
    assert (row["reason"], row["topic"], row["broker_id"]) == ("lost", "orders", None)


def _names(before: Rows, after: Rows, table: str, lacking: Sequence[MissingRead] = ()) -> list[tuple[Any, ...]]:
    found = changes(before, after, text((), lacking, table))
    return sorted((row["key"], row["change"], row["reason"]) for row in found)


def test_what_a_row_of_its_own_says_was_not_read_is_neither_gone_nor_new() -> None:
    """The log dirs of a broker as one row; each voter, feature, credential, and transaction of the partition."""
    at = {"topic": "orders", "partition": 3}
    unread: list[tuple[str, Row, str]] = [
        ("log_dir_usage", {"broker_id": 1, "log_dir": "", "state": "not_read"}, "broker 1"),
        ("quorum", {"replica_id": -1, "directory_id": "", "role": "unknown"}, "1 id"),
        ("hanging_transactions", at | {"producer_id": -1, "verdict": "unknown"}, "orders-3 producer 7"),
        ("scram_users", {"user": "alice", "mechanism": ""}, "alice SCRAM-SHA-512"),
    ]
    for table, row, key in unread:
        there, lost = {table: [TABLES[table]]}, {table: [row | {"reason": "lost"}]}
        assert _names(there, lost, table) == _names(lost, there, table) == [(key, "unread", "lost")]
        assert _names(lost, lost, table) == []
    other = {"hanging_transactions": [at | {"partition": 4, "producer_id": -1, "verdict": "unknown", "reason": "?"}]}
    gone = [("orders-3 producer 7", "gone", None)]
    assert _names({"hanging_transactions": [TRANSACTION]}, other, "hanging_transactions") == gone


def test_a_voter_is_unknown_where_the_quorum_has_no_leader() -> None:
    lost = {"caught_up": None, "is_leader": None, "leader_id": None, "reason": "the quorum has no leader"}
    unread = [("caught_up", "unread", "caught up", None), ("is_leader", "unread", "false", None)]
    assert of("quorum", VOTER, VOTER | lost) == unread


def test_a_feature_is_compared_once_for_all_brokers() -> None:
    def told(**levels: int | None) -> Rows:
        versions = {"min_version": 0, "max_version": 9}
        features = [{"feature": name, "finalized_version": level, **versions} for name, level in levels.items()]
        return {"brokers": [BROKER | {"broker_id": number, "features": features} for number in (1, 2)]}

    before, after = told(metadata=7, group=1, old=1), told(metadata=8, group=None, new=2)
    assert reported(before, after, text((), (), "brokers")) == {
        ("feature", "metadata", "finalized_version", "changed", "7", "8"),
        ("feature", "group", "finalized_version", "changed", "1", "none"),
        ("feature", "old", "", "gone", "1", None),
        ("feature", "new", "", "appeared", None, "2"),
    }
    silent = {"brokers": [BROKER | {"broker_id": number, "features_reason": "silent"} for number in (1, 2)]}
    for pair in ((told(metadata=7), silent), (silent, told(metadata=7))):
        assert _names(*pair, "brokers") == [("metadata", "unread", "silent")]


def test_names_that_read_alike_when_joined_are_several_things() -> None:
    acls = [
        ACL | {"resource_type": "group", "resource_name": group, "principal": principal}
        for group, principal in (("a", "User:b to User:c"), ("a to User:b", "User:c"), ("", "User:c"), ("", ""))
    ]
    default = "<default>"
    quotas = [
        QUOTA | {"user": user, "client_id": client, "is_default": any(flags)}
        | {"user_is_default": flags[0], "client_id_is_default": flags[1], "ip_is_default": False}
        for user, client, flags in (
            *((default, default, flags) for flags in product((True, False), repeat=2)),
            *(("a", "b", (False, False)), ("a, client-id b", None, (False, False)), ("", None, (False, False))),
        )
    ]  # fmt: skip
    for table, rows in (("acl_inventory", acls), ("quotas", quotas)):
        sql = text((), (), table)
        keys = {row[1] for row in reported({}, {table: rows}, sql)}
        assert len(keys) == len(rows)
        assert reported({table: rows}, {table: rows}, sql) == set()
    assert "user 'a, client-id b' producer_byte_rate" in keys


def test_quotas_of_an_older_release_are_the_same_quotas() -> None:
    """It had no flag for each name, and `entity` without quotes."""
    flags = ("user_is_default", "client_id_is_default", "ip_is_default")
    for user, client, defaults in (
        *(("<default>", None, (True, False, False)), ("<default>", None, (False, False, False))),
        *(("<default>", "app", (True, False, False)), ("a b", "<default>", (False, True, False))),
        ("a, client-id b", None, (False, False, False)),
    ):
        row = QUOTA | {"user": user, "client_id": client, "is_default": any(defaults)}
        old = {"quotas": [row | {"entity": "as it was"}]}
        new = {"quotas": [row | dict(zip(flags, defaults, strict=True))]}
        assert changes(old, new, text((), (), "quotas")) == []
        assert changes(new, old, text((), (), "quotas")) == []


LOST = "BROKER_NOT_ALIVE"
LISTED_BY = (
    *(("group_lag", "ListGroups"), ("acl_inventory", "DescribeAcls"), ("quotas", "DescribeClientQuotas")),
    *(("scram_users", "DescribeUserScramCredentials"), ("hanging_transactions", "ListTransactions")),
    *(("reassignment_backlog", "DescribeLogDirs"), ("reassignment_backlog", "ListPartitionReassignments")),
)


@pytest.mark.parametrize(
    ("table", "rpc", "broker", "error", "reason"),
    [
        ("group_lag", "ListGroups", None, NOT_VISIBLE, "may not show all: rights are not proven"),
        ("topic_readiness", "Metadata", None, NOT_VISIBLE, "may not show all: rights are not proven"),
        ("config_drift", "Metadata", None, NOT_VISIBLE, "may not show all: rights are not proven"),
        ("brokers", "DescribeCluster", None, "LOST_PAGE", "was not read (LOST_PAGE)"),
        ("log_dir_usage", "DescribeCluster", None, "LOST_PAGE", "was not read (LOST_PAGE)"),
        *((*lists, 2, LOST, f"was not read from broker 2 ({LOST})") for lists in LISTED_BY),
    ],
)
def test_what_was_not_shown_is_neither_gone_nor_new(
    table: str, rpc: str, broker: int | None, error: str, reason: str
) -> None:
    lacking, reason = read_back(rpc, broker, error), f"{rpc} {reason}"
    there, nothing = {table: [TABLES[table]]}, {table: list[Row]()}
    gone, new = (there, nothing, text((), [lacking], table)), (nothing, there, text([lacking], (), table))
    for rows in (changes(*gone), changes(*new)):
        assert [(row["change"], row["column_name"], row["reason"]) for row in rows] == [("unread", "", reason)]
    # The census that has it lacked an answer: the other one did not.
    assert [row["change"] for row in changes(there, nothing, text([lacking], (), table))] == ["gone"]
    assert [row["change"] for row in changes(nothing, there, text((), [lacking], table))] == ["appeared"]


def test_an_answer_that_was_not_read_hides_what_it_lists_alone() -> None:
    """A replica of another broker that does not move any more has arrived, or does not go."""
    lacking = [read_back("DescribeLogDirs", 2, LOST), read_back("OffsetFetch", 2, LOST)]
    moves = {"reassignment_backlog": [MOVE, MOVE | {"replica_id": 4}]}
    found = changes(moves, {}, text((), lacking, "reassignment_backlog"))
    assert {row["broker_id"]: row["change"] for row in found} == {2: "unread", 4: "gone"}
    assert _names({"group_lag": [GROUP]}, {}, "group_lag", lacking) == [("billing", "gone", None)]


def test_several_brokers_are_one_line_that_is_plain_text() -> None:
    """Whatever stands in `publications`: it becomes a part of SQL."""
    group = next(subject for subject in SUBJECTS if subject.name == "group")
    lacking = [read_back("ListGroups", node, "it's; DROP") for node in (5, 4)]
    assert not_read(group, lacking) == [NotRead("ListGroups was not read from broker 4 and 1 more (it?s??DROP)")]
    with pytest.raises(ValueError, match="not plain"):
        query([Comparison(group, "'; DROP TABLE x")])


def test_two_clusters_are_not_compared_by_what_is_of_one() -> None:
    """Ids of topics and places of replicas differ between clusters by nature; configs and sizes tell something."""
    before = {"topic_readiness": [TOPIC], "under_min_isr_partitions": [PARTITION], "brokers": [BROKER]}
    after = {
        "topic_readiness": [TOPIC | {"topic_id": "another", "partitions": 4}],
        "under_min_isr_partitions": [PARTITION | {"leader_id": 2, "replicas": [2, 1], "status": "AT"}],
        "brokers": [BROKER | {"host": "elsewhere"}],
    }
    assert {row[:3] for row in reported(before, after, text(one_cluster=False))} == {
        ("topic", "orders", "partitions"),
        ("partition", "orders-3", "status"),
    }
