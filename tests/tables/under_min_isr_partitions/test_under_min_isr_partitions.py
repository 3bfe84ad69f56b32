"""Every partition has exactly one status against its effective minimum ISR, and no bad partition is lost.

Groups and transactional ids that cannot commit are counted at the partition that they hash to, or are unknown.
"""

from typing import Any

from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS as TABLE
from spark.cases import Case, each_case
from spark.landed_items import REDPANDA, Item, item, missing_read, naive

OFFSETS, TRANSACTIONS = "__consumer_offsets", "__transaction_state"
MIN_ISR = "min.insync.replicas"
TOPIC, DYNAMIC_BROKER, DYNAMIC_DEFAULT, STATIC, DEFAULT = 1, 2, 3, 4, 5


def part(topic: str, replicas: list[int], isr: list[int], **columns: Any) -> Item:
    """A partition; its leader is the first replica in sync by default."""
    plain = {
        "topic": topic,
        "topic_id": f"id-of-{topic}",
        "is_internal": topic == OFFSETS,
        "error_code": 0,
        "partition": 0,
        "leader_id": isr[0] if isr else -1,
        "replicas": replicas,
        "isr": isr,
        "eligible_leader_replicas": [],
        "last_known_elr": [],
        "offline_replicas": [],
        "elr_known": True,
    }
    return item(**plain | columns)


def config(
    kind: str,
    name: str | int,
    value: int | None,
    source: int,
    asked: int = 1,
    received: int = 0,
    release: str | None = "4.3",
) -> Item:
    """min.insync.replicas of a topic or a broker, as answered by broker `asked`, which proves that release."""
    said = {"error_code": 0, "name": MIN_ISR, "value": None if value is None else str(value), "source": source}
    return item(asked, received, resource_type=kind, resource_name=str(name), release_at_least=release, **said)


def move(topic: str, replicas: list[int], adding: list[int], removing: list[int], received: int = 0) -> Item:
    lists = {"replicas": replicas, "adding_replicas": adding, "removing_replicas": removing}
    return item(1, received, topic=topic, partition=0, **lists)


def with_configs(*partitions: Item, min_isr: int = 2, **more: Any) -> dict[str, Any]:
    """The inputs of the table; every topic's own minimum is `min_isr` unless configs are given.

    All brokers are of release 4.3 unless their configs are given.
    """
    topics = {str(partition["topic"]) for partition in partitions}
    roles = {
        "topic_configs": [config("topic", topic, min_isr, TOPIC) for topic in topics],
        "broker_configs": [config("broker", node, 1, DEFAULT, asked=node) for node in (1, 2, 3)],
    }
    return {"partitions": list(partitions)} | roles | more


def of_release(node: int, release: str | None) -> Item:
    """A broker's own config, which proves its release."""
    return config("broker", node, 1, DEFAULT, asked=node, release=release)


CASES: dict[str, Case] = {}
STATUS = "status ready_for_acks_all reason"


def case(name: str, *partitions: Item, **inputs: Any) -> Case:
    """One more case; its rows are asked by topic, or for another partition than 0 by both."""
    CASES[name] = Case(with_configs(*partitions, **inputs), "t")
    return CASES[name]


