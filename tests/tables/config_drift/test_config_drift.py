"""Configs that differ, by what they are compared with; a config that cannot be compared has a reason."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

from kafka_census.declarations.desired import Desired
from kafka_census.tables.config_drift.columns import CONFIG_DRIFT
from kafka_census.tables.config_drift.transform import BY_NATURE
from spark.cases import Case, Found, by_case, told
from spark.landed_items import BEFORE, Item, at, published


def of_topic(name: str, config: str, value: str | None, source: str = "topic") -> Item:
    return config_of("topic", name, config, value, source, 2)


def of_broker(node: int, config: str, value: str | None, source: str = "default", **more: Any) -> Item:
    return config_of("broker", str(node), config, value, source, 3) | {"default_value": "1"} | more


def config_of(resource_type: str, resource: str, config: str, value: str | None, source: str, received: int) -> Item:
    row = {"resource_type": resource_type, "resource_name": resource, "name": config, "value": value, "source": source}
    return published(received, is_sensitive=False, **row)


def unread(resource_type: str, name: str, reason: str) -> Item:
    return published(1, resource_type=resource_type, resource_name=name, name="", reason=reason)


def was(kind: str, resource: str, name: str = "", value: str | None = None) -> Item:
    kind_of = "broker" if resource.isdigit() else "topic"
    row = {"kind": kind, "resource_type": kind_of, "resource_name": resource, "name": name, "value": value}
    return published(-3600, **row) | {"census_id": BEFORE}


SECRET: Any = {"is_sensitive": True, "default_value": None}
KEYS = ("ssl.key.password", "sasl.jaas.config")
RETENTION = [of_topic("a", "retention.ms", "5"), of_topic("b", "retention.ms", "9", "static")]
ENTRIES = {"orders": "2", "logs-app": "1", "logs-audit-us": "3", "logs-audit-eu": "4"}
INCOMPARABLE = {
    Desired("topic", "t", "retention.msx", "1"): "Kafka knows no config of this name here",
    Desired("topic", "gone", "retention.ms", "1"): "there is no such topic",
    Desired("topic", "gone-*", "retention.ms", "1"): "there is no such topic",
    Desired("broker", "7", "k", "1"): "there is no such broker",
    Desired("broker", "2", "k", "1"): "DescribeConfigs reported nothing of broker 2",
}
HIDDEN = "sensitive: Kafka does not tell the value, so it cannot be compared"
SILENT = "DescribeConfigs reported nothing of broker {}"
INPUTS: dict[str, dict[str, Any]] = {
    "set": {
        "configs": [
            *(of_topic("a", "segment.ms", "7"), of_topic("b", "segment.ms", "7", "default")),
            *(of_topic("a", "flush.ms", "1"), of_topic("b", "flush.ms", "2")),
            of_topic("a", "leader.replication.throttled.replicas", ""),
            of_topic("b", "leader.replication.throttled.replicas", "", "default"),
            of_broker(1, "num.io.threads", "8", "static"),
            of_broker(1, "node.id", "1", "static", default_value=None),
            of_broker(1, "log.cleaner.threads", "1"),
        ],
    },
    # Where the brokers that answered differ, there is no single default.
    "two defaults, and what cannot be compared": {
        "configs": [
            *(*RETENTION, of_topic("c", "retention.ms", "8", "default"), of_topic("t", "retention.ms", "1")),
            unread("broker", "2", SILENT.format(2)),
        ],
        "desired": [*INCOMPARABLE],
    },
    "most brokers": {
        "configs": [
            *[of_broker(node, "log.retention.ms", None if node == 2 else "5") for node in (1, 2)],
            *[of_broker(node, "metric.reporters", "x" if node == 2 else "") for node in (1, 2)],
            *[of_broker(node, name, str(node), "static") for node in (1, 2) for name in BY_NATURE],
            of_broker(1, "only.in.this.release", "x"),
            *[of_broker(node, "same", "s") for node in (1, 2, 3)],
        ],
    },
    "sensitive": {
        "configs": [
            *[of_broker(node, key, None, "static", **SECRET) for node in (1, 2) for key in KEYS],
            unread("broker", "3", SILENT.format(3)),
        ],
        "desired": (Desired("broker", "*", KEYS[0], "canary-2"),),
        "previous": [was("not_default", "1", KEYS[0])],
    },
    "changed": {
        "configs": [
            *(of_topic("a", "retention.ms", "5"), of_topic("a", "segment.ms", "7", "default")),
            *(of_topic("a", "flush.ms", "3"), of_topic("a", "same", "s")),
            *(of_topic("new", "retention.ms", "6"), of_topic("back", "retention.ms", "6")),
            unread("topic", "hidden", "it is hidden"),
        ],
        "previous": [
            *(was("not_default", "a", "retention.ms", "4"), was("not_default", "a", "segment.ms", "1")),
            *(was("not_default", "a", "same", "s"), was("not_default", "deleted", "retention.ms", "1")),
            *(was("not_default", "hidden", "retention.ms", "1"), was("not_read", "back")),
            # Other configs of that census are not compared.
            was("between_brokers", "1", "num.io.threads", "1"),
        ],
    },
    "unread": {
        "configs": [of_topic("ok", "k", "1"), unread("topic", "denied", "denied"), unread("broker", "2", "down")]
    },
    # An exact name precedes the longest prefix, and a prefix precedes the star; an unset value is compared, too.
    "desired": {
        "configs": [
            *[of_topic(name, "min.insync.replicas", "9", "default") for name in ENTRIES],
            *[of_broker(node, "num.io.threads", "8") for node in (1, 2)],
        ],
        "desired": [
            Desired("topic", name, "min.insync.replicas", value)
            for name, value in {"*": "2", "logs-*": "1", "logs-audit-*": "3", "logs-audit-eu": "4"}.items()
        ]
        + [Desired("broker", "*", "num.io.threads", "8"), Desired("broker", "2", "num.io.threads", "16")],
    },
}
EXPECTED: dict[tuple[str, str], dict[tuple[str, str], tuple[str | None, str | None, str]]] = {
    ("set", "not_default"): {
        ("a", "segment.ms"): ("7", "7", "set to the default"),
        ("a", "leader.replication.throttled.replicas"): ("", "", "set to the default"),
        ("a", "flush.ms"): ("1", None, "set; no other topic shows the one default"),
        ("b", "flush.ms"): ("2", None, "set; no other topic shows the one default"),
        ("1", "num.io.threads"): ("8", "1", "set to something else than the default"),
        ("1", "node.id"): ("1", None, "set; it has no default"),
    },
    ("two defaults, and what cannot be compared", "not_default"): {
        ("a", "retention.ms"): ("5", None, "set; no other topic shows the one default"),
        ("t", "retention.ms"): ("1", None, "set; no other topic shows the one default"),
    },
    # The desired value is not shown, because it may be a secret.
    ("two defaults, and what cannot be compared", "not_desired"): {
        (one.resources, one.name): (None, None, reason) for one, reason in INCOMPARABLE.items()
    },
    # Both of two differ without a majority; names that differ by nature or release never do.
    ("most brokers", "between_brokers"): {
        ("1", "log.retention.ms"): ("5", None, "of 2 brokers 1 have 5, 1 have none"),
        ("2", "log.retention.ms"): (None, None, "of 2 brokers 1 have 5, 1 have none"),
        ("1", "metric.reporters"): ("", None, 'of 2 brokers 1 have x, 1 have ""'),
        ("2", "metric.reporters"): ("x", None, 'of 2 brokers 1 have x, 1 have ""'),
    },
    ("sensitive", "not_default"): {
        (node, key): (None, None, "set; sensitive, so Kafka does not tell to what") for node in "12" for key in KEYS
    },
    ("sensitive", "not_desired"): {(node, KEYS[0]): (None, None, HIDDEN) for node in "12"}
    | {("3", KEYS[0]): (None, None, SILENT.format(3))},
    ("sensitive", "since_before"): {
        ("1", KEYS[1]): (None, None, "was not set"),
        **dict.fromkeys((("2", KEYS[0]), ("2", KEYS[1])), (None, None, "was not set, or the broker is new")),
    },
    ("sensitive", "between_brokers"): {},
    ("changed", "since_before"): {
        ("a", "retention.ms"): ("5", "4", "set to another value"),
        ("a", "segment.ms"): ("7", "1", "not set any more"),
        ("a", "flush.ms"): ("3", None, "was not set"),
        ("new", "retention.ms"): ("6", None, "was not set, or the topic is new"),
    },
    ("unread", "not_read"): {("denied", ""): (None, None, "denied"), ("2", ""): (None, None, "down")},
    ("desired", "not_desired"): {
        (name, "min.insync.replicas"): ("9", value, "not the desired value") for name, value in ENTRIES.items()
    }
    | {("2", "num.io.threads"): ("8", "16", "not the desired value")},
}
"""By case and kind: the value, the expected value and the reason, by resource and config."""


@pytest.fixture(scope="module")
def found(spark: SparkSession) -> Found:
    cases = {name: Case({"alone": True} | inputs, None) for name, inputs in INPUTS.items()}
    return by_case(spark, CONFIG_DRIFT, cases, lambda row: (row.kind, row.resource_name, row.name))


@pytest.mark.parametrize(("case", "kind"), EXPECTED)
def test_rows_of_each_kind(found: Found, case: str, kind: str) -> None:
    rows = {key[1:]: row for key, row in found[case].items() if key[0] == kind}
    assert told(rows, "value expected reason") == EXPECTED[case, kind]
    kinds = {of: "broker" if of.isdigit() else "topic" for of, _ in rows}
    assert {of: row.resource_type for (of, _), row in rows.items()} == kinds


def test_a_row_is_as_old_as_its_answer_and_has_no_sensitive_value(found: Found) -> None:
    rows = [row for key, row in found["set"].items() if key[0] == "not_default"]
    answered = {"topic": at(2).timestamp(), "broker": at(3).timestamp()}
    assert {row.resource_type: row.observed_at.timestamp() for row in rows} == answered
    assert "canary" not in str(found["sensitive"])
    assert all(row.is_sensitive for key, row in found["sensitive"].items() if key[0] == "not_default")
