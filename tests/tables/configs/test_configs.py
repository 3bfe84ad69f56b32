"""Every config that was answered, as Kafka told it; an unread resource has a reason, a secret no value."""

from typing import Any

from kafka_census.tables.configs.columns import CONFIGS
from spark.cases import Case, each_case
from spark.landed_items import Item, item, missing_read, naive, published

DENIED = "DescribeConfigs answered {}_AUTHORIZATION_FAILED"
NOT_ASKED = (
    "broker 3 was not asked: it is fenced and holds no replica; if it was decommissioned: "
    "kafka-cluster.sh unregister --bootstrap-server HOST:PORT --id 3"
)
NOTHING = "DescribeConfigs reported nothing of {}"
UNREAD = dict.fromkeys(("value", "source", "is_default", "default_value", "is_sensitive", "answered_by"))


def answered(kind: str, asked: int, name: str, value: str | None, source: int, **more: Any) -> Item:
    """A config of the resource `r`, or of the broker that was asked."""
    resource = str(asked) if kind == "broker" else "r"
    head = {"resource_type": kind, "resource_name": resource, "error_code": 0, "is_sensitive": False}
    return item(asked, 2, **head | {"name": name, "value": value, "source": source} | more)


def refused(resource_type: str, name: str, code: int) -> Item:
    """Kafka's answer for a resource that may not be described."""
    return item(1, 2, resource_type=resource_type, resource_name=name, error_code=code)


def topics(*names: str) -> list[Item]:
    return [item(1, 1, topic=name, error_code=0) for name in names]


def nodes(*ids: int, **columns: Any) -> list[Item]:
    return [published(0, broker_id=node, **{"state": "alive"} | columns) for node in ids]


CASES = {
    "told": Case(
        {
            "topic_configs": [answered("topic", 1, f"of {source}", "v", source) for source in range(7)],
            "broker_configs": [
                answered("broker", 2, "set", "7", 4, default_value="5"),
                answered("broker", 2, "empty", "", 5, default_value=""),
                answered("broker", 2, "none", None, 5),
                # Kafka sends no value; another implementation might.
                answered("broker", 2, "secret", "canary", 4, is_sensitive=True, default_value="canary"),
                # A broker's answer may hold the loggers of its own, which are no configs.
                answered("broker", 2, "logger", "INFO", 4) | {"resource_type": "8"},
            ],
            "topics": topics("r"),
            "brokers": nodes(2),
        },
        None,
    )
    .table(
        "value source is_default default_value is_sensitive answered_by",
        {
            ("r", f"of {code}"): ("v", word, default, None, False, 1)
            for code, (word, default) in enumerate(
                [
                    ("unknown", None),
                    *((word, False) for word in ("topic", "dynamic_broker", "dynamic_default", "static")),
                    *(("default", True), ("unknown", None)),
                ]
            )
        }
        | {
            ("2", "set"): ("7", "static", False, "5", False, 2),
            ("2", "empty"): ("", "default", True, "", False, 2),
            ("2", "none"): (None, "default", True, None, False, 2),
            ("2", "secret"): (None, "static", False, None, True, 2),
        },
    )
    .table("observed_at reason", dict.fromkeys((("2", "set"), ("2", "secret")), (naive(2), None))),
    "not read": Case(
        {
            "topic_configs": [answered("topic", 1, "k", "1", 1), refused("topic", "denied", 29)],
            "broker_configs": [answered("broker", 1, "k", "1", 5), refused("broker", "4", 31)],
            "topics": topics("r", "denied", "silent"),
            "brokers": nodes(1, 2, 3, 4),
            "missing": [missing_read("DescribeConfigs", "brokers", 2, "BROKER_NOT_ALIVE")],
        },
        None,
        {
            ("r", "k"): {"reason": None},
            ("denied", ""): UNREAD | {"resource_type": "topic", "reason": DENIED.format("TOPIC")},
            ("silent", ""): {"reason": NOTHING.format("topic silent")},
            ("1", "k"): {"reason": None},
            ("2", ""): {"reason": "DescribeConfigs was not read from broker 2 (BROKER_NOT_ALIVE)"},
            ("3", ""): {"reason": NOTHING.format("broker 3")},
            ("4", ""): UNREAD | {"resource_type": "broker", "reason": DENIED.format("CLUSTER")},
        },
    ),
    # A broker that is gone has no row; one that is fenced and holds nothing was not asked.
    "a lost window": Case(
        {
            "topics": topics("silent"),
            "missing": [missing_read("DescribeConfigs", "topics_all", None, "DEADLINE_EXCEEDED")],
            "broker_configs": [answered("broker", 1, "k", "1", 5)],
            "brokers": nodes(1) + nodes(2, state="gone", replicas=0) + nodes(3, state="fenced", replicas=0),
            "alone": True,
        },
        None,
        {
            ("silent", ""): {"reason": "DescribeConfigs was not read (DEADLINE_EXCEEDED)"},
            ("1", "k"): {"reason": None},
            ("3", ""): {"reason": NOT_ASKED},
        },
    ),
}

test_every_case = each_case(CONFIGS, CASES, lambda row: (row.resource_name, row.name))
