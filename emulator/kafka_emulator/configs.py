"""The configs of topics, brokers and groups, with their sources, as a broker reports them.

Precedence: topic or group > this broker's dynamic > the cluster's dynamic default > static > Kafka's default. A key
that a topic does not override has the value of the broker that answers; another broker's value may differ.
A key that is set and not emulated is reported like a key whose type Kafka does not know: as a secret.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kafka_emulator.config_keys import (
    BROKER_KEY_OF,
    BROKER_KEY_OF_GROUPS,
    BROKER_KEYS,
    DYNAMIC,
    GROUP_KEYS,
    OWN_TO_GROUPS,
    PAGINATION_LIMIT,
    PARTITION_LIMIT,
    THROTTLES,
    TOPIC_KEYS,
    Key,
    of_version,
)
from kafka_emulator.config_levels import (
    DEFAULT,
    DYNAMIC_BROKER,
    DYNAMIC_DEFAULT,
    STATIC,
    TOPIC,
    Levels,
    Synonym,
    broker_keys,
)
from kafka_emulator.declared import BrokersSection
from kafka_emulator.features import FINALIZED, AsVersion, Speaks
from kafka_emulator.topics import MIN_ISR

UNKNOWN, PASSWORD = 0, 9
GROUP = 8
"""Kafka's ConfigSource of a group's own configs."""
DEFAULT_LIMIT = 2000
ZOOKEEPER: AsVersion = "2.8"
"""The version whose brokers have a broker.id, and neither a node.id nor roles."""


@dataclass(frozen=True)
class Config:
    """One key and its value.

    synonyms   (name, value, source) of every value that was set, the value in use first
    """

    name: str
    value: str | None
    source: int
    read_only: bool
    sensitive: bool
    type: int
    synonyms: tuple[Synonym, ...]


@dataclass(frozen=True)
class Configs:
    """The configs that brokers answer to DescribeConfigs; `voters` are the brokers that are controllers too."""

    section: BrokersSection
    listeners: tuple[str, ...]
    voters: Sequence[int]
    internal_factor: int
    offsets_partitions: int
    transactions_partitions: int

    def of_topic(self, overrides: Mapping[str, str], broker: int, speaks: Speaks) -> tuple[Config, ...]:
        """All keys of a topic, as this broker reports them."""
        levels = self._levels(broker, speaks)
        return tuple(_of_topic(key, overrides, levels) for key in of_version(TOPIC_KEYS, speaks.as_version))

    def of_broker(self, broker: int, speaks: Speaks) -> tuple[Config, ...]:
        """All keys of a broker, and the unknown keys that are set on it."""
        levels, known = self._levels(broker, speaks), broker_keys(speaks)
        others = {name for values, _ in levels.set for name in values} - {one.name for one in BROKER_KEYS}
        every = (*known, *(_key(name) for name in sorted(others)))
        return tuple(_config(one, levels.synonyms(one.name), read_only=one.name not in DYNAMIC) for one in every)

    def dynamic_defaults(self, speaks: Speaks) -> tuple[Config, ...]:
        """The configs of the broker resource without a name: the cluster's dynamic defaults, and nothing else."""
        known = {key.name: key for key in broker_keys(speaks)}
        return tuple(
            _config(
                known.get(name) or _key(name),
                ((name, value, DYNAMIC_DEFAULT),),
                read_only=name not in DYNAMIC,
            )
            for name, value in sorted(self._cluster_wide(speaks).items())
        )

    def of_group(self, overrides: Mapping[str, str], speaks: Speaks) -> tuple[Config, ...]:
        """All keys of a group; a group that does not exist has them, too."""
        return tuple(
            _config(key, (*_set_at(key, overrides, GROUP), (_default_of_groups(key.name), key.default, DEFAULT)))
            for key in of_version(GROUP_KEYS, speaks.as_version)
        )

    def limit(self, broker: int, speaks: Speaks) -> int:
        """KIP-1062's limit of a broker."""
        return int(self._levels(broker, speaks).value(PAGINATION_LIMIT) or DEFAULT_LIMIT)

    def partition_limit(self, broker: int, speaks: Speaks) -> int:
        """DescribeTopicPartitions' limit of a broker, which falls back to KIP-1062's limit if the broker has one."""
        own = self._levels(broker, speaks).value(PARTITION_LIMIT)
        return int(own) if own else (self.limit(broker, speaks) if speaks.kip_1062 else DEFAULT_LIMIT)

    def _levels(self, broker: int, speaks: Speaks) -> Levels:
        section = self.section
        nature = self._by_nature(broker, speaks.as_version)
        return Levels(
            (
                (section.dynamic_configs_of.get(broker, {}), DYNAMIC_BROKER),
                (self._cluster_wide(speaks), DYNAMIC_DEFAULT),
                (nature | section.configs | section.configs_of.get(broker, {}), STATIC),
            ),
            speaks,
        )

    def _cluster_wide(self, speaks: Speaks) -> dict[str, str]:
        """Dynamic defaults; with ELR the controller has set min.insync.replicas as one (KIP-966)."""
        section, elr = self.section, FINALIZED[speaks.as_version].get("eligible.leader.replicas.version", 0)
        return ({MIN_ISR: section.configs.get(MIN_ISR, "1")} if elr else {}) | section.dynamic_configs

    def _by_nature(self, broker: int, as_version: AsVersion) -> dict[str, str]:
        dirs = ",".join(f"/kafka/logs-{number}" for number in range(self.section.log_dirs))
        rack = {"broker.rack": f"rack-{(broker - 1) % self.section.racks}"} if self.section.racks else {}
        roles = "broker,controller" if broker in self.voters else "broker"
        kraft = {} if as_version == ZOOKEEPER else {"node.id": str(broker), "process.roles": roles}
        return {
            "broker.id": str(broker),
            "auto.create.topics.enable": "false",
            "log.dirs": dirs,
            "listeners": ",".join(f"{name}://:0" for name in self.listeners),
            "offsets.topic.num.partitions": str(self.offsets_partitions),
            "offsets.topic.replication.factor": str(self.internal_factor),
            "transaction.state.log.num.partitions": str(self.transactions_partitions),
            "transaction.state.log.replication.factor": str(self.internal_factor),
            **kraft,
            **rack,
        }


