"""Every question of docs/questions.md is answered without Spark, and its answer is what is so.

The lake is that of an incident in the large emulated world. That its rows are so is tested elsewhere
(test_truth_at_size.py, tests/trouble); what a question asks of them is said here again, in Python.
"""

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import pytest

from emulator.incident import LOST, RECOVERED, RULE, WRITTEN, Incident
from harness.documented import QUESTIONS, blocks
from harness.known_world import Row
from harness.large_world import ACLS, BROKEN, BROKERS
from kafka_census.sql.session import Session
from kafka_census.tables import TABLES
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_emulator.replicas import NO_LEADER

SECONDS = 30
"""Far more than any question takes: a test machine may be busy."""

ASKED = [block.text for block in blocks(QUESTIONS) if block.language == "sql"]


THROTTLES = tuple(f"{kind}_throttle_bytes_per_second" for kind in ("follower", "leader", "log_dir"))
MEMBER = "group_id", "client_id", "client_host", "instance_id"
Reported = list[tuple[Any, ...]] | set[tuple[Any, ...]]


@dataclass(frozen=True)
class Known:
    """The rows of every table as it is shown now, and as the first census published it; lists are tuples."""

    now: Mapping[str, list[Row]]
    first: Mapping[str, list[Row]]
    incident: Incident


ASKED_OF: list[tuple[Callable[[Known], Reported], tuple[str, ...]]] = []
"""What is so, and the columns that say it, of each question in order: a list where the order matters."""


def columns(*names: str) -> Callable[[Callable[[Known], Reported]], Callable[[Known], Reported]]:
    """The columns of an answer that are compared with what the decorated function says."""

    def of_question(true: Callable[[Known], Reported]) -> Callable[[Known], Reported]:
        ASKED_OF.append((true, names))
        return true

    return of_question


@pytest.fixture(scope="module")
def answers(after_incident: Incident) -> dict[int, tuple[list[Row], float]]:
    """The rows of each question's answer, each in a session of its own, and how long they took."""
    found = {}
    for number, sql in enumerate(ASKED, 1):
        began = time.monotonic()
        [(names, rows)] = [(one.columns, list(one.rows)) for one in Session(after_incident.lake).results(sql)]
        found[number] = [dict(zip(names, row, strict=True)) for row in rows], time.monotonic() - began
    return found


@pytest.fixture(scope="module")
def known(after_incident: Incident) -> Known:
    return Known(_rows(after_incident.now), _rows(after_incident.before.rows), after_incident)


