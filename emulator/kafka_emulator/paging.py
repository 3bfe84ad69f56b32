"""The only paging function, over items that are addressed by position and never built as a list.

The rules are those of `docs/kip-1062.md`: a cursor is inclusive and names the first item of the requested
page; if that item is gone, the page begins at the next item in order. The limit is clamped to
1 .. the broker's limit. A next cursor is null at the end and only there. An error is one item:
a page of errors only is no larger than any other page. Without a limit (old versions) the
same function returns everything.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from kafka_emulator.arithmetic import utf16

Cursor = tuple[Any, ...]
"""The fields of a cursor, in the KIP's order."""


class InvalidCursor(Exception):
    """A cursor that names no position; it is answered with INVALID_REQUEST."""


class Listing(Protocol):
    """Items in their order."""

    def __len__(self) -> int:
        """The number of positions."""

    def at(self, cursor: Cursor) -> int:
        """The position of the first item that is not before the cursor."""

    def cursor(self, position: int) -> Cursor:
        """The cursor of a page that begins here."""

    def end(self, begin: int, limit: int) -> int:
        """The end of a page with this limit that begins here."""


@dataclass(frozen=True)
class Page:
    """The positions from `begin` up to `end`, and the cursor of the page that follows; None at the end."""

    begin: int
    end: int
    next_cursor: Cursor | None


def clamp(limit: int, server_limit: int) -> int:
    """The cost limit of a page: the requested limit, within 1 .. the broker's limit."""
    return max(1, min(limit, server_limit))


def page(listing: Listing, cursor: Cursor | None = None, limit: int | None = None) -> Page:
    """The page that begins at a cursor; without a limit everything from there on."""
    begin = 0 if cursor is None else listing.at(cursor)
    end = len(listing) if limit is None else listing.end(begin, limit)
    return Page(begin, end, listing.cursor(end) if end < len(listing) else None)


class Sorted(Sequence[Any]):
    """A short list of names, or of positions as tuples, each once, sorted by `key`: by default `by_fields`."""

    def __init__(self, positions: Iterable[Any], key: Callable[[Any], Any] | None = None) -> None:
        """`positions` may be in any order and have duplicates."""
        self._key = key or by_fields
        self._positions = sorted(dict.fromkeys(positions), key=self._key)

    def __len__(self) -> int:
        return len(self._positions)

    def __getitem__(self, position: Any) -> Any:
        return self._positions[position]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._positions)

    def at(self, position: Any) -> int:
        """The position of the first element that is not before this name or position."""
        return bisect_left(self._positions, self._key(position), key=self._key)


def by_fields(position: Any) -> Any:
    """The order of most cursors: field by field, names by UTF-16."""
    if isinstance(position, str):
        return utf16(position)
    return tuple([utf16(one) if isinstance(one, str) else one for one in position])


def by_name_and_number(position: Any) -> tuple[bytes, int]:
    """`by_fields` of a topic and a partition, or of a resource and its type: faster, for requests with many names."""
    return utf16(position[0]), position[1]


@dataclass(frozen=True)
class Flat:
    """Items that cost one each: their number, the position of a cursor, and the cursor of a position."""

    size: int
    at: Callable[[Cursor], int]
    cursor: Callable[[int], Cursor]

    def __len__(self) -> int:
        return self.size

    def end(self, begin: int, limit: int) -> int:
        """The limit counts items."""
        return min(self.size, begin + limit)


def by_name(names: Any) -> Flat:
    """Items whose cursor is only their name: `Names`."""
    return Flat(len(names), lambda cursor: int(names.at(cursor[0])), lambda position: (names[position],))


class Inner(Protocol):
    """The items of one holder: the members of a group, the producers of a partition."""

    def at(self, cursor: Cursor) -> int:
        """The position of the first item that is not before the last fields of a cursor."""

    def cursor(self, position: int) -> Cursor:
        """The last fields of the cursor of a position."""


@dataclass(frozen=True)
class Indexes:
    """The partitions of a topic: their cursor is their index."""

    def at(self, cursor: Cursor) -> int:
        """Partitions are numbered from 0."""
        return int(cursor[0])

    def cursor(self, position: int) -> Cursor:
        """The index."""
        return (position,)


def partition_is_possible(cursor: Cursor) -> None:
    """Raises InvalidCursor for a negative partition; TopicName and PartitionIndex are a cursor's first fields."""
    if cursor[1] < 0:
        raise InvalidCursor


