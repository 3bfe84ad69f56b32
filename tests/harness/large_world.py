"""Scenarios of the emulator, as data: trouble by itself, or among 5,000 partitions, 3,500 groups and 1,000 ids.

It is calm: nothing changes during a census. Each kind of trouble occurs many times, in sequences of similar topics,
groups and ids; the only trouble of the brokers is an offline log dir of the last broker.
"""

from collections.abc import Iterator
from typing import Any

Section = dict[str, Any]

BROKERS = 9
BROKEN = 9
"""The broker that has an offline log dir; trouble of other kinds is on other brokers."""

SOUND = 8
MIN_ISR, LEADERS_LISTED, FOLLOWERS_LISTED = (
    "min.insync.replicas",
    "leader.replication.throttled.replicas",
    "follower.replication.throttled.replicas",
)

ACLS = (
    ("User:billing", "READ", "TOPIC", "orders", "LITERAL", ()),
    ("User:billing", "READ", "GROUP", "bill", "PREFIXED", ()),
    ("User:*", "DESCRIBE", "TRANSACTIONAL_ID", "*", "LITERAL", ("everyone",)),
    ("User:ANONYMOUS", "READ", "TOPIC", "logs", "PREFIXED", ("unauthenticated",)),
    ("User:root", "ALL", "GROUP", "*", "LITERAL", ("every_resource",)),
    ("User:root", "ALL", "TOPIC", "*", "LITERAL", ("every_resource", "internal_topics")),
    ("User:root", "ALL", "CLUSTER", "kafka-cluster", "LITERAL", ("cluster_all",)),
    ("User:*", "ALTER", "CLUSTER", "kafka-cluster", "LITERAL", ("everyone", "cluster_alter")),
    ("User:tuner", "ALTER_CONFIGS", "CLUSTER", "kafka-cluster", "LITERAL", ("cluster_alter_configs",)),
    ("User:mirror", "CLUSTER_ACTION", "CLUSTER", "kafka-cluster", "LITERAL", ("cluster_action",)),
    ("User:cleaner", "DELETE", "TOPIC", "__consumer", "PREFIXED", ("internal_topics",)),
    ("User:cleaner", "WRITE", "TOPIC", "__consumer_offsets_of_ours", "PREFIXED", ()),
    ("User:reader", "READ", "TOPIC", "__transaction_state", "LITERAL", ()),
)
"""Principal, operation, resource type, name, pattern, and the dangers of the ACL, as judged by a person."""


def large_world() -> Section:
    """Every kind of trouble, beside a hundred times as much without trouble as tests have elsewhere."""
    return {
        "seed": 7,
        "brokers": _brokers(),
        "topics": {
            "partitions": 4200,
            "partitions_per_topic": 5,
            "replication_factor": 3,
            "reassigning": 100,
            "declared": [*_internal(), *_under_min_isr(), *_moved(), *_lonely(), *_written()],
        },
        "groups": {"count": 3200, "declared": list(_groups())},
        "transactions": {"count": 900, "declared": list(_transactions())},
        "security": {
            "generated_acls": 100,
            "acls": list(_acls()),
            "quotas": [{"entity": {"user": None}, "values": {"producer_byte_rate": 1.0}}],
            "scram_users": list(_scram_users()),
        },
    }


def _around(first: int, count: int) -> list[int]:
    """As many consecutive brokers as `count`, without the broken one."""
    return [(first + one) % SOUND + 1 for one in range(count)]


