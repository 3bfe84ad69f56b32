"""Hanging transactions are found, healthy ones are not, and a transaction that could not be judged has a reason.

One row of the weaknesses of `kafka-transactions find-hanging` is one test here.
"""

from typing import Any

from kafka_census.tables.hanging_transactions.columns import HANGING_TRANSACTIONS as TABLE
from spark.cases import Case, each_case
from spark.landed_items import BEFORE, Item, at, item, milliseconds, missing_read, naive

MINUTE = 60_000
START = 50
NO_ACLS = missing_read("DescribeAcls", "acls", None, "CLUSTER_AUTHORIZATION_FAILED")
NO_AUTHORIZER = [item(error_code=54)]


def opened(topic: str, producer_id: int, received: int = 1, **columns: Any) -> Item:
    """An open transaction of partition 0 that began at START; its last record is half an hour old."""
    known = {"topic": topic, "partition": 0, "error_code": 0, "producer_id": producer_id, "producer_epoch": 4}
    return item(
        1, received, **known | {"last_timestamp": milliseconds(-1800), "current_txn_start_offset": START} | columns
    )


def listed(transactional_id: str, producer_id: int, state: str = "Ongoing") -> Item:
    return item(2, 2, transactional_id=transactional_id, producer_id=producer_id, transaction_state=state)


def described(transactional_id: str, *topics: str, **columns: Any) -> list[Item]:
    """The transaction of an id: partition 0 of each topic."""
    head = {"transactional_id": transactional_id, "error_code": 0, "transaction_state": "Ongoing"} | columns
    partitions: list[dict[str, Any]] = [{"topic": topic, "partition": 0} for topic in topics] or [{}]
    return [item(2, 3, **{"transaction_timeout_ms": MINUTE} | head | partition) for partition in partitions]


def seen(topic: str, producer_id: int, since: int, **columns: Any) -> Item:
    """A row of the previous census: the transaction was open since then, and was hanging."""
    known = {"topic": topic, "partition": 0, "producer_id": producer_id, "producer_epoch": 4}
    run = {"first_seen_at": at(since), "hanging_since": at(since), "censuses_hanging": 2, "verdict": "hanging"}
    return {"census_id": BEFORE, "current_txn_start_offset": START} | known | run | columns


def asked(producers: list[Item], again: list[Item] | None = None, acls: Any = NO_AUTHORIZER, **more: Any) -> Any:
    """The inputs; the second answers of partitions are the same unless given."""
    same = [dict(one) | {"received_at": at(5)} for one in producers]
    return {"producers": producers, "rechecked": same if again is None else again, "acls": acls} | more


def case(columns: str, rows: dict[str, Any], producers: list[Item], **more: Any) -> Case:
    return Case(asked(producers, **more), None).table(columns, rows)


