"""Every question of docs/questions.md is answered without Spark, and its answer is what is so.

The lake is that of an incident in the large emulated world. That its rows are so is tested elsewhere
(test_truth_at_size.py, tests/trouble); what a question asks of them is said here again, in Python.
"""

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
from kafka_census.declarations.walks import OFFSETS_TOPIC
from kafka_census.reading.sql.session import Session
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_emulator.features import LATEST
from kafka_emulator.replicas import NO_LEADER

ASKED = [block.text for block in blocks(QUESTIONS) if block.language == "sql"]
PARTITIONS, PLACEMENT, LOAD = "under_min_isr_partitions", "group_coordinator_placement", "coordinator_load"
THROTTLES = tuple(f"{kind}_throttle_bytes_per_second" for kind in ("follower", "leader", "log_dir"))
MEMBER = "group_id", "client_id", "client_host", "instance_id"
Reported = list[tuple[Any, ...]] | set[tuple[Any, ...]]


@dataclass(frozen=True)
class Known:
    """The rows of every table as it is shown now, and as the first census published it; lists are tuples."""

    now: Mapping[str, list[Row]]
    first: Mapping[str, list[Row]]
    incident: Incident

    def values(self, table: str, columns: str, where: Callable[[Row], Any] = lambda _: True) -> set[tuple[Any, ...]]:
        """Some columns of the rows that are shown now."""
        return {tuple(row[name] for name in columns.split()) for row in self.now[table] if where(row)}


@pytest.fixture(scope="module")
def answers(after_incident: Incident) -> dict[int, list[Row]]:
    results = Session(after_incident.lake).results(";\n".join(ASKED))
    return {
        number: [dict(zip(one.columns, row, strict=True)) for row in one.rows] for number, one in enumerate(results, 1)
    }


@pytest.fixture(scope="module")
def known(after_incident: Incident) -> Known:
    return Known(_rows(after_incident.now), _rows(after_incident.before.rows), after_incident)


