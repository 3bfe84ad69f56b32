"""Configs: which keys a Kafka has, what holds, and where it was set; as `kafka-configs --all` shows it of real ones."""

from typing import Any

import pytest

from emulator.asking import cluster
from kafka_emulator.config_keys import PAGINATION_LIMIT, PARTITION_LIMIT
from kafka_emulator.configs import Config, Configs
from kafka_emulator.features import Speaks

PLAIN = Speaks(kip_1062=False, kip_637=False)


def configs(**brokers: Any) -> Configs:
    return cluster(brokers=brokers).world.configs


def reported(every: tuple[Config, ...]) -> dict[str, Config]:
    return {one.name: one for one in every}


def test_a_topics_value_is_its_own_or_the_brokers_by_where_that_is_set() -> None:
    made = configs(
        configs={"min.insync.replicas": "1"},
        configs_of={2: {"log.retention.bytes": "5"}},
        dynamic_configs={"min.insync.replicas": "3"},
        dynamic_configs_of={2: {"min.insync.replicas": "4"}},
    )
    own = reported(made.of_topic({"min.insync.replicas": "2"}, 1, PLAIN))["min.insync.replicas"]
    assert (own.value, own.source, [one[1:] for one in own.synonyms]) == (
        "2",
        1,
        [("2", 1), ("3", 3), ("1", 4), ("1", 5)],
    )
    assert [reported(made.of_topic({}, broker, PLAIN))["min.insync.replicas"].source for broker in (1, 2)] == [3, 2]
    assert cluster(brokers={"dynamic_configs": {"min.insync.replicas": "3"}}).world.topics.default_min_isr == 3
    first, second = (reported(made.of_topic({}, broker, PLAIN))["retention.bytes"] for broker in (1, 2))
    assert (first.value, first.synonyms) == ("-1", (("log.retention.bytes", "-1", 5),))
    assert (second.value, second.synonyms) == ("5", (("log.retention.bytes", "5", 4), ("log.retention.bytes", "-1", 5)))


PAGES = (PARTITION_LIMIT, "2000", 5)


@pytest.mark.parametrize(
    ("brokers", "synonyms"),
    [
        ({}, [PAGES]),
        ({"configs": {PAGINATION_LIMIT: "50"}}, [(PAGINATION_LIMIT, "50", 4), PAGES]),
        ({"dynamic_configs": {PAGINATION_LIMIT: "50"}}, [(PAGINATION_LIMIT, "50", 3), PAGES]),
        ({"dynamic_configs_of": {1: {PAGINATION_LIMIT: "50"}}}, [(PAGINATION_LIMIT, "50", 2), PAGES]),
        (
            {"configs": {PARTITION_LIMIT: "60"}, "dynamic_configs": {PAGINATION_LIMIT: "50"}},
            [(PARTITION_LIMIT, "60", 4), (PAGINATION_LIMIT, "50", 3), PAGES],
        ),
    ],
)
def test_the_partition_limit_falls_back_to_the_other(brokers: Any, synonyms: list[tuple[str, str, int]]) -> None:
    """With the source of what holds, on a broker that has the other one; without it Kafka's own limit holds."""
    made, speaks = configs(**brokers), Speaks()
    limit = reported(made.of_broker(1, speaks))[PARTITION_LIMIT]
    assert list(limit.synonyms) == synonyms
    assert (limit.value, limit.source) == synonyms[0][1:]
    assert str(made.partition_limit(1, speaks)) == limit.value
    plain = reported(made.of_broker(1, PLAIN))
    assert PAGINATION_LIMIT not in plain
    assert (
        plain[PARTITION_LIMIT].value
        == str(made.partition_limit(1, PLAIN))
        == brokers.get("configs", {}).get(PARTITION_LIMIT, "2000")
    )


def test_secrets_are_reported_by_nobody() -> None:
    """Passwords, and what is set under a name whose type is not known: neither value nor synonyms."""
    names = ("ssl.keystore.password", "listener.name.out.ssl.key.password", "my.plugin.token")
    made = configs(configs=dict.fromkeys(names, "secret"), dynamic_configs=dict.fromkeys(names, "secret"))
    for every in (made.of_broker(1, PLAIN), made.dynamic_defaults(PLAIN)):
        found = reported(every)
        assert {found[name].sensitive for name in names} == {True}
        assert {found[name].value for name in names} == {None}
        assert {value for name in names for _, value, _ in found[name].synonyms} == {None}


def test_a_kafka_has_the_keys_of_its_version() -> None:
    """With its defaults, each once. Voters are controllers too; a broker of ZooKeeper's has no roles and no node id."""
    made = configs(count=4)
    for version, topic, group, after in (
        ("2.8", 26, 2, None),
        ("3.9", 36, 2, str(2**63 - 1)),
        ("4.3", 33, 17, "3600000"),
    ):
        speaks = Speaks(version, kip_1062=False)  # type: ignore[arg-type]
        keys, broker = reported(made.of_topic({}, 1, speaks)), reported(made.of_broker(4, speaks))
        assert (len(made.of_topic({}, 1, speaks)), len(keys), len(made.of_group({}, speaks))) == (topic, topic, group)
        assert getattr(keys.get("message.timestamp.after.max.ms"), "value", None) == after
        ids = [broker[name].value for name in ("broker.id", "node.id", "process.roles")]
        assert ids == (["4", "-1", ""] if version == "2.8" else ["4", "4", "broker"])
    assert reported(made.of_broker(3, PLAIN))["process.roles"].value == "broker,controller"
