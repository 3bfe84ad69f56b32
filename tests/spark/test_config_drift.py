"""Configs that differ, by what they are compared with; a config that cannot be compared has a reason."""

from typing import Any

from pyspark.sql import Row, SparkSession

from kafka_census.tables.config_drift import CONFIG_DRIFT
from kafka_census.tables.desired import Desired
from kafka_census.transforms.config_drift import BY_NATURE
from spark.landed_items import CENSUS, CLUSTER, Item, at, compute, item, missing_read, rows_by

BEFORE = "20261121T110000000Z-000001"
TOPIC, DYNAMIC_BROKER, STATIC, DEFAULT = 1, 2, 4, 5


def of_topic(name: str, config: str, value: str | None, source: int = TOPIC, **more: Any) -> Item:
    """A config of a topic."""
    head = {"resource_type": "topic", "resource_name": name, "error_code": 0, "is_sensitive": False}
    return item(1, 2, **head | {"name": config, "value": value, "source": source} | more)


def of_broker(node: int, config: str, value: str | None, source: int = DEFAULT, **more: Any) -> Item:
    """A config of a broker, whose answer includes the default."""
    head = {"resource_type": "broker", "resource_name": str(node), "error_code": 0, "is_sensitive": False}
    return item(node, 3, **head | {"name": config, "value": value, "source": source, "default_value": "1"} | more)


def refused(resource_type: str, name: str, code: int) -> Item:
    """Kafka's answer for a resource that may not be described."""
    return item(1, 2, resource_type=resource_type, resource_name=name, error_code=code)


def topics(*names: str) -> list[Item]:
    """The topics that are listed."""
    return [item(1, 1, topic=name, error_code=0) for name in names]


def nodes(*ids: int) -> list[Item]:
    """Rows of the table brokers."""
    return [
        {"census_id": CENSUS, "cluster_id": CLUSTER, "observed_at": at(0), "broker_id": node, "state": "alive"}
        for node in ids
    ]


def drift(
    spark: SparkSession,
    kind: str,
    *missing: Any,
    previous: list[Item] | None = None,
    desired: Any = (),
    **roles: list[Item],
) -> dict[Any, Row]:
    """The rows of one kind, by resource and config."""
    computed = compute(spark, CONFIG_DRIFT, missing, previous=previous, desired=desired, **roles)
    every = rows_by(computed, "kind", "resource_name", "name")
    return {key[1:]: row for key, row in every.items() if key[0] == kind}


def reported(rows: dict[Any, Row]) -> dict[Any, tuple[Any, ...]]:
    """The value, the expected value, and the reason."""
    return {key: (row.value, row.expected, row.reason) for key, row in rows.items()}


def was(kind: str, resource: str, name: str = "", value: str | None = None) -> Item:
    """A row of the previous census."""
    kind_of = "broker" if resource.isdigit() else "topic"
    row = {"kind": kind, "resource_type": kind_of, "resource_name": resource, "name": name, "value": value}
    return {"census_id": BEFORE, "cluster_id": CLUSTER, "observed_at": at(-3600)} | row


def test_what_is_set_is_beside_its_default(spark: SparkSession) -> None:
    """A topic's default is the value of other topics; a broker reports its own. Set to the default counts as set."""
    configs = [
        of_topic("a", "retention.ms", "5"),
        of_topic("b", "retention.ms", "9", STATIC),
        of_topic("a", "segment.ms", "7"),
        of_topic("b", "segment.ms", "7", DEFAULT),
        of_topic("a", "flush.ms", "1"),
        of_topic("b", "flush.ms", "2"),
        of_topic("a", "leader.replication.throttled.replicas", ""),
        of_topic("b", "leader.replication.throttled.replicas", "", DEFAULT),
    ]
    of_brokers = [
        of_broker(1, "num.io.threads", "8", STATIC),
        of_broker(1, "node.id", "1", STATIC, default_value=None),
        of_broker(1, "log.cleaner.threads", "1"),
    ]
    roles = {"topic_configs": configs, "broker_configs": of_brokers, "topics": topics("a", "b"), "brokers": nodes(1)}
    rows = drift(spark, "not_default", **roles)
    assert reported(rows) == {
        ("a", "retention.ms"): ("5", "9", "set to something else than the default"),
        ("a", "segment.ms"): ("7", "7", "set to the default"),
        ("a", "leader.replication.throttled.replicas"): ("", "", "set to the default"),
        ("a", "flush.ms"): ("1", None, "set; no other topic shows the one default"),
        ("b", "flush.ms"): ("2", None, "set; no other topic shows the one default"),
        ("1", "num.io.threads"): ("8", "1", "set to something else than the default"),
        ("1", "node.id"): ("1", None, "set; it has no default"),
    }
    assert {row.source for row in rows.values()} == {"topic", "static"}
    assert rows["a", "flush.ms"].observed_at.timestamp() == at(2).timestamp()
    # Where the brokers that answered differ, there is no single default.
    shown = [of_topic("a", "retention.ms", "5"), of_topic("b", "retention.ms", "9", STATIC)]
    split = [*shown, of_topic("c", "retention.ms", "8", DEFAULT)]
    assert drift(spark, "not_default", topic_configs=split)["a", "retention.ms"].expected is None


