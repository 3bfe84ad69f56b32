"""Groups and transactional ids that cannot commit are counted at the partition that they hash to, or are unknown."""

from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS as TABLE
from spark.cases import Case, each_case
from spark.landed_items import REDPANDA, Item, at, item, missing_read
from spark.partition_items import DEFAULT, OFFSETS, TRANSACTIONS, config, part, with_configs

# Each id's hash is its letter's code: "h", "p" and "x" are of partition 0 of 8, "a" of 1, "b" of 2, and so on.
LISTED = {1: "hpx", 3: "c", 4: "de", 5: "u", 7: "g", 9: "axi"}
"""The ids that each broker lists; broker 9 leads partition 1."""


ELSEWHERE = "hash to partitions of other brokers: it may know another number of partitions of"


def partitions(topic: str) -> list[Item]:
    """One partition in each state, of a topic with a minimum of two."""
    return [
        part(topic, [1, 2, 3], [1]),
        part(topic, [9, 2, 3], [9, 2, 3], partition=1),
        part(topic, [1, 2, 3], [], partition=2, leader_id=-1),
        part(topic, [3, 2, 1], [3], partition=3),
        part(topic, [4, 2, 3], [4], partition=4),
        part(topic, [5, 2, 3], [5], partition=5),
        part(topic, [6, 2, 3], [6], partition=6),
        part(topic, [7], [7], partition=7),  # whether its leader caps the minimum is not known
    ]


STATES = ("UNDER", "OK", "OFFLINE", "UNDER", "UNDER", "UNDER", "UNDER", "UNKNOWN")
NO_CAP = "whether broker 7 caps the minimum of 2 at 1 replicas is not known: broker 7 did not answer DescribeConfigs"


def reported(what: str, rpc: str, topic: str) -> tuple[tuple[int | None, str | None], ...]:
    """Of each partition the number of ids that cannot commit, and why it is not known."""
    return (
        (3, None),  # each counts once, though two brokers list it
        (0, None),
        (None, f"no leader: its {what} are listed by no broker"),  # 0 would be a short answer that looks complete
        (None, f"{rpc} was not read from broker 3 (COORDINATOR_LOAD_IN_PROGRESS)"),
        # A broker counts added partitions after its restart: "e" hashes to another broker's partition.
        (None, f"1 {what} that broker 4 lists {ELSEWHERE} {topic}"),
        (1, None),  # one that only another broker lists is not at this partition, whatever its hash
        (0, None),
        (None, NO_CAP),
    )


def by_kind(kind: str) -> str:
    return f"{kind}_unable_to_commit {kind}_unable_to_commit_reason"


EVERY = [(broker, name) for broker, names in LISTED.items() for name in names]
WHOLE = with_configs(
    *(*partitions(OFFSETS), *partitions(TRANSACTIONS), part("t", [1, 2], [1])),
    groups=[item(broker, 7, group_id=name) for broker, name in EVERY],
    transactions=[
        item(broker, 8, transactional_id=name, producer_id=1, transaction_state="Empty") for broker, name in EVERY
    ],
    broker_configs=[config("broker", node, 1, DEFAULT, asked=node) for node in (1, 2, 3, 4, 5, 6, 9)],
    missing=[
        missing_read(rpc, scope, 3, "COORDINATOR_LOAD_IN_PROGRESS")
        for rpc, scope in (("ListGroups", "groups"), ("ListTransactions", "transactions"))
    ],
    alone=True,
)
OF_REDPANDA = dict(part(OFFSETS, [1, 2, 3], [1])) | {"cluster_id": REDPANDA}
CASES = {
    # Neither topic counts the other's ids, and other topics count none.
    "ids are counted where their partition is not ready, or are not known": Case(WHOLE, None).table(
        f"{by_kind('groups')} {by_kind('transactional_ids')}", {("t", 0): (None,) * 4}
    ),
    # Our hash does not give their partitions: matches are coincidences.
    "groups of Redpanda are null": Case(
        with_configs(OF_REDPANDA, groups=[item(1, 7, group_id="b")], alone=True), None
    ).table(
        f"status {by_kind('groups')}",
        {(OFFSETS, 0): ("UNDER", None, "the formula does not apply: Redpanda places ids by a hash of its own")},
    ),
}
for kind, other, rpc, topic, seconds in (
    ("groups", "transactional_ids", "ListGroups", OFFSETS, 7),
    ("transactional_ids", "groups", "ListTransactions", TRANSACTIONS, 8),
):
    told = zip(STATES, reported(kind.replace("_", " "), rpc, topic), strict=True)
    next(iter(CASES.values())).table(
        f"status {by_kind(kind)} {other}_unable_to_commit",
        {(topic, number): (state, *count, None) for number, (state, count) in enumerate(told)},
    ).table("observed_at", {(topic, 0): at(seconds).replace(tzinfo=None)})

test_every_case = each_case(TABLE, CASES, lambda row: (row.topic, row.partition))