# Every status is held against the Java client in tests/trouble.
case(
    "below the minimum, and above it with one missing",
    part("under", [1, 2, 3], [1]),
    part("under-replicated", [1, 2, 3, 4], [1, 2, 3]),
).table(
    STATUS,
    {
        "under": ("UNDER", False, "1 in sync, 2 needed for an acks=all write"),
        "under-replicated": ("UNDER_REPLICATED", True, "3 in sync, 2 needed, 1 missing"),
    },
)
# Partition.effectiveMinIsr is of 3.7: before, one replica with minimum 2 refuses every acks=all write.
RAW = "1 in sync, 2 needed for an acks=all write: broker 1 is older than 3.7 and does not cap the minimum at 1 replicas"
NO_RELEASE = "whether broker 1 caps the minimum of 2 at 1 replicas is not known: the API ranges of broker 1 prove no "
for release, effective, source, status, ready, reason in (
    ("3.5", 2, "topic", "UNDER", False, RAW),  # a broker of 3.6 proves no later release
    ("3.7", 1, "replication_factor", "OK", True, None),
    (None, None, "unknown", "UNKNOWN", None, f"{NO_RELEASE}release"),
):
    configs = [of_release(1, release)]
    case(f"a leader before 3.7 enforces the raw minimum: {release}", part("t", [1], [1]), broker_configs=configs).table(
        f"min_isr_raw min_isr_effective min_isr_effective_source {STATUS}",
        {"t": (2, effective, source, status, ready, reason)},
    )
case(
    "the release of the leader decides, not that of another replica",
    part("old", [1, 2], [1, 2]),
    part("new", [2, 1], [2, 1]),
    min_isr=3,
    broker_configs=[of_release(1, "3.5"), of_release(2, "3.7")],
).table("min_isr_effective status", {"old": (3, "UNDER"), "new": (2, "OK")})
# Every release enforces a minimum within the replicas; with a replica out of sync both rules refuse.
NO_CAP = "whether broker 1 caps the minimum of 3 at 2 replicas is not known"
MINIMA = {"within": 2, "above": 3, "lacking": 3, "leaderless": 3}
UNREAD_BROKER = missing_read("DescribeConfigs", "brokers", 1, "CONNECTION_FAILED")
case(
    "an unknown release matters only above the number of replicas",
    part("within", [1, 2, 3], [1, 2]),
    part("above", [1, 2], [1, 2]),
    part("lacking", [1, 2], [1]),
    part("leaderless", [1, 2], []),
    topic_configs=[config("topic", topic, value, TOPIC) for topic, value in MINIMA.items()],
    broker_configs=[],
    missing=[UNREAD_BROKER],
).table(
    f"{STATUS} min_isr_effective",
    {
        "within": ("AT", True, "2 in sync, 2 needed, 1 missing", 2),
        "above": ("UNKNOWN", None, f"{NO_CAP}: {UNREAD_BROKER.line}", None),
        "lacking": ("UNDER", False, "1 in sync, 2 or more needed for an acks=all write", None),
        "leaderless": ("OFFLINE", False, "no leader; replicas 1, 2", None),
    },
)
# Metadata answers LISTENER_NOT_FOUND (72) for it, and LEADER_NOT_AVAILABLE (5) where there is no leader.
case(
    "a leader without the listener that was asked is not offline",
    part("hidden", [1, 2], [1, 2], leader_id=-1, partition_error_code=72),
    part("offline", [1, 2], [1], leader_id=-1, partition_error_code=5),
).table("status available", {"hidden": ("UNKNOWN", None), "offline": ("OFFLINE", False)}).table(
    "reason ready_for_acks_all at_min_isr under_by_raw_rule",
    {"hidden": ("the leader has no listener of the name that was asked", None, None, None)},
)
# Replicas that do not exist yet cannot be missing, nor hide that another one is.
case(
    "a move that began after the description takes nothing away",
    part("t", [1, 2, 3, 4], [1, 2, 3]),
    reassignments=[move("t", [1, 2, 3, 4, 5], [5], [])],
).gives(status="UNDER_REPLICATED", missing_replicas=1, adding_replicas=[])
MOVING = part("t", [2, 3, 4, 1], [1, 2, 3])
ENDED = [move("t", [2, 3, 4, 1], [4], [1])]
case("a move that ended after the description is in the listing before", MOVING, reassignments_before=ENDED).gives(
    status="OK", missing_replicas=0, adding_replicas=[4], removing_replicas=[1]
)
case("without that listing a replica is missing", MOVING).gives(status="UNDER_REPLICATED")
# The removed replica is gone, so the added one is an ordinary replica; so is one of a cancelled move.
case(
    "a move that ended before the description hides no missing replica",
    part("ended", [2, 3, 4], [2, 3]),
    part("cancelled", [1, 2, 3], [1, 2]),
    reassignments_before=[move("ended", [2, 3, 4, 1], [4], [1]), move("cancelled", [1, 2, 3, 4], [4], [])],
).table("status adding_replicas", {"ended": ("AT", []), "cancelled": ("AT", [])})
# Each listing counts for the replicas of its own moment; both may have the same.
FIRST, SECOND = move("t", [1, 2, 3, 4], [4], []), move("t", [1, 2, 3, 5], [5], [], received=9)
for name, listed_before in (("of another", FIRST), ("of the same", SECOND)):
    case(
        f"a move that took the place {name} adds what the description has",
        part("t", [1, 2, 3, 5], [1, 2, 3]),
        reassignments_before=[listed_before],
        reassignments=[SECOND],
    ).gives(status="OK", missing_replicas=0, adding_replicas=[5])