def _rows(tables: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
    return {
        table: [{name: _plain(value) for name, value in row.items()} for row in rows] for table, rows in tables.items()
    }


def _plain(value: object) -> object:
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def _statuses(rows: Iterable[Row]) -> dict[tuple[str, int], str]:
    return {(row["topic"], row["partition"]): row["status"] for row in rows}


@columns("status", "partitions")
def _(known: Known) -> Reported:
    return set(Counter(row["status"] for row in known.now["under_min_isr_partitions"]).items())


@columns("topic", "partition")
def _(known: Known) -> Reported:
    rows = known.now["under_min_isr_partitions"]
    return sorted((row["topic"], row["partition"]) for row in rows if not row["ready_for_acks_all"])


@columns("topic", "partition", "before", "now")
def _(known: Known) -> Reported:
    before, now = (_statuses(rows["under_min_isr_partitions"]) for rows in (known.first, known.now))
    changed = {(*at, status, now[at]) for at, status in before.items() if now[at] != status}
    assert {topic for topic, *_ in changed} >= {*LOST, *RECOVERED}
    return changed


@columns("group_id", "found_coordinator", "agreement")
def _(known: Known) -> Reported:
    [group] = [row for row in known.now["group_coordinator_placement"] if row["group_id"] == "connect"]
    return [("connect", group["found_coordinator"], "agree")]


@columns("group_id", "partition")
def _(known: Known) -> Reported:
    rows = known.now["under_min_isr_partitions"]
    stuck = {row["partition"] for row in rows if row["topic"] == "__consumer_offsets" and not row["ready_for_acks_all"]}
    of = known.incident.during.world.groups.partition_of
    return {(row["group_id"], of(row["group_id"])) for row in known.now["group_lag"] if of(row["group_id"]) in stuck}


@columns("group_id", "lag_total", "partitions_missed")
def _(known: Known) -> Reported:
    rows = [row for row in known.now["group_lag"] if row["lag_total"] is not None]
    worst = sorted(rows, key=lambda row: (-row["lag_total"], row["group_id"].encode()))
    return [(row["group_id"], row["lag_total"], row["partitions_missed"]) for row in worst[:20]]


@columns("group_id", "topic", "partition", "range")
def _(known: Known) -> Reported:
    return {
        (row["group_id"], row["topic"], row["partition"], row["range"])
        for row in known.now["consumer_lag"]
        if row["range"] in ("before_start", "after_end", "unknown")
    }


@columns("lost", "coordinates", "groups_stranded", "cannot_commit", "takes_over", "groups")
def _(known: Known) -> Reported:
    busiest = min(known.now["coordinator_load"], key=lambda row: (-row["groups"], row["broker_id"]))
    stuck = {
        row["partition"]
        for row in known.now["under_min_isr_partitions"]
        if row["topic"] == "__consumer_offsets" and row["leader_id"] == busiest["broker_id"]
        and len(row["isr"]) - 1 < row["min_isr_effective"]
    }  # fmt: skip
    cannot = sum(row["offsets_partition"] in stuck for row in known.now["group_coordinator_placement"])
    lost = busiest["broker_id"], busiest["groups"], busiest["groups_stranded"], cannot
    return {(*lost, heir["broker_id"], heir["groups"]) for heir in busiest["if_lost"]}


@columns("topic", "partition", "producer_id", "verdict")
def _(known: Known) -> Reported:
    return {
        (row["topic"], row["partition"], row["producer_id"], row["verdict"])
        for row in known.now["hanging_transactions"]
        if row["verdict"] in ("hanging", "unknown")
    }


@columns("broker_id", "state", "out_of_sync_replicas", "offline_replicas")
def _(known: Known) -> Reported:
    rows = [row for row in known.now["brokers"] if row["out_of_sync_replicas"]]
    return {(row["broker_id"], "alive", row["out_of_sync_replicas"], row["offline_replicas"]) for row in rows}


@columns("broker_id", "leaders", "leader_skew")
def _(known: Known) -> Reported:
    assert len(known.now["brokers"]) == BROKERS
    return {(row["broker_id"], row["leaders"], round(row["leader_skew"], 2)) for row in known.now["brokers"]}


@columns("broker_id", "groups", "fair_share", "groups_skew")
def _(known: Known) -> Reported:
    rows = known.now["coordinator_load"]
    return {(row["broker_id"], row["groups"], round(row["groups_expected"], 1), row["groups_skew"]) for row in rows}


@columns("broker_id", "log_dir")
def _(known: Known) -> Reported:
    return [(row["broker_id"], row["log_dir"]) for row in known.now["log_dir_usage"] if row["state"] == "offline"]


@columns("broker_id", "censuses", "bytes_now", "grew")
def _(known: Known) -> Reported:
    """Of the broken broker the log dirs are never all known."""
    sums = []
    for rows in (known.first["log_dir_usage"], known.now["log_dir_usage"]):
        held = Counter[int]()
        for row in rows:
            held[row["broker_id"]] += row["replica_bytes"] or 0
        sums.append(held)
    first, now = sums
    assert now != first
    return {(broker, 2, now[broker], now[broker] - first[broker]) for broker in now if broker != BROKEN}


@columns("kind", "replicas", "bytes_left", "not_known", "stalled")
def _(known: Known) -> Reported:
    """No copy went on since the previous census: each that is known and has not ended is stalled."""
    by_kind = defaultdict(list)
    for row in known.now["reassignment_backlog"]:
        by_kind[row["kind"]].append((row["bytes_left"], row["eta_reason"] is not None))
    return [
        (
            kind,
            len(rows),
            sum(left or 0 for left, _ in rows),
            sum(left is None for left, _ in rows),
            sum(left is not None and is_open for left, is_open in rows),
        )
        for kind, rows in sorted(by_kind.items())
    ]


@columns("broker_id", *THROTTLES)
def _(known: Known) -> Reported:
    """Also a broker whose throttles are not known."""
    rows = sorted(known.now["reassignment_backlog_by_broker"], key=itemgetter("broker_id"))
    held = (row for row in rows if row["throttle_reason"] or any(row[name] is not None for name in THROTTLES))
    return [(row["broker_id"], *(row[name] for name in THROTTLES)) for row in held]


@columns("broker_id", "partitions")
def _(known: Known) -> Reported:
    needed = Counter[int]()
    for row in known.now["under_min_isr_partitions"]:
        if row["ready_for_acks_all"] and row["isr_size"] == row["min_isr_effective"]:
            needed.update(row["isr"])
    return set(needed.items())


@columns("what", "broker", "name", "value")
def _(known: Known) -> Reported:
    releases = {("release", str(broker), "release_at_least", "4.3") for broker in range(1, BROKERS + 1)}
    return releases | {
        ("config", row["resource_name"], row["name"], row["value"])
        for row in known.now["config_drift"]
        if row["kind"] == "between_brokers"
    }


@columns("cluster", "voters", "caught_up", "may_fail", "not_known")
def _(known: Known) -> Reported:
    return [("test", 3, 3, 1, 0)]


@columns("topic", "leader_bytes", "replica_bytes")
def _(known: Known) -> Reported:
    rows = [row for row in known.now["topics"] if row["replica_bytes"] is not None]
    largest = sorted(rows, key=lambda row: (-row["replica_bytes"], row["topic"]))[:20]
    return [(row["topic"], row["leader_bytes"], row["replica_bytes"]) for row in largest]


@columns(*MEMBER, "partitions")
def _(known: Known) -> Reported:
    """Those that have a partition of it, and those of which nobody knows what they have."""
    rows = known.now["group_members"]
    read = {
        (*(row[name] for name in MEMBER), len(indexes))
        for row in rows
        for indexes in (of["partitions"] for of in row["assignment"] if of["topic"] == "log-03")
    }
    unsure = (row for row in rows if row["assignment_reason"])
    return read | {
        (*(row[name] for name in MEMBER), None)
        for row in unsure
        if {of["topic"] for of in row["assignment"]} != {"log-03"}
    }


@columns("topic", "partitions", "leader_bytes")
def _(known: Known) -> Reported:
    topics = [row for row in known.now["topics"] if not row["is_internal"] and not row["groups"]]
    return {(row["topic"], row["partitions"], row["leader_bytes"]) for row in topics}


@columns("group_id", "lag", "grew")
def _(known: Known) -> Reported:
    tables = known.first["group_lag"], known.now["group_lag"]
    before, now = ({row["group_id"]: (row["lag_total"], row["partitions_missed"]) for row in rows} for rows in tables)
    developed = set()
    for group, (lag, missed) in before.items():
        lag_now, missed_now = now[group]
        if lag is not None and lag_now is not None and lag != lag_now:
            developed.add((group, (lag, lag_now), None if missed or missed_now else lag_now - lag))
    grew = {by for _, _, by in developed}
    assert None in grew
    assert any(by % WRITTEN == 0 for by in grew if by is not None)
    return developed


@columns("group_type", "verdict", "evidence", "groups")
def _(known: Known) -> Reported:
    rows = known.now["deletable_groups"]
    return {(*of, n) for of, n in Counter((row["group_type"], row["verdict"], row["evidence"]) for row in rows).items()}


@columns("topic", "producer_ids", "partitions_not_read")
def _(known: Known) -> Reported:
    topics = defaultdict(list)
    for row in known.now["producer_state"]:
        topics[row["topic"]].append(row["producer_ids"])
    reported = [(name, sum(ids), 0) for name, ids in topics.items() if None not in ids]
    assert len(reported) > 20
    return sorted(reported, key=lambda one: (-one[1], one[0]))[:20]


@columns("principal", "operation", "resource_type", "resource_name", "dangers")
def _(_known: Known) -> Reported:
    grants = [(principal, operation, kind, name, dangers) for principal, operation, kind, name, _, dangers in ACLS]
    return {(one, did.lower(), kind.lower(), name, dangers) for one, did, kind, name, dangers in grants if dangers}


@columns("principal", "operation", "resource_name", "permission")
def _(_known: Known) -> Reported:
    """The entries for topics whose name or prefix fits, and the denials beside them."""
    fits = [
        (principal, operation.lower(), name, "allow")
        for principal, operation, kind, name, _, _ in ACLS
        if kind == "TOPIC" and operation in ("READ", "WRITE", "ALL") and name in ("orders", "*")
    ]
    assert len(fits) == 2
    return {*fits, *(("User:guest", operation, name, "deny") for _, operation, name, _ in fits)}


@columns("user", "iterations")
def _(known: Known) -> Reported:
    rows = known.now["scram_users"]
    return {(row["user"], row["iterations"]) for row in rows if row["mechanisms"] == ("SCRAM-SHA-256",)}


@columns("table_name", "is_complete", "missing")
def _(_known: Known) -> Reported:
    return {(table.name, True, 0) for table in TABLES}


@columns("table_name", "rule", "failed_rows", "row_key")
def _(known: Known) -> Reported:
    """The operator's own rule with each of its rows; the broker that is down, of each table that needs it."""
    states = known.incident.after.states.items()
    offline = [f"topic={topic}, partition={index}" for (topic, index), state in states if state.leader == NO_LEADER]
    return {("under_min_isr_partitions", RULE, len(offline), row_key) for row_key in offline}


def test_there_are_thirty_questions() -> None:
    """Numbered through, each with one statement, and each is held here."""
    numbers = re.findall(r"^### (\d+)\. .+\?$", QUESTIONS.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(number) for number in numbers] == list(range(1, 31))
    assert len(ASKED) == len(ASKED_OF) == len(numbers)


@pytest.mark.parametrize("number", range(1, len(ASKED_OF) + 1))
def test_an_answer_is_what_is_so(answers: dict[int, tuple[list[Row], float]], known: Known, number: int) -> None:
    true, names = ASKED_OF[number - 1]
    rows, seconds = answers[number]
    so, reported = true(known), [tuple(_plain(row[name]) for name in names) for row in rows]
    if number == 30:  # who is missing is reported by broker, in words: the test below
        reported = [row for row in reported if row[1] == RULE]
    assert so
    assert reported == so if isinstance(so, list) else Counter(reported) == Counter(so)
    assert seconds < SECONDS


def test_a_refusal_names_the_broker_that_is_down(answers: dict[int, tuple[list[Row], float]]) -> None:
    [down] = [row for row in answers[30][0] if row["kind"] == "completeness"]
    assert down["table_name"] == GROUP_COORDINATOR_PLACEMENT.name
    assert f"broker {BROKEN}" in down["message"]