VERDICT = "verdict evidence confidence reason"
LEFT = ("hanging", "not_in_transaction", "high", "the transaction of a (Ongoing) does not have the partition")
SIGHTS = [opened(topic, 1, last_timestamp=milliseconds(10**8)) for topic in ("long", "short", "other")]
ONCE = "seen once, and not late: a coordinator that just moves, or a stale replica, looks the same"
KNOWN: dict[str, Any] = {"transactions": [listed("a", 8)], "described": described("a", "other")}
ENDED = "it was no longer open when the partition was asked again"
MAX, REFUSED = "transaction.max.timeout.ms", "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"
CASES = {
    "held: ongoing, or waiting for its marker; what the id's transaction lacks hangs; a refusal is unknown": case(
        f"{VERDICT} transaction_state",
        {
            "held": ("held", None, None, None, "Ongoing"),
            "waits": ("held", None, None, None, "PrepareCommit"),
            "left": (*LEFT, "Ongoing"),
            "over": (*LEFT[:3], "the transaction of c (CompleteAbort) does not have the partition", "CompleteAbort"),
            "forgotten": ("hanging", "no_description", "high", "transactional id d has no description", "Empty"),
            "refused": ("unknown", None, None, f"DescribeTransactions: {REFUSED}", "Ongoing"),
        },
        [
            opened(*one)
            for one in (("held", 1), ("waits", 2), ("left", 1), ("over", 3), ("forgotten", 4), ("refused", 5))
        ],
        transactions=[
            listed("a", 1),
            listed("b", 2, "PrepareCommit"),
            listed("c", 3, "Empty"),
            listed("d", 4, "Empty"),
            listed("e", 5),
        ],
        described=[
            *described("a", "held", "elsewhere"),
            *described("b", "waits", transaction_state="PrepareCommit"),
            *described("c", transaction_state="CompleteAbort"),
            *described("d", error_code=105, transaction_state=None),
            *described("e", error_code=53, transaction_state=None, transaction_timeout_ms=None),
        ],
    ),
    # Three answers are no snapshot.
    "ended meanwhile: gone, of another epoch, or another transaction of the same producer id; or not told again": case(
        "verdict reason",
        dict.fromkeys(("gone", "epoch", "next"), ("ended", ENDED))
        | {"refused": ("unknown", "DescribeProducers again: NOT_LEADER_OR_FOLLOWER")}
        | {"lost": ("unknown", "the partition was not asked again")},
        [opened(topic, at) for at, topic in enumerate(("gone", "epoch", "next", "same", "refused", "lost"), 1)],
        again=[
            item(1, 5, topic="gone", partition=0, error_code=0),
            item(1, 5, topic="refused", partition=0, error_code=6),
            opened("epoch", 2, 5, producer_epoch=5),
            opened("next", 3, 5, current_txn_start_offset=START + 9),
            opened("same", 4, 5, last_timestamp=milliseconds(-20)),
        ],
    ).table("verdict last_timestamp rechecked_at", {"same": ("hanging", naive(-20), naive(5))}),
    # Its producer set it: an old timestamp makes no healthy transaction hang, and one in the future hides none.
    "the record's timestamp decides nothing": case(
        "verdict late",
        {"old": ("held", True), "future": ("hanging", False), "absurd": ("hanging", False), "none": ("hanging", None)},
        [
            opened("old", 1, last_timestamp=milliseconds(-(10**8))),
            opened("future", 2, last_timestamp=milliseconds(10**8)),
            opened("absurd", 3, last_timestamp=2**63 - 1),
            opened("none", 4, last_timestamp=None),
        ],
        transactions=[listed("a", 1)],
        described=described("a", "old"),
    )
    .table("last_timestamp", {"absurd": None})
    .table("max_timeout_ms max_timeout_source", {"old": (15 * MINUTE, "default")}),
    # A transaction that an earlier census saw is at least that old; another one of the producer id is not.
    "our own sights tell an age that no producer sets": case(
        "late seen_for_ms censuses_hanging previous_census_id",
        {
            "long": (True, 3_605_000, 3, BEFORE),
            "short": (False, 65_000, 1, BEFORE),
            "other": (False, 4000, 1, None),
        },
        SIGHTS,
        previous=[
            seen("long", 1, -3600),
            seen("short", 1, -60, hanging_since=None, censuses_hanging=0, verdict="held"),
            seen("other", 1, -3600, current_txn_start_offset=START - 10),
        ],
    ).table("hanging_since", {"long": naive(-3600)}),
    # While a coordinator moves, its ids are listed nowhere; a second census, or lateness, decides.
    "one look at a young transaction is not beyond doubt": case(
        "confidence doubt",
        {"once": ("low", ONCE), "twice": ("high", None), "late": ("high", None)},
        [
            opened("once", 1, last_timestamp=milliseconds(0)),
            opened("twice", 2, last_timestamp=milliseconds(0)),
            opened("late", 3),
        ],
        previous=[seen("twice", 2, -60)],
    ),
}
# The coordinator may hold it, on 2.8 always; it starts no run of hanging. A known id is judged.
UNLISTED_BY = "ListTransactions was not read from broker 3 (COORDINATOR_LOAD_IN_PROGRESS)"
CASES["what an unread coordinator may hold is unknown"] = case(
    f"{VERDICT} late",
    {"t": ("unknown", None, None, UNLISTED_BY, True), "known": (*LEFT, True)},
    [opened("t", 7), opened("known", 8)],
    **KNOWN,
    alone=True,
    missing=[missing_read("ListTransactions", "transactions", 3, "COORDINATOR_LOAD_IN_PROGRESS")],
).table("hanging_since censuses_hanging", {"t": (None, 0)})
# ListTransactions leaves out ids without DESCRIBE, unless the proof of ADR 3 shows that all ids are listed.
AN_ENTRY = [item(resource_type="topic", resource_name="*", error_code=0)]
ALLOWED = [item(error_code=105)]
ALLOW: dict[str, Any] = {"resource_type": "transactional_id", "resource_name": "b", "principal": "User:m"}
ALLOW |= {"operation": "describe", "pattern_type": "literal", "permission": "allow", "error_code": 0}
EVERYONE = [item(resource_type="broker", resource_name="1", error_code=0, name="allow.everyone.if.no.acl.found")]
HIDDEN = "its id may be hidden: brokers do not list ids that the principal may not DESCRIBE"
UNLISTED = "no transactional id was listed that has producer id 7"
for name, is_proven, proof in (
    ("everyone may", False, {"acls": [item(**ALLOW)], "probe": ALLOWED, "configs": EVERYONE}),
    ("acls were not read", False, {"acls": [], "probe": ALLOWED, "missing": [NO_ACLS]}),
    ("proven", True, {"acls": AN_ENTRY, "probe": ALLOWED}),
):
    told = ("high", UNLISTED, None) if is_proven else ("low", UNLISTED, HIDDEN)
    CASES[f"ids may be hidden: {name}"] = case(
        f"{VERDICT} doubt",
        {"t": ("hanging", "no_transactional_id", *told), "known": (*LEFT, None)},
        [opened("t", 7), opened("known", 8)],
        alone=True,
        **KNOWN,
        **proof,
    )


