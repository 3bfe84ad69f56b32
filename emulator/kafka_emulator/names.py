"""Sorted names that are not kept as objects: a run of generated names, and a few declared names among them.

A `Run` is a prefix and a number with leading zeros. `Names` has the existing names of a run and the
declared names, in UTF-16 order: one array of ordinals. A name's ordinal is its number in the
run, or the run's size plus the position of its declaration; it does not change when names are added or
removed, so that all other data of a name can be computed from it, or kept in columns by it.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
import numpy.typing as npt

from kafka_emulator.arithmetic import Ints, utf16

_HIGHEST = b"\xff" * 4
"""Above every UTF-16 text that may follow a prefix."""

_BASE = 10


@dataclass(frozen=True)
class Run:
    """The names prefix + 0 .. count-1, all with the same number of digits, so that their order is the numbers'."""

    prefix: str
    count: int
    width: int = 7

    def __post_init__(self) -> None:
        if len(str(max(0, self.count - 1))) > self.width:
            raise ValueError(f"{self.count:,} names do not fit into {self.width} digits")

    def name(self, number: int) -> str:
        """The name of a number."""
        return f"{self.prefix}{number:0{self.width}d}"

    def each(self, numbers: Iterable[int]) -> list[str]:
        """`name` of many numbers at once."""
        prefix, width = self.prefix, self.width
        return [prefix + str(number).zfill(width) for number in numbers]

    def number(self, name: str) -> int | None:
        """The number of a name; None for a name outside the run."""
        digits = name.removeprefix(self.prefix)
        if len(digits) != self.width or len(name) != len(self.prefix) + self.width:
            return None
        number = int(digits) if digits.isascii() and digits.isdigit() else self.count
        return number if number < self.count else None

    def numbers(self, names: Sequence[str]) -> Ints:
        """`number` of many names at once; -1 for None."""
        length = len(self.prefix) + self.width
        # Longer names are cut here, shorter names are padded with zeros.
        units = np.array(names, f"U{length}").view(np.uint32).reshape(len(names), length)
        begins, digits = np.split(units, [len(self.prefix)], axis=1)
        digits = digits - np.uint32(ord("0"))  # characters before 0 become large numbers
        found = np.fromiter(map(len, names), np.int64, len(names)) == length
        found &= (digits < _BASE).all(1) & (begins == np.array([*map(ord, self.prefix)], np.uint32)).all(1)
        numbers = digits @ _BASE ** np.arange(self.width - 1, -1, -1)
        return np.where(found & (numbers < self.count), numbers, -1)


class Names(Sequence[str]):
    """Some of the names of a run and of declared names, sorted; `ordinals` has their ordinals, by position."""

    def __init__(self, run: Run, declared: tuple[str, ...], ordinals: Ints) -> None:
        """Called by `names`, `pick`, `having` and `without`."""
        self.run = run
        self.declared = declared
        self.ordinals = ordinals

    def __len__(self) -> int:
        return len(self.ordinals)

    @overload
    def __getitem__(self, position: int) -> str: ...
    @overload
    def __getitem__(self, position: slice) -> list[str]: ...
    def __getitem__(self, position: int | slice) -> str | list[str]:
        if isinstance(position, slice):
            return [self.name(ordinal) for ordinal in self.ordinals[position].tolist()]
        return self.name(int(self.ordinals[position]))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.present(name) is not None

    def name(self, ordinal: int) -> str:
        """The name of an ordinal, whether or not it is among these."""
        count = self.run.count
        return self.run.name(ordinal) if ordinal < count else self.declared[ordinal - count]

    def ordinal(self, name: str) -> int | None:
        """The ordinal of a name that was ever among these."""
        number = self.run.number(name)
        if number is None and name in self._declared:
            return self.run.count + self._declared[name]
        return number

    def present(self, name: str) -> int | None:
        """The ordinal of a name that is among these; None of any other."""
        ordinal = self.ordinal(name)
        return ordinal if ordinal is not None and self._present[ordinal] else None

    def ordinals_of(self, names: Sequence[str]) -> Ints:
        """`present` of many names at once; -1 for None."""
        ordinals = self.run.numbers(names)
        for position in np.flatnonzero(ordinals < 0).tolist():
            if names[position] in self._declared:
                ordinals[position] = self.run.count + self._declared[names[position]]
        return np.where(self._present[ordinals], ordinals, -1)

    def at(self, name: str) -> int:
        """The position of the first name that is not before this one; the length if all are before it."""
        number = self.run.number(name)
        if number is None:
            return self._at(utf16(name))
        numbers, others = self._split
        return int(np.searchsorted(numbers, number)) + bisect_left(others, utf16(name))

    def behind(self, prefix: str) -> int:
        """The position of the first name behind all names with this prefix."""
        return self._at(utf16(prefix) + _HIGHEST)

    def find(self, name: str) -> int | None:
        """The position of a name; None where it is not among these."""
        return self.at(name) if name in self else None

    def pick(self, mask: npt.NDArray[np.bool_]) -> "Names":
        """The names at the positions where the mask is true."""
        return self if mask.all() else Names(self.run, self.declared, self.ordinals[mask])

    def without(self, gone: Iterable[str]) -> "Names":
        """All names except these; ordinals do not change."""
        positions = [position for position in map(self.find, gone) if position is not None]
        return Names(self.run, self.declared, np.delete(self.ordinals, positions))

    def having(self, name: str) -> "Names":
        """These names and one more, with its old ordinal if it was among them before."""
        ordinal = self.ordinal(name)
        declared = self.declared if ordinal is not None else (*self.declared, name)
        ordinal = self.run.count + len(self.declared) if ordinal is None else ordinal
        return Names(self.run, declared, np.insert(self.ordinals, self.at(name), ordinal))

    @cached_property
    def _declared(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.declared)}

    @cached_property
    def _present(self) -> npt.NDArray[np.bool_]:
        """Whether each ordinal is among these; the last element is False, for -1."""
        present = np.zeros(self.run.count + len(self.declared) + 1, np.bool_)
        present[self.ordinals] = True
        return present

    @cached_property
    def _split(self) -> tuple[Ints, list[bytes]]:
        """The numbers of the run that are among these, and the keys of the declared names, both sorted."""
        generated = self.ordinals < self.run.count
        others = [utf16(self.name(ordinal)) for ordinal in self.ordinals[~generated].tolist()]
        return self.ordinals[generated], others

    def _at(self, key: bytes) -> int:
        return bisect_left(range(len(self)), key, key=lambda position: utf16(self[position]))


def names(run: Run, declared: Iterable[str] = ()) -> Names:
    """All names of a run, and the declared names outside the run."""
    others = tuple(dict.fromkeys(name for name in declared if run.number(name) is None))
    generated = Names(run, others, np.arange(run.count, dtype=np.int64))
    if not others:
        return generated
    order = sorted(range(len(others)), key=lambda one: utf16(others[one]))
    positions = [generated.at(others[one]) for one in order]
    ordinals = np.insert(generated.ordinals, positions, [run.count + one for one in order])
    return Names(run, others, ordinals)