def test_brokers_that_have_not_what_most_have(spark: SparkSession) -> None:
    """One of three differs; both of two differ without a majority; names that differ by nature or release never do."""
    roles = {
        "broker_configs": [
            *[of_broker(node, "num.io.threads", "16" if node == 3 else "8") for node in (1, 2, 3)],
            *[of_broker(node, "log.retention.ms", None if node == 2 else "5") for node in (1, 2)],
            *[of_broker(node, "metric.reporters", "x" if node == 2 else "") for node in (1, 2)],
            *[of_broker(node, name, str(node), STATIC) for node in (1, 2) for name in BY_NATURE],
            of_broker(1, "only.in.this.release", "x"),
            *[of_broker(node, "same", "s") for node in (1, 2, 3)],
        ],
        "brokers": nodes(1, 2, 3),
    }
    assert reported(drift(spark, "between_brokers", **roles)) == {
        ("3", "num.io.threads"): ("16", "8", "of 3 brokers 2 have 8, 1 have 16"),
        ("1", "log.retention.ms"): ("5", None, "of 2 brokers 1 have 5, 1 have none"),
        ("2", "log.retention.ms"): (None, None, "of 2 brokers 1 have 5, 1 have none"),
        ("1", "metric.reporters"): ("", None, 'of 2 brokers 1 have x, 1 have ""'),
        ("2", "metric.reporters"): ("x", None, 'of 2 brokers 1 have x, 1 have ""'),
    }


def test_sensitive_values_are_never_there(spark: SparkSession) -> None:
    """The row shows that the config is set; whether it differs between brokers or from the desired state is unknown."""
    secret = {"is_sensitive": True, "default_value": "canary"}
    keys = ("ssl.key.password", "sasl.jaas.config")
    roles = {
        "broker_configs": [of_broker(node, key, "canary", STATIC, **secret) for node in (1, 2) for key in keys],
        "brokers": nodes(1, 2, 3),
    }
    wanted = (Desired("broker", "*", "ssl.key.password", "canary-2"),)
    computed = compute(spark, CONFIG_DRIFT, desired=wanted, previous=[was("not_default", "1", keys[0])], **roles)
    rows = rows_by(computed, "kind", "resource_name", "name")
    assert "canary" not in str(rows)
    assert {key[0] for key in rows} == {"not_default", "not_desired", "not_read", "since_before"}
    assert rows["not_default", "1", keys[0]].reason == "set; sensitive, so Kafka does not tell to what"
    assert rows["not_default", "1", keys[0]].is_sensitive
    why = "sensitive: Kafka does not tell the value, so it cannot be compared"
    assert rows["not_desired", "1", keys[0]].reason == why
    assert ("since_before", "1", keys[0]) not in rows


def test_what_changed_since_the_census_before(spark: SparkSession) -> None:
    """A changed value, a removed value and a new value; an unchanged value is no change."""
    configs = [
        of_topic("a", "retention.ms", "5"),
        of_topic("a", "segment.ms", "7", DEFAULT),
        of_topic("a", "flush.ms", "3"),
        of_topic("a", "same", "s"),
        of_topic("new", "retention.ms", "6"),
        of_topic("back", "retention.ms", "6"),
    ]
    previous = [
        was("not_default", "a", "retention.ms", "4"),
        was("not_default", "a", "segment.ms", "1"),
        was("not_default", "a", "same", "s"),
        was("not_default", "deleted", "retention.ms", "1"),
        was("not_default", "hidden", "retention.ms", "1"),
        was("not_read", "back"),
        # Other configs of that census are not compared.
        was("between_brokers", "1", "num.io.threads", "1"),
    ]
    roles = {"topic_configs": configs, "topics": topics("a", "new", "back", "hidden")}
    rows = drift(spark, "since_before", previous=previous, **roles)
    assert reported(rows) == {
        ("a", "retention.ms"): ("5", "4", "set to another value"),
        ("a", "segment.ms"): ("7", "1", "not set any more"),
        ("a", "flush.ms"): ("3", None, "was not set"),
        ("new", "retention.ms"): ("6", None, "was not set, or the topic is new"),
    }
    assert {row.previous_census_id for row in rows.values()} == {BEFORE}
    assert drift(spark, "since_before", previous=[], **roles) == {}