def _brokers() -> Section:
    """Brokers, some with configs: static and dynamic ones, throttles, a secret, and a config that no Kafka knows."""
    leader, follower, log_dir = (
        "leader.replication.throttled.rate",
        "follower.replication.throttled.rate",
        "replica.alter.log.dirs.io.max.bytes.per.second",
    )
    return {
        "count": BROKERS,
        "racks": 3,
        "log_dirs": 4,
        "offline_log_dirs": [[BROKEN, 3]],
        "configs": {MIN_ISR: "2", "num.io.threads": "16", "replica.lag.time.max.ms": "30000"},
        "configs_of": {
            2: {"log.cleaner.min.compaction.lag.ms": "60000", "acme.plugin": "of ours"},
            5: {"num.network.threads": "6", "background.threads": "10"},
        },
        "dynamic_configs": {"log.cleaner.threads": "2"},
        "dynamic_configs_of": {
            **{broker: {leader: str(1000 * broker), follower: str(500 * broker)} for broker in (1, 2, 3, 4)},
            5: {leader: "5000"},
            6: {follower: "3000", log_dir: "600"},
            7: {log_dir: "700", "ssl.keystore.password": "secret"},
        },
    }


def _internal() -> Iterator[Section]:
    """Internal topics: every fourth partition has two replicas, one of them on the broker with the offline log dir."""
    for name in ("__consumer_offsets", "__transaction_state"):
        assignment = [_around(index, 3) for index in range(50)]
        # As the first or the second replica, in turn.
        assignment[::8] = [[BROKEN, *_around(index, 1)] for index in range(0, 50, 8)]
        assignment[4::8] = [[*_around(index, 1), BROKEN] for index in range(4, 50, 8)]
        yield {"name": name, "assignment": assignment}
    yield {"name": "__share_group_state"}


def _under_min_isr() -> Iterator[Section]:
    """Topics with one replica in sync, two in sync, no leader, and all in sync; with different minimums."""
    for number in range(40):
        a, b, c = _around(number, 3)
        yield {
            "name": f"behind-{number:02}",
            "assignment": [[a, b, c]] * 4,
            "configs": {MIN_ISR: str(number % 4)} if number % 4 else {},
            "states": [
                {"partition": 0, "isr": [a], "elr": [b]},
                {"partition": 1, "isr": [a, c]},
                {"partition": 2, "leader": -1, "isr": [], "elr": [b], "last_known_elr": [a]},
            ],
        }


def _moved() -> Iterator[Section]:
    """Moves to other brokers, with throttles or without, partly done or not; and moves to other log dirs."""
    for number in range(60):
        a, b, c, d = _around(number, 4)
        listed: tuple[dict[str, str], ...] = (
            {},
            {LEADERS_LISTED: "*", FOLLOWERS_LISTED: "*"},
            {LEADERS_LISTED: f"0:{a},1:{b}", FOLLOWERS_LISTED: f"0:{c}"},
            {LEADERS_LISTED: "*"},
        )
        done = {"isr": [b, a, c]} if number % 5 == 0 else {}
        yield {
            "name": f"moved-{number:02}",
            "assignment": [[a, b], [b, a], [a, b, c]],
            "configs": listed[number % 4],
            "states": [
                {"partition": 0, "adding": [c], "removing": [b]},
                {"partition": 1, "adding": [c, d], **done},
                {"partition": 2, "removing": [c]},
            ],
        }
    for number in range(40):
        a, b = _around(number, 2)
        futures = [{"partition": at, "broker": broker, "log_dir": number % 4} for at, broker in ((0, a), (1, b))]
        yield {"name": f"between-{number:02}", "assignment": [[a, b], [a, b]], "futures": futures}


def _lonely() -> Iterator[Section]:
    """Topics with one replica, on the broker with the offline log dir: some have no leader."""
    for number in range(60):
        yield {"name": f"lonely-{number:02}", "assignment": [[BROKEN]], "configs": {MIN_ISR: "2"} if number % 2 else {}}


def _written() -> Iterator[Section]:
    """Topics with logs of known length, every tenth empty, with configs; one without times; those of transactions."""
    configs: tuple[dict[str, str], ...] = (
        {},
        {"cleanup.policy": "compact"},
        {"retention.ms": "3600000"},
        {"delete.retention.ms": "86400000"},
    )
    for number in range(60):
        end = 5 + number if number % 10 == 0 else 100 + number
        yield {
            "name": f"log-{number:02}",
            "partitions": 2,
            "configs": configs[number % 4],
            "log_start": 5 + number,
            "log_end": end,
            "producers": number % 5,
        }
    yield {"name": "timeless", "partitions": 2, "log_end": 7, "timeless": True}
    for number in range(30):
        yield {"name": f"ledger-{number:02}", "partitions": 4, "log_start": 10, "log_end": 1000, "producers": 1}


