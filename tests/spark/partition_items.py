"""Items for the table of partitions against their minimum ISR."""

from typing import Any

from spark.landed_items import Item, item

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
