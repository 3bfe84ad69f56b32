"""The configs of topics, brokers and groups, with their sources, as a broker tells them.

Precedence: topic or group > this broker's dynamic > the cluster's dynamic default > static > Kafka's default. What a
topic does not override is the value of the broker that is asked, which another broker may have otherwise.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kafka_census.emulator.config_keys import (
    BROKER_KEY_OF,
    BROKER_KEYS,
    GROUP_KEYS,
    PAGINATION_LIMIT,
    PARTITION_LIMIT,
    TOPIC_KEYS,
    Key,
)
from kafka_census.emulator.declared import BrokersSection

TOPIC, DYNAMIC_BROKER, DYNAMIC_DEFAULT, STATIC, DEFAULT, GROUP = 1, 2, 3, 4, 5, 8
"""Kafka's ConfigSource."""

PASSWORD = 9
READ_ONLY = frozenset({"node.id", "broker.id", "broker.rack", "log.dirs", "process.roles", PAGINATION_LIMIT})
DEFAULT_LIMIT = 2000


@dataclass(frozen=True)
class Config:
    """One key and its value.

    synonyms   (name, value, source) of everything that was set, the one in use first
    """

    name: str
    value: str | None
    source: int
    read_only: bool
    sensitive: bool
    type: int
    synonyms: tuple[tuple[str, str | None, int], ...]


@dataclass(frozen=True)
class Configs:
    """What brokers answer to DescribeConfigs."""

    section: BrokersSection
    listeners: tuple[str, ...]
    internal_factor: int
    offsets_partitions: int
    transactions_partitions: int

    def of_topic(self, overrides: dict[str, str], broker: int, *, paginates: bool) -> tuple[Config, ...]:
        """All keys of a topic, as this broker tells them."""
        own = {one.name: one for one in self.of_broker(broker, paginates=paginates)}
        return tuple(self._topic_key(key, overrides, own) for key in TOPIC_KEYS)

    def of_broker(self, broker: int, *, paginates: bool) -> tuple[Config, ...]:
        """All keys of a broker; `paginates`: whether it has KIP-1062's."""
        return tuple(self._made(key, broker) for key in BROKER_KEYS if paginates or key.name != PAGINATION_LIMIT)

    def dynamic_defaults(self) -> tuple[Config, ...]:
        """What the broker resource without a name has: the cluster's dynamic defaults, and nothing else."""
        types = {key.name: key.type for key in BROKER_KEYS}
        return tuple(
            _config(name, types.get(name, 2), ((name, value, DYNAMIC_DEFAULT),))
            for name, value in sorted(self.section.dynamic_configs.items())
        )

    def of_group(self) -> tuple[Config, ...]:
        """All keys of a group, of which none is set; a group that does not exist has the same."""
        return tuple(_config(key.name, key.type, ((key.name, key.default, DEFAULT),)) for key in GROUP_KEYS)

    def limit(self, broker: int) -> int:
        """KIP-1062's limit of a broker."""
        return int(self._value(broker, PAGINATION_LIMIT) or DEFAULT_LIMIT)

    def partition_limit(self, broker: int, *, paginates: bool) -> int:
        """DescribeTopicPartitions' limit of a broker, which falls back to the other one."""
        own = self._value(broker, PARTITION_LIMIT)
        return int(own) if own else (self.limit(broker) if paginates else DEFAULT_LIMIT)

    def _value(self, broker: int, name: str) -> str | None:
        """What was set for a key, by precedence; None where nothing was."""
        return next((value for _, value, source in self._set(name, broker) if source != DEFAULT), None)

    def _set(self, name: str, broker: int) -> Iterator[tuple[str, str | None, int]]:
        section = self.section
        for values, source in (
            (section.dynamic_configs_of.get(broker, {}), DYNAMIC_BROKER),
            (section.dynamic_configs, DYNAMIC_DEFAULT),
            (section.configs_of.get(broker, {}), STATIC),
            (section.configs, STATIC),
            (self._by_nature(broker), STATIC),
        ):
            if name in values:
                yield name, values[name], source

    def _by_nature(self, broker: int) -> dict[str, str]:
        dirs = ",".join(f"/kafka/logs-{number}" for number in range(self.section.log_dirs))
        rack = {"broker.rack": f"rack-{(broker - 1) % self.section.racks}"} if self.section.racks else {}
        return {
            "node.id": str(broker),
            "broker.id": str(broker),
            "process.roles": "broker",
            "auto.create.topics.enable": "false",
            "log.dirs": dirs,
            "listeners": ",".join(f"{name}://:0" for name in self.listeners),
            "offsets.topic.num.partitions": str(self.offsets_partitions),
            "offsets.topic.replication.factor": str(self.internal_factor),
            "transaction.state.log.num.partitions": str(self.transactions_partitions),
            "transaction.state.log.replication.factor": str(self.internal_factor),
            **rack,
        }

    def _made(self, key: Key, broker: int) -> Config:
        synonyms = (*self._set(key.name, broker), (key.name, key.default, DEFAULT))
        return _config(key.name, key.type, synonyms)

    def _topic_key(self, key: Key, overrides: dict[str, str], brokers: dict[str, Config]) -> Config:
        override = ((key.name, overrides[key.name], TOPIC),) if key.name in overrides else ()
        behind = brokers.get(BROKER_KEY_OF.get(key.name, ""))
        inherited = behind.synonyms if behind else ((key.name, key.default, DEFAULT),)
        config = _config(key.name, key.type, (*override, *inherited))
        if config.source == DEFAULT:
            return _config(key.name, key.type, ((key.name, key.default, DEFAULT),))
        return config


def _config(name: str, kind: int, synonyms: tuple[tuple[str, str | None, int], ...]) -> Config:
    _, value, source = synonyms[0]
    sensitive = kind == PASSWORD
    return Config(name, None if sensitive else value, source, name in READ_ONLY, sensitive, kind, synonyms)
