"""Every question of docs/questions.md is answered without Spark, and its answer is what is so.

The lake is that of an incident in the large emulated world, which knows its truth: `harness.world_truth` tells the
rows of each table, and what a question asks of them is said here again, in Python.
"""

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from emulator.incident import DURING, LOST, RECOVERED, RULE, WRITTEN, Incident
from harness.documented import QUESTIONS, blocks
from harness.known_world import KnownWorld, Row
from harness.large_world import ACLS, BROKEN, BROKERS
from harness.world_truth import TRUTHS
from kafka_census.sql.session import Session
from kafka_census.tables import TABLES
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT

SECONDS = 30
"""Far more than any question takes: a test machine may be busy."""

ASKED = [block.text for block in blocks(QUESTIONS) if block.language == "sql"]


@dataclass(frozen=True)
class Answer:
    """Rows by column, and how long they took."""

    rows: list[Row]
    seconds: float

    def columns(self, *names: str) -> list[tuple[Any, ...]]:
        """These columns of each row, lists as tuples."""
        return [tuple(map(_plain, (row[name] for name in names))) for row in self.rows]


@dataclass(frozen=True)
class Known:
    """The true rows of every table as it is shown now, and as the first census saw it."""

    now: Mapping[str, list[Row]]
    first: Mapping[str, list[Row]]
    incident: Incident


THROTTLES = tuple(f"{kind}_throttle_bytes_per_second" for kind in ("follower", "leader", "log_dir"))
MEMBER = "group_id", "client_id", "client_host", "instance_id"
Reported = list[tuple[Any, ...]] | set[tuple[Any, ...]]


@pytest.fixture(scope="module")
def answers(after_incident: Incident) -> dict[int, Answer]:
    """What each question is answered, each in a session of its own."""
    found = {}
    for number, sql in enumerate(ASKED, 1):
        began = time.monotonic()
        [(columns, rows)] = [(one.columns, list(one.rows)) for one in Session(after_incident.lake).results(sql)]
        found[number] = Answer([dict(zip(columns, row, strict=True)) for row in rows], time.monotonic() - began)
    return found


@pytest.fixture(scope="module")
def known(after_incident: Incident) -> Known:
    """What is so."""
    first = _rows(after_incident.before.known, TRUTHS)
    return Known(first | _rows(after_incident.during, (table.name for table in DURING)), first, after_incident)


def _rows(world: KnownWorld, tables: Iterable[str]) -> dict[str, list[Row]]:
    return {name: list(TRUTHS[name](world)) for name in tables}


def _plain(value: object) -> object:
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def _statuses(rows: Iterable[Row]) -> dict[tuple[str, int], str]:
    return {(row["topic"], row["partition"]): row["status"] for row in rows}


def _1(known: Known) -> Reported:
    return set(Counter(row["status"] for row in known.now["under_min_isr_partitions"]).items())


def _2(known: Known) -> Reported:
    rows = known.now["under_min_isr_partitions"]
    return sorted((row["topic"], row["partition"]) for row in rows if not row["ready_for_acks_all"])


def _3(known: Known) -> Reported:
    before, now = (_statuses(rows["under_min_isr_partitions"]) for rows in (known.first, known.now))
    changed = {(*at, status, now[at]) for at, status in before.items() if now[at] != status}
    assert {topic for topic, *_ in changed} >= {*LOST, *RECOVERED}
    return changed


def _4(known: Known) -> Reported:
    [group] = [row for row in known.now["group_coordinator_placement"] if row["group_id"] == "connect"]
    return [("connect", group["found_coordinator"], "agree")]


def _5(known: Known) -> Reported:
    rows = known.now["under_min_isr_partitions"]
    stuck = {row["partition"] for row in rows if row["topic"] == "__consumer_offsets" and not row["ready_for_acks_all"]}
    of = known.incident.during.world.groups.partition_of
    return {(row["group_id"], of(row["group_id"])) for row in known.now["group_lag"] if of(row["group_id"]) in stuck}


def _6(known: Known) -> Reported:
    rows = [row for row in known.now["group_lag"] if row["lag_total"] is not None]
    worst = sorted(rows, key=lambda row: (-row["lag_total"], row["group_id"].encode()))
    return [(row["group_id"], row["lag_total"], row["partitions_missed"]) for row in worst[:20]]


def _7(known: Known) -> Reported:
    return {
        (row["group_id"], row["topic"], row["partition"], row["range"])
        for row in known.now["consumer_lag"]
        if row["range"] in ("before_start", "after_end", "unknown")
    }