class Part(NamedTuple):
    """The part of one holder in a page: its items from `begin` up to `end`; both 0 without items, and for an error."""

    holder: int
    begin: int
    end: int


@dataclass(frozen=True)
class Nested:
    """Holders in their order, each with its items: topics with partitions, groups with members.

    holders  names, or positions of several fields as tuples, with `at(name or position)`: `Names`, `Sorted`
    sizes    the number of items of each holder, by position
    inner    the items of a holder, by its position
    start    the last fields of a cursor at the beginning of a holder, such as ("",) for members
    check    raises InvalidCursor for a cursor that names no position
    failed   whether each holder has an error: such holders are reported once, without items
    free     whether an error costs nothing of the limit, as in Kafka's DescribeTopicPartitions

    A holder without items costs one, so that 100,000 empty groups do not come in one page; an error costs one
    as well. The error of a holder that an earlier page began is reported on the page that would continue it.
    """

    holders: Any
    sizes: npt.NDArray[np.int64]
    inner: Callable[[int], Inner]
    start: Cursor
    check: Callable[[Cursor], None] = lambda _cursor: None
    failed: npt.NDArray[np.bool_] | None = None
    free: bool = False
    _starts: npt.NDArray[np.int64] = field(init=False)
    _costs: npt.NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        taken = np.maximum(self.sizes, 1)
        costs = taken
        if self.failed is not None:
            taken = np.where(self.failed, 1, taken)
            costs = np.where(self.failed, 0, taken) if self.free else taken
        # The class is frozen: derived values are set once, here.
        object.__setattr__(self, "_starts", np.concatenate(([0], np.cumsum(taken))))
        object.__setattr__(self, "_costs", np.concatenate(([0], np.cumsum(costs))))

    def __len__(self) -> int:
        return int(self._starts[-1])

    def at(self, cursor: Cursor) -> int:
        """The position of the first item that is not before the cursor."""
        self.check(cursor)
        depth = len(cursor) - len(self.start)
        name, rest = cursor[:depth], cursor[depth:]
        key = name[0] if depth == 1 else name
        holder = self.holders.at(key)
        if holder == len(self.holders) or self.holders[holder] != key:
            return int(self._starts[holder])
        return int(self._starts[holder]) + self._within(holder, rest)

    def _within(self, holder: int, rest: Cursor) -> int:
        if self.failed is not None and self.failed[holder]:
            return 0
        size = int(self.sizes[holder])
        if size == 0:
            return int(rest != self.start)
        return min(size, self.inner(holder).at(rest))

    def cursor(self, position: int) -> Cursor:
        """The cursor of a page that begins here: its first item, or the start of a holder if that is its first item."""
        holder = int(np.searchsorted(self._starts, position, "right")) - 1
        name = self.holders[holder]
        fields = name if isinstance(name, tuple) else (name,)
        within = position - int(self._starts[holder])
        return (*fields, *(self.inner(holder).cursor(within) if within else self.start))

    def end(self, begin: int, limit: int) -> int:
        """The position where the limit is spent; free holders behind it are on the next page."""
        if begin == len(self):
            return begin
        first = int(np.searchsorted(self._starts, begin, "right")) - 1
        most = int(self._costs[first]) + begin - int(self._starts[first]) + limit
        behind = int(np.searchsorted(self._costs, most, "left"))
        if behind > len(self.holders):
            return len(self)
        return int(self._starts[behind]) - (int(self._costs[behind]) - most)

    def reported(self, page: Page) -> slice:
        """The holders that a page reports; where each holder is one item, these are the items of the page."""
        first = int(np.searchsorted(self._starts, page.begin, "right")) - 1
        return slice(first, int(np.searchsorted(self._starts, page.end, "left")))

    def parts(self, page: Page) -> Iterator[Part]:
        """The parts of a page, holder by holder."""
        on = self.reported(page)
        first, last = on.start, on.stop
        starts = self._starts[first : last + 1].tolist()
        sizes = self.sizes if self.failed is None else np.where(self.failed, 0, self.sizes)
        for holder, size in enumerate(sizes[first:last].tolist(), first):
            start, end = starts[holder - first], starts[holder - first + 1]
            begin, end = max(page.begin, start), min(page.end, end)
            yield Part(holder, begin - start, end - start) if size else Part(holder, 0, 0)