# The answering broker reports its own value; the leader's value, of any source, is enforced, with Kafka's ConfigSource
# as a word.
SOURCES = {2: "dynamic_broker", 3: "dynamic_default", 4: "static", 5: "default", 77: "unknown"}
case(
    "the minimum of the leader counts where the topic has none",
    *[part(f"led-by-{leader}", [leader, 1], [leader]) for leader in SOURCES],
    part("own", [2, 3], [2]),
    topic_configs=[
        *[config("topic", f"led-by-{leader}", 1, leader, asked=9) for leader in SOURCES],
        config("topic", "own", 1, TOPIC, asked=9),
    ],
    broker_configs=[config("broker", leader, 2, leader, asked=leader, received=5) for leader in SOURCES],
).table(
    "min_isr_raw min_isr_source min_isr_effective_source min_isr_broker_id status",
    {f"led-by-{leader}": (2, word, word, leader, "UNDER") for leader, word in SOURCES.items()}
    | {"own": (1, "topic", "topic", None, "AT")},
).table("observed_at", dict.fromkeys([f"led-by-{leader}" for leader in SOURCES], (naive(5),)))
# DescribeConfigs answers other keys in the same rows; another key alone is no answer about the minimum.
OTHER = {"error_code": 0, "name": "leader.replication.throttled.replicas", "value": "9", "source": TOPIC}
case(
    "other configs of a topic are not its minimum",
    part("both", [1, 2], [1]),
    part("only-other", [1, 2], [1]),
    topic_configs=[
        config("topic", "both", 1, TOPIC),
        *[item(1, 9, resource_type="topic", resource_name=name, **OTHER) for name in ("both", "only-other")],
    ],
).table(
    "min_isr_raw status reason",
    {
        "both": (1, "AT", "1 in sync, 1 needed, 1 missing"),
        "only-other": (None, "UNKNOWN", "DescribeConfigs answered no min.insync.replicas for this topic"),
    },
)
case(
    "where the leader was not read the answering broker counts, and is named",
    part("led", [2, 3], [2]),
    part("leaderless", [2, 3], []),
    topic_configs=[config("topic", topic, 2, STATIC, asked=9) for topic in ("led", "leaderless")],
    broker_configs=[],
    missing=[missing_read("DescribeConfigs", "brokers", 2, "CONNECTION_FAILED")],
).table(
    "min_isr_raw min_isr_source min_isr_broker_id status",
    {"led": (2, "static", 9, "UNDER"), "leaderless": (2, "static", 9, "OFFLINE")},
)
# Not the leader's value as a guess: the topic may have its own value.
case(
    "a minimum that was not read is unknown with its reason, and offline stays offline",
    part("unread", [1, 2], [1]),
    part("offline", [1, 2], []),
    topic_configs=[],
    broker_configs=[config("broker", 1, 1, STATIC)],
    missing=[missing_read("DescribeConfigs", "topics", None, "DEADLINE_EXCEEDED")],
).table(
    STATUS,
    {
        "unread": ("UNKNOWN", None, "DescribeConfigs was not read (DEADLINE_EXCEEDED)"),
        "offline": ("OFFLINE", False, "no leader; replicas 1, 2"),
    },
).table(
    "min_isr_raw min_isr_effective min_isr_source min_isr_effective_source under_by_raw_rule at_min_isr available",
    {"unread": (None, None, "unknown", "unknown", None, None, True)},
)
# A replica out of sync may be one being added; columns that do not depend on that stay.
UNREAD = [
    missing_read("ListPartitionReassignments", scope, None, "CLUSTER_AUTHORIZATION_FAILED")
    for scope in ("before", "cluster")
]
DOUBTS = "ListPartitionReassignments was not read (CLUSTER_AUTHORIZATION_FAILED)"
for one in UNREAD:
    case(
        f"without reassignments {one.scope} only the doubtful are unknown",
        part("doubtful", [1, 2, 3], [1, 2]),
        part("under", [1, 2, 3], [1]),
        part("ok", [1, 2], [1, 2]),
        missing=[one],
    ).table(
        "status missing_replicas", {"doubtful": ("UNKNOWN", None), "under": ("UNDER", None), "ok": ("OK", 0)}
    ).table("reason", {"doubtful": (DOUBTS,)})