def _8(known: Known) -> Reported:
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


def _9(known: Known) -> Reported:
    return {
        (row["topic"], row["partition"], row["producer_id"], row["verdict"])
        for row in known.now["hanging_transactions"]
        if row["verdict"] in ("hanging", "unknown")
    }


def _10(known: Known) -> Reported:
    rows = [row for row in known.now["brokers"] if row["out_of_sync_replicas"]]
    return {(row["broker_id"], "alive", row["out_of_sync_replicas"], row["offline_replicas"]) for row in rows}


def _11(known: Known) -> Reported:
    assert len(known.now["brokers"]) == BROKERS
    return {(row["broker_id"], row["leaders"], round(row["leader_skew"], 2)) for row in known.now["brokers"]}


def _12(known: Known) -> Reported:
    rows = known.now["coordinator_load"]
    return {(row["broker_id"], row["groups"], round(row["groups_expected"], 1), row["groups_skew"]) for row in rows}


def _13(known: Known) -> Reported:
    return [(row["broker_id"], row["log_dir"]) for row in known.now["log_dir_usage"] if row["state"] == "offline"]


def _14(known: Known) -> Reported:
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


def _15(known: Known) -> Reported:
    """No copy went on since the previous census: each that is known and has not ended is stalled."""
    by_kind = defaultdict(list)
    for row in known.now["reassignment_backlog"]:
        by_kind[row["kind"]].append((row["bytes_left"], row["eta_reason"]))
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


def _16(known: Known) -> Reported:
    rows = known.now["reassignment_backlog_by_broker"]
    throttles = [(row["broker_id"], *(row[name] for name in THROTTLES)) for row in rows]
    return [one for one in throttles if any(one[1:])]


def _17(known: Known) -> Reported:
    needed = Counter[int]()
    for row in known.now["under_min_isr_partitions"]:
        if row["ready_for_acks_all"] and row["isr_size"] == row["min_isr_effective"]:
            needed.update(row["isr"])
    return set(needed.items())


def _18(known: Known) -> Reported:
    releases = {("release", str(broker), "release_at_least", "4.3") for broker in range(1, BROKERS + 1)}
    return releases | {
        ("config", row["resource_name"], row["name"], row["value"])
        for row in known.now["config_drift"]
        if row["kind"] == "between_brokers"
    }


def _19(known: Known) -> Reported:
    """Of three voters one may fail."""
    return [("test", 3, 3, 1, 0)]


def _20(known: Known) -> Reported:
    rows = [row for row in known.now["topics"] if row["replica_bytes"] is not None]
    largest = sorted(rows, key=lambda row: (-row["replica_bytes"], row["topic"]))[:20]
    return [(row["topic"], row["leader_bytes"], row["replica_bytes"]) for row in largest]


def _21(known: Known) -> Reported:
    """Those that have a partition of it, and those of which nobody knows what they have."""
    rows = known.now["group_members"]
    read = {
        (*(row[name] for name in MEMBER), len(indexes))
        for row in rows
        for topic, indexes in row["assignment"]
        if topic == "log-03"
    }
    unsure = (row for row in rows if row["assignment_reason"])
    return read | {
        (*(row[name] for name in MEMBER), None)
        for row in unsure
        if not row["assignment"] or {topic for topic, _ in row["assignment"]} != {"log-03"}
    }


def _22(known: Known) -> Reported:
    topics = [row for row in known.now["topics"] if not row["is_internal"] and not row["groups"]]
    return {(row["topic"], row["partitions"], row["leader_bytes"]) for row in topics}


def _23(known: Known) -> Reported:
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


def _24(known: Known) -> Reported:
    rows = known.now["deletable_groups"]
    return {(*of, n) for of, n in Counter((row["group_type"], row["verdict"], row["evidence"]) for row in rows).items()}


def _25(known: Known) -> Reported:
    topics = defaultdict(list)
    for row in known.now["producer_state"]:
        topics[row["topic"]].append(row["producer_ids"])
    reported = [(name, sum(ids), 0) for name, ids in topics.items() if None not in ids]
    assert len(reported) > 20
    return sorted(reported, key=lambda one: (-one[1], one[0]))[:20]


def _26(_known: Known) -> Reported:
    grants = [(principal, operation, kind, name, dangers) for principal, operation, kind, name, _, dangers in ACLS]
    return {(one, did.lower(), kind.lower(), name, dangers) for one, did, kind, name, dangers in grants if dangers}


