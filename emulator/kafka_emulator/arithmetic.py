"""Numbers computed from numbers, so that generated values need not be stored; and Java's hash of a name.

`mix` is splitmix64: the same seed and position give the same number in every process. The forms
for arrays give the same numbers for a million positions at once.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_WORD = 2**64 - 1
_SIGN = 2**31


def mix(*numbers: int) -> int:
    """A number from 0 up to 2^64 that depends on all of these and on their order."""
    mixed = 0
    for number in numbers:
        mixed = (mixed + number + _GOLDEN) & _WORD
        mixed = ((mixed ^ (mixed >> 30)) * _FIRST) & _WORD
        mixed = ((mixed ^ (mixed >> 27)) * _SECOND) & _WORD
        mixed ^= mixed >> 31
    return mixed


def mixed(*numbers: int | Ints | Words) -> Words:
    """`mix` of the numbers at each position: arguments are columns of one length, and numbers for all positions."""
    values = np.zeros(1, np.uint64)
    for number in numbers:
        values = values + np.asarray(number).astype(np.uint64) + np.uint64(_GOLDEN)
        values = (values ^ (values >> np.uint64(30))) * np.uint64(_FIRST)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(_SECOND)
        values = values ^ (values >> np.uint64(31))
    return values


def positions(spans: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
    """All positions from each span's begin up to its end, in sequence: the index of the span, and the position."""
    begins, ends = np.array(spans, np.int64).reshape(-1, 2).T
    lengths = ends - begins
    spans_of = np.repeat(np.arange(len(lengths)), lengths)
    return spans_of, np.arange(len(spans_of)) - (np.cumsum(lengths) - lengths - begins)[spans_of]


def utf16(name: str) -> bytes:
    """The key by which names are ordered: UTF-16 units, as in Java's String.compareTo."""
    return name.encode("utf-16-be", "surrogatepass")


def java_hash(name: str) -> int:
    """`String.hashCode`: 31 * h + unit over UTF-16 units, wrapped to 32 bits."""
    units = np.frombuffer(utf16(name), ">u2")
    hashed = 0
    for unit in units.tolist():
        hashed = (31 * hashed + unit) & 0xFFFFFFFF
    return hashed - 2**32 if hashed >= _SIGN else hashed


def java_abs(number: int) -> int:
    """Kafka's `Utils.abs`: the smallest int becomes 0."""
    return 0 if number == -_SIGN else abs(number)


def partition_for(name: str, count: int) -> int:
    """The partition of an internal topic that a group id or a transactional id belongs to."""
    return java_abs(java_hash(name)) % count


def partitions_for(prefix: str, width: int, count: int, partitions: int) -> npt.NDArray[np.uint16]:
    """`partition_for` of the names prefix + 0 .. count-1, written with `width` digits."""
    numbers = np.arange(count, dtype=np.int64)
    hashed = np.full(count, java_hash(prefix) & 0xFFFFFFFF, np.uint32)
    for position in range(width - 1, -1, -1):
        digit = (numbers // 10**position % 10 + ord("0")).astype(np.uint32)
        hashed = hashed * np.uint32(31) + digit
    signed = hashed.view(np.int32).astype(np.int64)
    return (np.where(signed == -_SIGN, 0, np.abs(signed)) % partitions).astype(np.uint16)