def _key(name: str) -> Key:
    """A key that not every broker has."""
    return next((key for key in THROTTLES if key.name == name), Key(name, None, UNKNOWN))


def _default_of_groups(name: str) -> str:
    """The key that has the default of a group's key."""
    return name if name in OWN_TO_GROUPS else BROKER_KEY_OF_GROUPS.get(name, f"group.{name}")


def _set_at(key: Key, overrides: Mapping[str, str], source: int) -> tuple[Synonym, ...]:
    return ((key.name, overrides[key.name], source),) if key.name in overrides else ()


def _of_topic(key: Key, overrides: Mapping[str, str], levels: Levels) -> Config:
    """A topic's own value, or else its broker's; a broker's value in a larger unit is reported without a source."""
    own = _set_at(key, overrides, TOPIC)
    behind = BROKER_KEY_OF.get(key.name)
    inherited = levels.synonyms(behind) if behind else ()
    default = levels.in_milliseconds(behind) if behind else None
    return _config(key, (*own, *inherited), default or key.default)


def _config(key: Key, synonyms: tuple[Synonym, ...], default: str | None = None, *, read_only: bool = False) -> Config:
    """A key with its synonyms; the values of secrets are never reported."""
    sensitive = key.type in (UNKNOWN, PASSWORD)
    reported = tuple((name, None if sensitive else value, source) for name, value, source in synonyms)
    _, value, source = reported[0] if reported else (key.name, default, DEFAULT)
    return Config(key.name, value, source, read_only, sensitive, key.type, reported)