def _27(_known: Known) -> Reported:
    """The entries for topics whose name or prefix fits, and the denials beside them."""
    fits = [
        (principal, operation.lower(), name, "allow")
        for principal, operation, kind, name, _, _ in ACLS
        if kind == "TOPIC" and operation in ("READ", "WRITE", "ALL") and name in ("orders", "*")
    ]
    assert len(fits) == 2
    return {*fits, *(("User:guest", operation, name, "deny") for _, operation, name, _ in fits)}


def _28(known: Known) -> Reported:
    rows = known.now["scram_users"]
    return {(row["user"], row["iterations"]) for row in rows if row["mechanisms"] == ("SCRAM-SHA-256",)}


def _29(_known: Known) -> Reported:
    return {(table.name, True, 0) for table in TABLES}


def _30(known: Known) -> Reported:
    """The operator's own rule with each of its rows; the broker that is down, of each table that needs it."""
    rows = TRUTHS["under_min_isr_partitions"](known.incident.after)
    offline = [f"topic={row['topic']}, partition={row['partition']}" for row in rows if row["status"] == "OFFLINE"]
    return {("under_min_isr_partitions", RULE, len(offline), row_key) for row_key in offline}


ASKED_OF: tuple[tuple[Callable[[Known], Reported], str], ...] = (
    (_1, "status, partitions"),
    (_2, "topic, partition"),
    (_3, "topic, partition, before, now"),
    (_4, "group_id, found_coordinator, agreement"),
    (_5, "group_id, partition"),
    (_6, "group_id, lag_total, partitions_missed"),
    (_7, "group_id, topic, partition, range"),
    (_8, "lost, coordinates, groups_stranded, cannot_commit, takes_over, groups"),
    (_9, "topic, partition, producer_id, verdict"),
    (_10, "broker_id, state, out_of_sync_replicas, offline_replicas"),
    (_11, "broker_id, leaders, leader_skew"),
    (_12, "broker_id, groups, fair_share, groups_skew"),
    (_13, "broker_id, log_dir"),
    (_14, "broker_id, censuses, bytes_now, grew"),
    (_15, "kind, replicas, bytes_left, not_known, stalled"),
    (_16, f"broker_id, {', '.join(THROTTLES)}"),
    (_17, "broker_id, partitions"),
    (_18, "what, broker, name, value"),
    (_19, "cluster, voters, caught_up, may_fail, not_known"),
    (_20, "topic, leader_bytes, replica_bytes"),
    (_21, f"{', '.join(MEMBER)}, partitions"),
    (_22, "topic, partitions, leader_bytes"),
    (_23, "group_id, lag, grew"),
    (_24, "group_type, verdict, evidence, groups"),
    (_25, "topic, producer_ids, partitions_not_read"),
    (_26, "principal, operation, resource_type, resource_name, dangers"),
    (_27, "principal, operation, resource_name, permission"),
    (_28, "user, iterations"),
    (_29, "table_name, is_complete, missing"),
    (_30, "table_name, rule, failed_rows, row_key"),
)
"""What is so, and the columns that say it, of each question: a list where the order matters."""


def test_there_are_thirty_questions() -> None:
    """Numbered through, each with one statement, and each is held here."""
    numbers = re.findall(r"^### (\d+)\. .+\?$", QUESTIONS.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(number) for number in numbers] == list(range(1, 31))
    assert len(ASKED) == len(ASKED_OF) == len(numbers)


@pytest.mark.parametrize("number", range(1, len(ASKED_OF) + 1))
def test_an_answer_is_what_is_so(answers: dict[int, Answer], known: Known, number: int) -> None:
    """There is one, it is right, and nobody waits for it."""
    true, columns = ASKED_OF[number - 1]
    so, reported = true(known), answers[number].columns(*columns.split(", "))
    if number == 30:  # who is missing is reported by broker, in words: the test below
        reported = [row for row in reported if row[1] == RULE]
    assert so
    assert reported == so if isinstance(so, list) else Counter(reported) == Counter(so)
    assert answers[number].seconds < SECONDS


def test_a_refusal_names_the_broker_that_is_down(answers: dict[int, Answer]) -> None:
    """In the verdict of the table that needs its answers."""
    [down] = [row for row in answers[30].rows if row["kind"] == "completeness"]
    assert down["table_name"] == GROUP_COORDINATOR_PLACEMENT.name
    assert f"broker {BROKEN}" in down["message"]
