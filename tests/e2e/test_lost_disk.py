"""A disk is lost and every broker is alive: its groups and transactions are in no listing, without any error."""

from e2e.losses import BEFORE, GROUPS, HEALED, HIT, Losses
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.deletable_groups import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.transaction_coordinator_placement import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.walks import OFFSETS_TOPIC, TRANSACTIONS_TOPIC


def reported(partitions: list[int], topic: str, what: str) -> str:
    named = ", ".join(map(str, partitions))
    if len(partitions) == 1:
        return f"partition {named} of {topic} has no leader: its {what} are in no answer"
    return f"partitions {named} of {topic} have no leader: their {what} are in no answer"


def test_the_lost_disk_raises_alerts_that_end_with_its_return(lost: Losses) -> None:
    """Every broker is alive: the disk itself and the replicas that lack their copies on it are the only symptoms."""
    names = ("offline_log_dirs", "under_replicated_partitions", "offline_partitions")
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
        "ListGroups": reported(lost.lost[OFFSETS_TOPIC], OFFSETS_TOPIC, "groups"),
        "ListTransactions": reported(lost.lost[TRANSACTIONS_TOPIC], TRANSACTIONS_TOPIC, "transactions"),
    }
    assert reasons["ListGroups"] in lost.refused.error
    first, hurt, healed = (lost.rows(PUBLICATIONS, number, "table_name") for number in (BEFORE, HIT, HEALED))
    assert {row["is_complete"] for row in (*first.values(), *healed.values())} == {True}
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
    first, hurt, healed = (lost.rows(DELETABLE_GROUPS, number, "group_id") for number in (BEFORE, HIT, HEALED))
    listed = lost.rows(GROUP_COORDINATOR_PLACEMENT, HIT, "group_id")
    unlisted = set(GROUPS) - listed.keys()
    assert unlisted
    assert listed.keys() < set(GROUPS) == hurt.keys()
    for name in unlisted:
        row = hurt[name]
        assert row["verdict"] == "unknown"
        assert row["reason"] == f"it could not be listed: {reported(lost.lost[OFFSETS_TOPIC], OFFSETS_TOPIC, 'groups')}"
        assert (row["empty_since"], row["censuses_empty"]) == (first[name]["empty_since"], 1)
    for name in GROUPS:
        assert healed[name]["empty_since"] == first[name]["empty_since"]
        assert healed[name]["censuses_empty"] == (2 if name in unlisted else 3)
