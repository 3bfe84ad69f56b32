"""The resources that have configs: topics, brokers, loggers, client metrics and groups; and why one is refused.

A group or a client metrics subscription that does not exist has Kafka's defaults, as on a real broker.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.config_levels import DEFAULT
from kafka_emulator.configs import Config
from kafka_emulator.features import AsVersion
from kafka_emulator.topic_names import is_possible, what_is_wrong

UNKNOWN_TOPIC, INVALID_TOPIC, INVALID_REQUEST = 3, 17, 42
TOPIC_DENIED, GROUP_DENIED, CLUSTER_DENIED = 29, 30, 31
_LOGGER = 6
"""Kafka's ConfigSource of log levels."""


class ConfigType(IntEnum):
    """Kafka's ConfigResource.Type."""

    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


_FIRST = frozenset({ConfigType.TOPIC, ConfigType.BROKER, ConfigType.BROKER_LOGGER})
KNOWN: Mapping[AsVersion, frozenset[ConfigType]] = {
    "2.8": _FIRST,
    "3.9": frozenset(ConfigType),
    "4.3": frozenset(ConfigType),
    "4.4": frozenset(ConfigType),
}
"""The types that each version of Kafka knows."""

LOG_LEVELS = tuple(Config(name, "INFO", _LOGGER, False, False, 0, ()) for name in ("kafka", "org.apache.kafka", "root"))
CLIENT_METRICS = (
    Config("interval.ms", "300000", DEFAULT, False, False, 3, ()),
    Config("match", "", DEFAULT, False, False, 7, ()),
    Config("metrics", "", DEFAULT, False, False, 7, ()),
)


@dataclass(frozen=True)
class Refusal:
    """Why a resource is not described: Kafka's code and message."""

    code: int
    message: str


@dataclass(frozen=True)
class ConfigResources:
    """The resources as one call finds them; configs that many resources share are built once, as one object."""

    call: Call
    _made: dict[object, tuple[Config, ...]] = field(default_factory=dict)

    def described(self, positions: Sequence[tuple[str, int]]) -> list[tuple[Config, ...] | Refusal]:
        """All configs of resources by name and type, or the refusal; a denial comes before any other refusal."""
        world, topic = self.call.world, ConfigType.TOPIC.value
        names = [name for name, kind in positions if kind == topic]
        # Most topics override nothing.
        plain, overrides = self._of_topic({}), zip(names, world.topics.configs(names), strict=True)
        topics = {name: plain if own == {} else self._topic(name, own) for name, own in overrides}
        found = [topics[name] if kind == topic else self._other(kind, name) for name, kind in positions]
        if world.access.everything:
            return found
        return [self._denied(kind, name) or one for (name, kind), one in zip(positions, found, strict=True)]

    def _denied(self, kind: int, name: str) -> Refusal | None:
        access = self.call.world.access
        if kind == ConfigType.TOPIC:
            allowed = access.allows(Operation.DESCRIBE_CONFIGS, Resource.TOPIC, name)
            return None if allowed else Refusal(TOPIC_DENIED, "Topic authorization failed.")
        if kind == ConfigType.GROUP:
            allowed = access.allows(Operation.DESCRIBE_CONFIGS, Resource.GROUP, name)
            return None if allowed else Refusal(GROUP_DENIED, "Group authorization failed.")
        allowed = access.allows(Operation.DESCRIBE_CONFIGS, Resource.CLUSTER)
        return None if allowed else Refusal(CLUSTER_DENIED, "Cluster authorization failed.")

    def _other(self, kind: int, name: str) -> tuple[Config, ...] | Refusal:
        if kind == ConfigType.BROKER:
            return self._broker(name)
        if kind == ConfigType.BROKER_LOGGER:
            return self._not_here(name) or LOG_LEVELS
        if not name:
            what = "Group name" if kind == ConfigType.GROUP else "Client metrics subscription name"
            return Refusal(INVALID_REQUEST, f"{what} must not be empty")
        if kind == ConfigType.GROUP:
            overrides = self.call.world.groups.configs.get(name, {})
            made = self.call.world.configs.of_group
            return self._kept(("group", *sorted(overrides.items())), lambda: made(overrides, self.call.speaks))
        return CLIENT_METRICS

    def _topic(self, name: str, overrides: Mapping[str, str] | None) -> tuple[Config, ...] | Refusal:
        if overrides is None:
            possible = is_possible(name)
            return Refusal(UNKNOWN_TOPIC, "") if possible else Refusal(INVALID_TOPIC, what_is_wrong(name))
        return self._kept(("topic", *sorted(overrides.items())), lambda: self._of_topic(overrides))

    def _of_topic(self, overrides: Mapping[str, str]) -> tuple[Config, ...]:
        return self.call.world.configs.of_topic(overrides, self.call.broker, self.call.speaks)

    def _broker(self, name: str) -> tuple[Config, ...] | Refusal:
        configs, speaks = self.call.world.configs, self.call.speaks
        if not name:
            return self._kept("defaults", lambda: configs.dynamic_defaults(speaks))
        return self._not_here(name) or self._kept("broker", lambda: configs.of_broker(self.call.broker, speaks))

    def _not_here(self, name: str) -> Refusal | None:
        """The refusal of another broker's id: a broker answers only for itself."""
        own = str(self.call.broker)
        if name == own:
            return None
        if not re.fullmatch(r"[+-]?\d+", name):
            wrong = f"Broker id must be an integer, but it is: {name}" if name else "Broker id must not be empty"
            return Refusal(INVALID_REQUEST, wrong)
        return Refusal(INVALID_REQUEST, f"Unexpected broker id, expected {own} or empty string, but received {name}")

    def _kept(self, what: object, make: Callable[[], tuple[Config, ...]]) -> tuple[Config, ...]:
        if what not in self._made:
            self._made[what] = make()
        return self._made[what]