def test_resources_that_were_not_read(spark: SparkSession) -> None:
    """A refusal, a missing page, and a topic without an answer: none of them means that nothing is set."""
    roles = {
        "topic_configs": [of_topic("ok", "k", "1"), refused("topic", "denied", 29)],
        "broker_configs": [of_broker(1, "k", "1"), refused("broker", "4", 31)],
        "topics": topics("ok", "denied", "silent"),
        "brokers": nodes(1, 2, 3, 4),
    }
    rows = drift(spark, "not_read", missing_read("DescribeConfigs", "brokers", 2, "BROKER_NOT_ALIVE"), **roles)
    assert {key[0]: (row.resource_type, row.reason) for key, row in rows.items()} == {
        "denied": ("topic", "DescribeConfigs answered TOPIC_AUTHORIZATION_FAILED"),
        "silent": ("topic", "DescribeConfigs reported nothing of topic silent"),
        "2": ("broker", "DescribeConfigs was not read from broker 2 (BROKER_NOT_ALIVE)"),
        "3": ("broker", "DescribeConfigs reported nothing of broker 3"),
        "4": ("broker", "DescribeConfigs answered CLUSTER_AUTHORIZATION_FAILED"),
    }
    window = missing_read("DescribeConfigs", "topics_all", None, "DEADLINE_EXCEEDED")
    assert drift(spark, "not_read", window, **roles)["silent", ""].reason == (
        "DescribeConfigs was not read (DEADLINE_EXCEEDED)"
    )


DESIRED = (
    Desired("topic", "*", "min.insync.replicas", "2"),
    Desired("topic", "logs-*", "min.insync.replicas", "1"),
    Desired("topic", "logs-audit-*", "min.insync.replicas", "3"),
    Desired("topic", "logs-audit-eu", "min.insync.replicas", "4"),
    Desired("broker", "*", "num.io.threads", "8"),
    Desired("broker", "2", "num.io.threads", "16"),
)


def test_the_most_particular_entry_counts(spark: SparkSession) -> None:
    """An exact name precedes the longest prefix, and a prefix precedes the star; an unset value is compared, too."""
    names = ("orders", "logs-app", "logs-audit-us", "logs-audit-eu")
    roles = {
        "topic_configs": [of_topic(name, "min.insync.replicas", "9", DEFAULT) for name in names],
        "topics": topics(*names),
        "broker_configs": [of_broker(node, "num.io.threads", "8") for node in (1, 2)],
        "brokers": nodes(1, 2),
    }
    rows = drift(spark, "not_desired", desired=DESIRED, **roles)
    assert {key[0]: (row.value, row.expected, row.reason) for key, row in rows.items()} == {
        "orders": ("9", "2", "not the desired value"),
        "logs-app": ("9", "1", "not the desired value"),
        "logs-audit-us": ("9", "3", "not the desired value"),
        "logs-audit-eu": ("9", "4", "not the desired value"),
        "2": ("8", "16", "not the desired value"),
    }


def test_what_cannot_be_compared_is_a_row(spark: SparkSession) -> None:
    """The desired value is not shown, because it may be a secret."""
    why = {
        Desired("topic", "t", "retention.msx", "1"): "Kafka knows no config of this name here",
        Desired("topic", "gone", "retention.ms", "1"): "there is no such topic",
        Desired("topic", "gone-*", "retention.ms", "1"): "there is no such topic",
        Desired("broker", "7", "k", "1"): "there is no such broker",
        Desired("broker", "2", "k", "1"): "DescribeConfigs reported nothing of broker 2",
    }
    roles = {"topic_configs": [of_topic("t", "retention.ms", "1")], "topics": topics("t"), "brokers": nodes(2)}
    assert reported(drift(spark, "not_desired", desired=[*why], **roles)) == {
        (desired.resources, desired.name): (None, None, reason) for desired, reason in why.items()
    }


def test_a_broker_that_owed_no_answer_did_not_fail_to_answer(spark: SparkSession) -> None:
    """One that is gone has no row; one that is fenced and holds nothing was not asked."""
    gone, fenced = nodes(2, 3)
    known = [*nodes(1), gone | {"state": "gone", "replicas": 0}, fenced | {"state": "fenced", "replicas": 0}]
    roles = {"topic_configs": [], "broker_configs": [of_broker(1, "k", "1")], "topics": [], "brokers": known}
    rows = drift(spark, "not_read", **roles)
    assert {key[0]: row.reason for key, row in rows.items()} == {
        "3": "broker 3 was not asked: it is fenced and holds no replica; if it was decommissioned: "
        "kafka-cluster.sh unregister --bootstrap-server HOST:PORT --id 3"
    }