# Deleted meanwhile, denied, or answered without partitions.
NOTHING = {"partition": None, "leader_id": None, "replicas": None, "isr": None, "elr_known": None}
case(
    "a topic that could not be described is a row of partition -1",
    {**part("gone", [], []), **NOTHING, "error_code": 3},
    {**part("empty", [], []), **NOTHING},
).table(
    "status reason",
    {
        ("gone", -1): ("UNKNOWN", "DescribeTopicPartitions answered UNKNOWN_TOPIC_OR_PARTITION for this topic"),
        ("empty", -1): ("UNKNOWN", "DescribeTopicPartitions answered no partition for this topic"),
    },
).table(
    "error_code replicas isr_size available min_isr_raw min_isr_effective min_isr_source",
    {("gone", -1): (3, [], None, None, None, None, "unknown")},
)


def reported(topic: str, min_isr: int | None, received: int = 0) -> Item:
    """A topic as Metadata lists it, with KIP-637's field where a broker has it."""
    columns = {"topic": topic, "partition_count": 1, "error_code": 0, "min_insync_replicas": min_isr}
    return item(2, received, **columns)


# KIP-637's field is one answer with the topic's state; it needs DESCRIBE only.
case(
    "the minimum of Metadata is preferred, and DescribeConfigs used where a broker lacks the field",
    part("reported", [1, 2, 3], [1, 2]),
    part("refused", [1, 2], [1]),
    part("not-reported", [1, 2, 3], [1, 2]),
    topics=[reported("reported", 3, received=7), reported("refused", 2), reported("not-reported", None)],
    topic_configs=[
        *(config("topic", topic, 2, TOPIC) for topic in ("reported", "not-reported")),
        item(1, resource_type="topic", resource_name="refused", error_code=29),
    ],
).table(
    "min_isr_raw min_isr_source status",
    {"reported": (3, "metadata", "UNDER"), "refused": (2, "metadata", "UNDER"), "not-reported": (2, "topic", "AT")},
).table("min_isr_broker_id observed_at", {"reported": (2, naive(7))})

