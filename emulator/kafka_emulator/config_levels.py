"""The configs of one broker by level: dynamic for the broker, dynamic for all brokers, static, or default.

`DescribeConfigs` reports for each key every value that was set, as its synonyms: the first one is in use.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import dropwhile

from kafka_emulator.config_keys import (
    BROKER_KEYS,
    INSTEAD_OF,
    PAGINATION_LIMIT,
    PARTITION_LIMIT,
    Key,
    of_version,
)
from kafka_emulator.features import Speaks

TOPIC, DYNAMIC_BROKER, DYNAMIC_DEFAULT, STATIC, DEFAULT = 1, 2, 3, 4, 5
"""Kafka's ConfigSource."""

Synonym = tuple[str, str | None, int]
"""Name, value and source."""


@dataclass(frozen=True)
class Levels:
    """One broker's configs.

    set     values by key, with their source, by precedence
    speaks  the version and the features of the broker
    """

    set: tuple[tuple[Mapping[str, str], int], ...]
    speaks: Speaks

    def value(self, name: str) -> str | None:
        """The value that was set for a key, by precedence; None where none was set."""
        return next((values[name] for values, _ in self.set if name in values), None)

    def synonyms(self, name: str) -> tuple[Synonym, ...]:
        """The synonyms of a key as Kafka lists them: fallback keys are among them, but behind the key itself.

        A null default is left out. KIP-1062's fallback holds, with its own source, where the key itself is not set.
        """
        if name == PARTITION_LIMIT and self.speaks.kip_1062:
            return *self._of((name,)), *self._of((PAGINATION_LIMIT,)), (name, self._defaults.get(name), DEFAULT)
        names = (name, *(other for other, _ in INSTEAD_OF.get(name, ())))
        defaults = [(one, value, DEFAULT) for one in names if (value := self._defaults.get(one)) is not None]
        return tuple(dropwhile(lambda one: one[0] != name, (*self._of(names), *defaults)))

    def in_milliseconds(self, name: str) -> str | None:
        """The value of a fallback key in a larger unit, such as hours, where a key is not set; it is no synonym."""
        found = ((self.value(other), unit) for other, unit in INSTEAD_OF.get(name, ()))
        return next((str(int(value) * unit) for value, unit in found if value is not None), None)

    @cached_property
    def _defaults(self) -> dict[str, str | None]:
        """Kafka's defaults, by key."""
        return {key.name: key.default for key in broker_keys(self.speaks)}

    def _of(self, names: tuple[str, ...]) -> tuple[Synonym, ...]:
        return tuple((name, values[name], at) for values, at in self.set for name in names if name in values)


def broker_keys(speaks: Speaks) -> tuple[Key, ...]:
    """The keys that a broker has; KIP-1062's only where it pages."""
    keys = of_version(BROKER_KEYS, speaks.as_version)
    return tuple(key for key in keys if speaks.kip_1062 or key.name != PAGINATION_LIMIT)