# The largest of any broker, or the id's own timeout if larger, as with two-phase commit.
TIMEOUTS = ((1, MAX, "1200000"), (2, MAX, "3600000"), (2, "log.retention.ms", "9999999999"), (3, MAX, "garbage"))
TWO = [opened("plain", 1), opened("two-phase", 2), opened("undescribed", 3)]
CASES["the maximum timeout is the brokers'; what was not described, or not asked again, is unknown"] = case(
    "max_timeout_ms max_timeout_source late",
    {"plain": (60 * MINUTE, "broker", False), "two-phase": (2**31 - 1, "transaction", False)},
    [*TWO, opened("lost", 4)],
    again=[dict(one) | {"received_at": at(5)} for one in TWO],
    configs=[
        item(node, resource_type="broker", resource_name=f"{node}", error_code=0, name=name, value=value)
        for node, name, value in TIMEOUTS
    ],
    transactions=[listed("a", 1), listed("b", 2), listed("c", 3)],
    described=[*described("a"), *described("b", transaction_timeout_ms=2**31 - 1)],
    alone=True,
    missing=[
        missing_read("DescribeTransactions", "transactional_ids", 3, "CONNECTION_FAILED"),
        missing_read("DescribeProducers", "recheck", 1, "CONNECTION_FAILED"),
    ],
).table(
    "verdict confidence reason transaction_state",
    {
        topic: ("unknown", None, f"{rpc} was not read from broker {broker} (CONNECTION_FAILED)", state)
        for topic, rpc, broker, state in (
            ("undescribed", "DescribeTransactions", 3, "Ongoing"),
            ("lost", "DescribeProducers", 1, None),
        )
    },
)

test_every_case = each_case(TABLE, CASES, lambda row: row.topic)