def _groups() -> Iterator[Section]:
    """Groups of all types: with offsets outside their logs, without offsets, without a leader; and in every state."""
    for number in range(60):
        log, behind = f"log-{number:02}", f"behind-{number % 40:02}"
        outside = [{"topic": log, "offset": number % 5, "metadata": "by hand"}, {"topic": log, "partition": 1}]
        outside[1]["offset"] = 100_000
        unread = [{"topic": behind, "partition": at, "offset": 7} for at in (1, 2)]
        yield {"id": f"outside-{number:02}", "members": number % 2, "offsets": outside}
        yield {"id": f"idle-{number:02}", "type": "consumer", "members": 2, "topics": [log, behind], "offsets": []}
        yield {"id": f"streams-{number:02}", "type": "streams", "members": number % 4, "topics": [log, behind]}
        yield {"id": f"shared-{number:02}", "type": "share", "members": number % 3, "topics": [behind]}
        yield {"id": f"unread-{number:02}", "type": "consumer", "topics": [log], "offsets": unread}
    for name in ("", "é", "\U0001f600", "a b/c", "polygenelubricants"):
        yield {"id": name, "protocol_type": "", "offsets": [{"topic": "log-01", "offset": 50}]}
    for kind in ("classic", "consumer", "share", "streams"):
        yield {"id": f"unused-{kind}", "type": kind, "offsets": []}
        yield {"id": f"dead-{kind}", "type": kind, "state": "Dead", "topics": ["log-02"]}
    for kind, state in (
        ("classic", "PreparingRebalance"),
        ("classic", "CompletingRebalance"),
        ("consumer", "Assigning"),
        ("consumer", "Reconciling"),
        ("streams", "NotReady"),
        ("streams", "Assigning"),
    ):
        yield {"id": f"{kind}-{state}", "type": kind, "state": state, "members": 3, "topics": ["log-03", "moved-00"]}
    yield {"id": "connect", "protocol_type": "connect", "members": 2, "topics": ["log-04"]}


def _transactions() -> Iterator[Section]:
    """Transactions in every state that a coordinator reports, each with two partitions; each tenth hangs in another."""
    states = (
        "Ongoing",
        "PrepareCommit",
        "PrepareAbort",
        "PrepareEpochFence",
        "CompleteCommit",
        "CompleteAbort",
        "Empty",
    )
    for number in range(100):
        partitions = [[f"ledger-{number % 30:02}", number % 4], [f"ledger-{(number + 7) % 30:02}", (number + 1) % 4]]
        one = {"id": f"ledger-é-{number}", "producer_id": 5000 + number, "state": states[number % len(states)]}
        hanging = [[f"log-{number % 60:02}", 1]] if number % 10 == 1 else []
        yield {**one, "partitions": partitions, "hanging": hanging}


def _acls() -> Iterator[Section]:
    """Each ACL as it is and, without danger, as a denial to another principal.

    Transactional ids have no denials: a census cannot know whether they are hidden from its own principal.
    """
    for principal, operation, kind, name, pattern, _ in ACLS:
        entry = {"operation": operation, "resource_type": kind, "resource_name": name, "pattern_type": pattern}
        yield {**entry, "principal": principal}
        if kind != "TRANSACTIONAL_ID":
            yield {**entry, "principal": "User:guest", "permission": "DENY", "host": "10.0.0.1"}


def _scram_users() -> Iterator[Section]:
    mechanisms = {"SCRAM-SHA-256": 4096, "SCRAM-SHA-512": 8192}
    for number in range(100):
        kept = [name for at, name in enumerate(mechanisms) if number % 3 != at]
        yield {"user": f"üser-{number}", "mechanisms": {name: mechanisms[name] + number for name in kept}}
