"""The faults of a scenario while it runs: which are due for a request, and which were never hit."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from kafka_emulator.fault_actions import FaultSection

NEEDS_A_CURSOR = frozenset({"repeat_cursor", "double_page"})
"""Faults about the previous page: they wait for a request that has a cursor."""


@dataclass
class Faults:
    """Declared faults; the server calls `hit` when faults have been carried out."""

    declared: tuple[FaultSection, ...] = ()
    _hit: set[int] = field(default_factory=set)

    def due(self, api: str, broker: int, number: int, *, has_cursor: bool) -> list[FaultSection]:
        """The faults of this request; `number` requests of this API came to this broker before it."""
        return [
            fault
            for position, fault in enumerate(self.declared)
            if (fault.always or position not in self._hit)
            and fault.api in (None, api)
            and fault.broker in (None, broker)
            and number >= (fault.page or 0)
            and (has_cursor or fault.do.name not in NEEDS_A_CURSOR)
        ]

    def hit(self, faults: Iterable[FaultSection]) -> None:
        """Note that these faults were carried out."""
        done = [id(fault) for fault in faults]
        self._hit |= {position for position, fault in enumerate(self.declared) if id(fault) in done}

    @property
    def never_hit(self) -> tuple[FaultSection, ...]:
        """The faults that no request has met: the scenario did not test what it declares."""
        return tuple(fault for position, fault in enumerate(self.declared) if position not in self._hit)