def _rows(tables: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
    return {
        table: [{name: _plain(value) for name, value in row.items()} for row in rows] for table, rows in tables.items()
    }


def _plain(value: object) -> object:
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def _what_changed(known: Known) -> Reported:
    before, now = (
        {(row["topic"], row["partition"]): row["status"] for row in rows[PARTITIONS]}
        for rows in (known.first, known.now)
    )
    changed = {(*at, status, now[at]) for at, status in before.items() if now[at] != status}
    assert {topic for topic, *_ in changed} >= {*LOST, *RECOVERED}
    return changed


def _top(rows: Iterable[tuple[Any, ...]], by: int) -> Reported:
    """The twenty rows with the largest value at this position; names decide between equal ones."""
    return sorted(rows, key=lambda row: (-row[by], row[0].encode()))[:20]


def _who_takes_over(known: Known) -> Reported:
    busiest = min(known.now[LOAD], key=lambda row: (-row["groups"], row["broker_id"]))
    stuck = {
        row["partition"]
        for row in known.now[PARTITIONS]
        if row["topic"] == OFFSETS_TOPIC and row["leader_id"] == busiest["broker_id"]
        and len(row["isr"]) - 1 < row["min_isr_effective"]
    }  # fmt: skip
    cannot = sum(row["offsets_partition"] in stuck for row in known.now[PLACEMENT])
    lost = busiest["broker_id"], busiest["groups"], busiest["groups_stranded"], cannot
    return {(*lost, heir["broker_id"], heir["groups"]) for heir in busiest["if_lost"]}


def _growth(known: Known) -> Reported:
    """Of the broken broker the log dirs are never all known."""
    first, now = Counter[int](), Counter[int]()
    for held, rows in ((first, known.first), (now, known.now)):
        for row in rows["log_dir_usage"]:
            held[row["broker_id"]] += row["replica_bytes"] or 0
    assert now != first
    return {(broker, 2, now[broker], now[broker] - first[broker]) for broker in now if broker != BROKEN}


def _moves(known: Known) -> Reported:
    """No copy went on since the previous census: each that is known and has not ended is stalled."""
    by_kind = defaultdict(list)
    for row in known.now["reassignment_backlog"]:
        by_kind[row["kind"]].append((row["bytes_left"], row["eta_reason"] is not None))
    return [
        (
            *(kind, len(rows), sum(left or 0 for left, _ in rows), sum(left is None for left, _ in rows)),
            sum(left is not None and is_open for left, is_open in rows),
        )
        for kind, rows in sorted(by_kind.items())
    ]


def _needed(known: Known) -> Reported:
    needed = Counter[int]()
    for row in known.now[PARTITIONS]:
        if row["ready_for_acks_all"] and row["isr_size"] == row["min_isr_effective"]:
            needed.update(row["isr"])
    return set(needed.items())


def _settings(known: Known) -> Reported:
    releases = {("release", str(broker), "release_at_least", LATEST) for broker in range(1, BROKERS + 1)}
    drift = known.values("config_drift", "resource_name name value", lambda row: row["kind"] == "between_brokers")
    return releases | {("config", *row) for row in drift}


def _readers(known: Known) -> Reported:
    """Those that have a partition of it, and those of which nobody knows what they have."""
    read = {
        (*(row[name] for name in MEMBER), len(of["partitions"]))
        for row in known.now["group_members"]
        for of in row["assignment"]
        if of["topic"] == "log-03"
    }
    unsure = (row for row in known.now["group_members"] if row["assignment_reason"])
    return read | {
        (*(row[name] for name in MEMBER), None)
        for row in unsure
        if {of["topic"] for of in row["assignment"]} != {"log-03"}
    }


def _lag_over_time(known: Known) -> Reported:
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


def _producers(known: Known) -> Reported:
    topics = defaultdict(list)
    for row in known.now["producer_state"]:
        topics[row["topic"]].append(row["producer_ids"])
    reported = [(name, sum(ids), 0) for name, ids in topics.items() if None not in ids]
    assert len(reported) > 20
    return _top(reported, by=1)


def _dangers(_known: Known) -> Reported:
    return {(one, did.lower(), kind.lower(), name, dangers) for one, did, kind, name, _, dangers in ACLS if dangers}


def _allowed(_known: Known) -> Reported:
    """The entries for topics whose name or prefix fits, and the denials beside them."""
    fits = [
        (principal, operation.lower(), name, "allow")
        for principal, operation, kind, name, _, _ in ACLS
        if kind == "TOPIC" and operation in ("READ", "WRITE", "ALL") and name in ("orders", "*")
    ]
    assert len(fits) == 2
    return {*fits, *(("User:guest", operation, name, "deny") for _, operation, name, _ in fits)}


def _wrong(known: Known) -> Reported:
    """The operator's own rule with each of its rows; the broker that is down is a test of its own."""
    states = known.incident.after.states.items()
    offline = [f"topic={topic}, partition={index}" for (topic, index), state in states if state.leader == NO_LEADER]
    return {(PARTITIONS, RULE, len(offline), row_key) for row_key in offline}


def _one_group(known: Known) -> Reported:
    is_it = known.values(PLACEMENT, "group_id found_coordinator", lambda row: row["group_id"] == "connect")
    return {(*row, "agree") for row in is_it}


def _cannot_commit(known: Known) -> Reported:
    of = known.incident.during.world.groups.partition_of
    no_commit = known.values(PARTITIONS, "topic partition", lambda row: not row["ready_for_acks_all"])
    named = ((name, of(name)) for (name,) in known.values("group_lag", "group_id"))
    return {(name, partition) for name, partition in named if (OFFSETS_TOPIC, partition) in no_commit}


def _rounded(known: Known, table: str, columns: str, digits: int) -> Reported:
    assert len(known.now["brokers"]) == BROKERS
    rows = known.values(table, columns)
    return {tuple(round(one, digits) if isinstance(one, float) else one for one in row) for row in rows}


def _standing(known: Known) -> Reported:
    """Of each risk: things that bear it, and those of which that was accepted or is not known."""
    states = defaultdict(list)
    for row in known.now["risks"]:
        states[row["risk"]].append(row["state"])
    return {(risk, len(of), of.count("accepted"), of.count("unknown")) for risk, of in states.items()}


Truth = tuple[str, Callable[[Known], Reported]]


def _shown(table: str, columns: str, where: Callable[[Row], Any]) -> Truth:
    return columns, lambda known: known.values(table, columns, where)


def _counted(table: str, columns: str, count: str, where: Callable[[Row], Any] = lambda _: True) -> Truth:
    """How many rows have these values: the last column."""

    def true(known: Known) -> Reported:
        of = Counter(tuple(row[name] for name in columns.split()) for row in known.now[table] if where(row))
        return {(*values, number) for values, number in of.items()}

    return f"{columns} {count}", true


def _sorted(truth: Truth) -> Truth:
    return truth[0], lambda known: sorted(truth[1](known))


def _first(truth: Truth, by: int) -> Truth:
    return truth[0], lambda known: _top(truth[1](known), by)


TRUE: tuple[Truth, ...] = (
    _counted(PARTITIONS, "status", "partitions"),
    _sorted(_shown(PARTITIONS, "topic partition", lambda row: not row["ready_for_acks_all"])),
    ("topic partition before now", _what_changed),
    ("group_id found_coordinator agreement", _one_group),
    ("group_id partition", _cannot_commit),
    _first(_shown("group_lag", "group_id lag_total partitions_missed", lambda row: row["lag_total"] is not None), by=1),
    _shown("consumer_lag", "group_id topic partition range", lambda row: row["range"] not in ("in_range", "no_commit")),
    ("lost coordinates groups_stranded cannot_commit takes_over groups", _who_takes_over),
    _shown(
        *("hanging_transactions", "topic partition producer_id verdict"),
        lambda row: row["verdict"] in ("hanging", "unknown"),
    ),
    _shown("brokers", "broker_id state out_of_sync_replicas offline_replicas", itemgetter("out_of_sync_replicas")),
    ("broker_id leaders leader_skew", lambda known: _rounded(known, "brokers", "broker_id leaders leader_skew", 2)),
    (
        "broker_id groups fair_share groups_skew",
        lambda known: _rounded(known, LOAD, "broker_id groups groups_expected groups_skew", 1),
    ),
    _shown("log_dir_usage", "broker_id log_dir", lambda row: row["state"] == "offline"),
    ("broker_id censuses bytes_now grew", _growth),
    ("kind replicas bytes_left not_known stalled", _moves),
    _sorted(
        _shown(
            *("reassignment_backlog_by_broker", f"broker_id {' '.join(THROTTLES)}"),
            lambda row: row["throttle_reason"] or any(row[name] is not None for name in THROTTLES),
        )
    ),
    ("broker_id partitions", _needed),
    ("what broker name value", _settings),
    ("cluster voters caught_up may_fail not_known", lambda _: [("test", 3, 3, 1, 0)]),
    _first(_shown("topics", "topic leader_bytes replica_bytes", lambda row: row["replica_bytes"] is not None), by=2),
    (f"{' '.join(MEMBER)} partitions", _readers),
    _shown("topics", "topic partitions leader_bytes", lambda row: not (row["is_internal"] or row["groups"])),
    ("group_id lag grew", _lag_over_time),
    _counted("deletable_groups", "group_type verdict evidence", "groups"),
    ("topic producer_ids partitions_not_read", _producers),
    ("principal operation resource_type resource_name dangers", _dangers),
    ("principal operation resource_name permission", _allowed),
    _shown("scram_users", "user iterations", lambda row: row["mechanisms"] == ("SCRAM-SHA-256",)),
    ("table_name is_complete missing", lambda _: {(table.name, True, 0) for table in TABLES}),
    ("table_name rule failed_rows row_key", _wrong),
    ("risk things accepted not_known", _standing),
    _shown(
        *("group_lag", "group_id lag_seconds_method partitions_without_age partitions_out_of_range lag_total"),
        lambda row: row["lag_seconds"] is None or row["lag_seconds"] > 60,
    ),
    _shown("usage_by_owner", "owner topics partitions replica_bytes groups lag_total", lambda _: True),
    _counted(
        *("consumer_lag", "owner group_id topic range", "partitions"),
        lambda row: row["range"] in ("before_start", "after_end"),
    ),
    _shown("failure_impact", "kind name verdict offline_partitions reason", lambda row: row["verdict"] != "safe"),
)
"""Of each question in order: columns of its answer, and what is so; a list where the order matters."""


def test_each_question_is_here(answers: dict[int, list[Row]]) -> None:
    assert len(ASKED) == len(TRUE) == len(answers)


@pytest.mark.parametrize("number", range(1, len(TRUE) + 1))
def test_an_answer_is_what_is_so(answers: dict[int, list[Row]], known: Known, number: int) -> None:
    names, true = TRUE[number - 1]
    so, reported = true(known), [tuple(_plain(row[name]) for name in names.split()) for row in answers[number]]
    if number == 30:  # who is missing is reported by broker, in words: the test below
        reported = [row for row in reported if row[1] == RULE]
    assert so
    assert reported == so if isinstance(so, list) else Counter(reported) == Counter(so)


def test_a_refusal_names_the_broker_that_is_down(answers: dict[int, list[Row]]) -> None:
    [down] = [row for row in answers[30] if row["kind"] == "completeness"]
    assert down["table_name"] == GROUP_COORDINATOR_PLACEMENT.name
    assert f"broker {BROKEN}" in down["message"]
