"""Answers about the coordinators of ids, shared by the tests of both placements."""

from typing import Any

from spark.landed_items import Item, item


def internal(topic: str, leaders: tuple[int | None, ...], **columns: Any) -> dict[str, list[Item]]:
    """An internal topic as Metadata lists and DescribeTopicPartitions describes it, with one leader per partition."""
    described = [
        item(topic=topic, partition=index, leader_id=leader, error_code=0, received=1)
        for index, leader in enumerate(leaders)
    ]
    listed = [item(topic=topic, partition_count=len(leaders), error_code=0)]
    alive = [item(node_id=node, host="h", port=9092, is_fenced=False) for node in (10, 20, 30)]
    return {"partitions": described, "topics": listed, "brokers": alive, **columns}


def found(key: str, broker: int) -> Item:
    return item(1, 3, key=key, error_code=0, error_message="", node_id=broker, host=f"host-{broker}", port=9092)


def refused(key: str, code: int, message: str = "") -> Item:
    return item(1, 3, key=key, error_code=code, error_message=message, node_id=-1, host="", port=-1)
