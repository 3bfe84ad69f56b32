"""What is lost while every other broker works: a disk, a broker that was decommissioned, a controller.

A disk's groups and transactions are in no listing then, without any error. A broker without replicas that was stopped
owes nothing, and is reported once after it is unregistered. Of a dead controller the new leader has not heard.
"""

from collections.abc import Callable

import pytest

from e2e.losses import BEFORE, GONE, GROUPS, HEALED, HIT, STOPPED, UNREGISTERED, Losses, Row, losses
from e2e.operator import Operator
from kafka_census.declarations.audit import PUBLICATIONS, ROUTES, VERDICTS
from kafka_census.declarations.walks import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.config_drift.columns import CONFIG_DRIFT
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT


@pytest.fixture(scope="module")
def lost(operator: Callable[..., Operator]) -> Losses:
    return losses(operator)


def reported(lost: Losses, topic: str, what: str) -> str:
    named = ", ".join(map(str, lost.lost[topic]))
    if len(lost.lost[topic]) == 1:
        return f"partition {named} of {topic} has no leader: its {what} are in no answer"
    return f"partitions {named} of {topic} have no leader: their {what} are in no answer"


def test_the_lost_disk_raises_alerts_that_end_with_its_return(lost: Losses) -> None:
    """Every broker is alive: the disk itself and the replicas that lack their copies on it are the only symptoms."""
    names = ("log_dir_offline", "under_replicated", "offline")
    on_it = sum(map(len, lost.lost.values()))
    assert lost.copies > 0
    assert [tuple(figures[name] for name in names) for figures in lost.figures] == [
        (0, 0, 0),
        (1, lost.copies, on_it),
        (0, 0, 0),
    ]


def test_the_partitions_are_missing_reads_of_what_lists_their_groups_and_transactions(lost: Losses) -> None:
    assert all(lost.lost.values())
    assert lost.refused.code == 3
    reasons = {
        "ListGroups": reported(lost, OFFSETS_TOPIC, "groups"),
        "ListTransactions": reported(lost, TRANSACTIONS_TOPIC, "transactions"),
    }
    assert reasons["ListGroups"] in lost.refused.error
    hurt = {row["table_name"]: row for row in lost.of(PUBLICATIONS, HIT)}
    missing = {
        name: {(one["rpc"], one["broker_id"], one["error"], one["reason"]) for one in row["missing"]}
        for name, row in hurt.items()
    }
    of = {rpc: {(rpc, None, "LEADER_NOT_AVAILABLE", reason)} for rpc, reason in reasons.items()}
    lacking = {
        GROUP_COORDINATOR_PLACEMENT.name: of["ListGroups"],
        TRANSACTION_COORDINATOR_PLACEMENT.name: of["ListTransactions"],
        DELETABLE_GROUPS.name: of["ListGroups"],
    }
    assert missing == {name: set() for name in hurt} | lacking
    assert {name for name, row in hurt.items() if not row["is_complete"]} == set(lacking)


def test_groups_that_could_not_be_listed_keep_their_history(lost: Losses) -> None:
    first, hurt, healed = (
        {row["group_id"]: row for row in lost.of(DELETABLE_GROUPS, number)} for number in (BEFORE, HIT, HEALED)
    )
    listed = {row["group_id"] for row in lost.of(GROUP_COORDINATOR_PLACEMENT, HIT)}
    unlisted = set(GROUPS) - listed
    assert unlisted
    assert listed < set(GROUPS) == hurt.keys()
    for name in unlisted:
        row = hurt[name]
        assert row["verdict"] == "unknown"
        assert row["reason"] == f"it could not be listed: {reported(lost, OFFSETS_TOPIC, 'groups')}"
        assert (row["empty_since"], row["censuses_empty"]) == (first[name]["empty_since"], 1)
    for name in GROUPS:
        assert healed[name]["empty_since"] == first[name]["empty_since"]
        assert healed[name]["censuses_empty"] == (2 if name in unlisted else 3)


def test_a_stopped_broker_owes_no_page_and_nothing_is_missing(lost: Losses) -> None:
    """It is fenced, and holds no replica."""
    rows = lost.of(PUBLICATIONS, BEFORE, HEALED, STOPPED, UNREGISTERED)
    assert {(row["is_complete"], len(row["missing"])) for row in rows} == {(True, 0)}
    owed = [row for row in lost.of(ROUTES, *range(len(lost.ids))) if row["broker_id"] == GONE]
    assert {row["census_id"] for row in owed} == {lost.ids[BEFORE], lost.ids[HIT], lost.ids[HEALED]}


def warned(lost: Losses, rule: str) -> list[Row]:
    rows = lost.of(VERDICTS, BEFORE, HEALED, STOPPED, UNREGISTERED)
    found = [row for row in rows if (row["rule"], row["outcome"]) == (rule, "warn")]
    return [row for row in found if f"broker_id={GONE}" in row["failing_keys"]]


def test_a_stopped_broker_is_fenced_and_its_rows_say_what_to_do(lost: Losses) -> None:
    reason = (
        f"broker {GONE} was not asked: it is fenced and holds no replica; if it was decommissioned: kafka-cluster.sh "
        f"unregister --bootstrap-server HOST:PORT --id {GONE}"
    )
    [dirs] = [row for row in lost.of(LOG_DIR_USAGE, STOPPED) if row["broker_id"] == GONE]
    assert (dirs["state"], dirs["reason"]) == ("not_read", reason)
    unread = [row for row in lost.of(CONFIG_DRIFT, STOPPED) if row["kind"] == "not_read"]
    assert [(row["resource_type"], row["resource_name"], row["reason"]) for row in unread] == [
        ("broker", str(GONE), reason)
    ]
    [fenced] = warned(lost, "fenced_broker_has_replicas")
    assert (fenced["census_id"], fenced["failing_keys"]) == (lost.ids[STOPPED], [f"broker_id={GONE}"])
    assert "kafka-cluster.sh unregister" in fenced["message"]


def test_a_broker_that_is_gone_has_no_rows_as_if_it_had_not_answered(lost: Losses) -> None:
    assert GONE not in {row["broker_id"] for row in lost.of(LOG_DIR_USAGE, UNREGISTERED)}
    assert "not_read" not in {row["kind"] for row in lost.of(CONFIG_DRIFT, UNREGISTERED)}


def test_a_broker_that_is_gone_is_a_row_and_a_warning(lost: Losses) -> None:
    """In the census directly after the last one that knew the broker."""
    rows = [row for row in lost.of(BROKERS, *range(len(lost.ids))) if row["broker_id"] == GONE]
    states = ("alive", "alive", "alive", "fenced", "gone")
    assert [(row["census_id"], row["state"]) for row in rows] == list(zip(lost.ids, states, strict=True))
    [gone] = warned(lost, "broker_is_still_seen")
    assert gone["census_id"] == lost.ids[UNREGISTERED]
    assert "not seen any more" in gone["message"]


def test_a_dead_controller_is_reported_and_fails_a_run_that_asks_for_it(lost: Losses) -> None:
    """One line names the voter, and the exit code is that of a problem."""
    voters = {row["replica_id"]: row for row in lost.of(QUORUM, UNREGISTERED) if row["role"] == "voter"}
    told = [voters[lost.dead][name] for name in ("caught_up", "log_end_offset", "reason")]
    assert told == [None, None, "the leader has not heard from it"]
    assert f"1 voter of the metadata quorum is not known to be caught up: {lost.dead}" in lost.last.out
    assert "nothing is wrong" not in lost.last.out
    assert (lost.last.code, lost.last.error.rpartition(": ")[2]) == (4, "1 voters_behind")