# Each id's hash is its letter's code: "h", "p" and "x" are of partition 0 of 8, "a" of 1, "b" of 2, and so on.
LISTED = {1: "hpx", 3: "c", 4: "de", 5: "u", 7: "g", 9: "axi"}
"""The ids that each broker lists; broker 9 leads partition 1."""
STATES = {
    (1, 2, 3): ("UNDER", [1]),
    (9, 2, 3): ("OK", [9, 2, 3]),
    (1, 3, 2): ("OFFLINE", []),
    **{(node, 2, 1): ("UNDER", [node]) for node in (3, 4, 5, 6)},
    (7,): ("UNKNOWN", [7]),  # whether its leader caps the minimum is not known
}
"""By replicas, the status and the ISR of the partitions of both internal topics, whose minimum is two."""
UNCAPPED = "whether broker 7 caps the minimum of 2 at 1 replicas is not known: broker 7 did not answer DescribeConfigs"


def unable(what: str, rpc: str, topic: str) -> tuple[tuple[int | None, str | None], ...]:
    """Of each partition the number of ids that cannot commit, and why it is not known."""
    elsewhere = "hash to partitions of other brokers: it may know another number of partitions of"
    return (
        (3, None),  # each counts once, though two brokers list it
        (0, None),
        (None, f"no leader: its {what} are listed by no broker"),  # 0 would be a short answer that looks complete
        (None, f"{rpc} was not read from broker 3 (COORDINATOR_LOAD_IN_PROGRESS)"),
        # A broker counts added partitions after its restart: "e" hashes to another broker's partition.
        (None, f"1 {what} that broker 4 lists {elsewhere} {topic}"),
        (1, None),  # one that only another broker lists is not at this partition, whatever its hash
        (0, None),
        (None, UNCAPPED),
    )


UNABLE = "{0}_unable_to_commit {0}_unable_to_commit_reason"
IDS = {
    "groups": (
        "ListGroups",
        OFFSETS,
        [item(node, 7, group_id=name) for node, names in LISTED.items() for name in names],
    ),
    "transactional_ids": (
        "ListTransactions",
        TRANSACTIONS,
        [item(node, 8, transactional_id=name, producer_id=1) for node, names in LISTED.items() for name in names],
    ),
}
# Neither topic counts the other's ids, and other topics count none.
counted = case(
    "ids are counted where their partition is not ready, or are not known",
    *[
        part(topic, [*replicas], isr, partition=number)
        for _, topic, _ in IDS.values()
        for number, (replicas, (_, isr)) in enumerate(STATES.items())
    ],
    part("t", [1, 2], [1]),
    groups=IDS["groups"][2],
    transactions=IDS["transactional_ids"][2],
    broker_configs=[of_release(node, "4.3") for node in (1, 2, 3, 4, 5, 6, 9)],
    missing=[
        missing_read(rpc, scope, 3, "COORDINATOR_LOAD_IN_PROGRESS")
        for rpc, scope in (("ListGroups", "groups"), ("ListTransactions", "transactions"))
    ],
    alone=True,
).table(" ".join(UNABLE.format(kind) for kind in IDS), {"t": (None,) * 4})
for kind, (rpc, topic, (listed, *_)) in IDS.items():
    (other,) = {*IDS} - {kind}
    told = zip(STATES.values(), unable(kind.replace("_", " "), rpc, topic), strict=True)
    counted.table(
        f"status {UNABLE.format(kind)} {other}_unable_to_commit",
        {(topic, number) if number else topic: (of[0], *count, None) for number, (of, count) in enumerate(told)},
    ).table("observed_at", {topic: listed["received_at"].replace(tzinfo=None)})
# Our hash does not give their partitions: matches are coincidences.
case(
    "groups of Redpanda are null",
    {**part(OFFSETS, [1, 2, 3], [1]), "cluster_id": REDPANDA},
    groups=[item(1, 7, group_id="b")],
    alone=True,
).table(
    f"status {UNABLE.format('groups')}",
    {OFFSETS: ("UNDER", None, "the formula does not apply: Redpanda places ids by a hash of its own")},
)

test_every_case = each_case(TABLE, CASES, lambda row: (row.topic, row.partition) if row.partition else row.topic)
