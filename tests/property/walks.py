"""The 14 RPCs that page by cursor, as walks: what names a row, what the limit counts, and KIP-1062's order of rows."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from kafka_census.kafka.paging.page import Page
from kafka_census.kafka.paging.rpc import Api, Row, Rpc
from kafka_census.kafka.rpc import rpc as rpc_named

Kind = Literal["group", "partition", "topic", "transaction"]
Name = tuple[Any, ...]

TOPIC_AUTHORIZATION_FAILED = 29
RESOURCE_TYPES = ("topic", "group", "cluster", "transactional_id", "delegation_token", "user")
"""In the order of their numbers."""


@dataclass(frozen=True)
class PagedWalk:
    """One walk.

    keys      what its keys are; None: it asks for everything
    name      the columns that name a row
    position     where KIP-1062 puts a row, its names in UTF-16
    counted   what of a row the limit counts: rows with the same value count once, None costs nothing
    versions  of the API without the feature, and with it; DescribeTopicPartitions has one
    """

    rpc: str
    scope: str
    keys: Kind | None
    name: tuple[int, ...]
    position: Callable[[Row], Any]
    counted: Callable[[Row], Any]
    versions: tuple[int, int]

    def __str__(self) -> str:
        return f"{self.rpc} by {self.keys}" if self.keys else self.rpc

    @property
    def of(self) -> Rpc:
        return rpc_named(self.rpc, self.scope)

    @property
    def by_cursor(self) -> Api:
        return self.of.apis[0]

    def names(self, pages: Iterable[Page]) -> Counter[Name]:
        return Counter(tuple(row[column] for column in self.name) for page in pages for row in page.rows)

    def cost(self, rows: Iterable[Row]) -> int:
        """How much of the limit these rows take; those with an error, too, but in KIP-966's handler."""
        error = self.of.error_column if self.rpc == "DescribeTopicPartitions" else None
        counted = {self.counted(row) for row in rows if error is None or not row[error]}
        return len(counted - {None})

    def without_drafts(self, page: Page) -> Page:
        """A page without KIP-637's column, which only the draft's versions fill."""
        return replace(page, rows=tuple(row[:-1] for row in page.rows)) if self.rpc == "Metadata" else page

    def key(self, row: Row) -> str:
        return self.by_cursor.key(row)

    def codes(self, pages: Iterable[Page]) -> dict[str, list[int]]:
        """The error codes of the rows that each key has, in their order."""
        found: dict[str, list[int]] = {}
        error = self.of.error_column
        for row in (row for page in pages for row in page.rows):
            found.setdefault(self.key(row), []).append(0 if error is None else row[error])
        return found


def linked(pages: list[Page]) -> None:
    """Each page begins where the page before said, without errors, and only the last says that there is no more."""
    assert [(page.error_code, page.error_message) for page in pages] == [(0, None)] * len(pages)
    assert [page.page_no for page in pages] == list(range(pages[0].page_no, pages[0].page_no + len(pages)))
    assert [page.request_cursor for page in pages[1:]] == [page.next_cursor for page in pages[:-1]]
    assert [page.next_cursor is None for page in pages] == [False] * (len(pages) - 1) + [True]


def rows_of(pages: Iterable[Page]) -> list[str]:
    """All rows, comparable whatever their order: a page groups its rows in its own way."""
    return sorted(repr(row) for page in pages for row in page.rows)


def in_order(walk: PagedWalk, pages: list[Page]) -> bool:
    """Whether no row of a page belongs before one of the page before: within a page rows are grouped."""
    positions = [position for page in pages for position in sorted(map(walk.position, page.rows))]
    return positions == sorted(positions)


def _by(order: str) -> Callable[[Row], Any]:
    """Positions by these columns, `-1` descending; null is the beginning of a group or a topic, with `~` the end."""
    columns = [(int(one.strip("-~")), one[0] == "-", (2,) if one[-1] == "~" else (0,)) for one in order.split()]

    def position(row: Row) -> Any:
        return tuple(null if row[column] is None else (1, _rank(row[column], down)) for column, down, null in columns)

    return position


def _rank(value: Any, descending: bool) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-be", "surrogatepass")
    return -value if descending else value


def _described_partition(row: Row) -> Any:
    """KIP-966's handler tells denied topics on its first page, whatever their position."""
    return () if row[3] == TOPIC_AUTHORIZATION_FAILED else _by("0 4")(row)


def _acl(row: Row) -> Any:
    return _rank(row[1], False), RESOURCE_TYPES.index(row[0]), row[2]


def _columns(*columns: int) -> Callable[[Row], Any]:
    return lambda row: tuple(row[column] for column in columns)


def _counted_replica(row: Row) -> Any:
    return None if row[4] is None else (row[0], row[4], row[5])


PAGED_WALKS = (
    PagedWalk("OffsetFetch", "groups", "group", (0, 2, 3), _by("0 2 3"), _columns(0, 2, 3), (9, 11)),
    PagedWalk("DescribeLogDirs", "log_dirs", None, (0, 4, 5), _by("4~ 5 0"), _counted_replica, (5, 6)),
    PagedWalk("ListPartitionReassignments", "cluster", None, (0, 1), _by("0 1"), _columns(0, 1), (0, 1)),
    PagedWalk("ListOffsets", "latest", "partition", (0, 1), _by("0 1"), _columns(0, 1), (11, 12)),
    # A row is a topic, returned with its last partition: its share of the limit is on other pages, too.
    PagedWalk("Metadata", "names", None, (0,), _by("0"), lambda _row: None, (13, 15)),
    PagedWalk("DescribeProducers", "partitions", "partition", (0, 1, 4), _by("0 1 -4"), _columns(0, 1, 4), (0, 1)),
    PagedWalk("ListTransactions", "transactions", None, (0, 1), _by("-1 0"), _columns(0), (2, 3)),
    PagedWalk("DescribeTransactions", "transactional_ids", "transaction", (0, 7, 8), _by("-5~ 0"), _columns(0), (0, 1)),
    PagedWalk("ListGroups", "groups", None, (0,), _by("0"), _columns(0), (5, 6)),
    PagedWalk("DescribeGroups", "groups", "group", (0, 6), _by("0 6"), _columns(0, 6), (6, 7)),
    PagedWalk("ConsumerGroupDescribe", "groups", "group", (0, 7), _by("0 7"), _columns(0, 7), (1, 2)),
    PagedWalk("DescribeAcls", "acls", None, tuple(range(7)), _acl, _columns(0, 1, 2), (3, 4)),
    PagedWalk("DescribeConfigs", "topics", "topic", (1, 4), _by("1"), _columns(1), (4, 5)),
    PagedWalk("DescribeTopicPartitions", "topics", "topic", (0, 4), _described_partition, _columns(0, 4), (0, 0)),
)
"""The 13 of KIP-1062, in its order, and KIP-966's."""

NAMED_REASSIGNMENTS = replace(PAGED_WALKS[2], keys="partition")
"""The same RPC, asked by topics and their partitions; what does not move has no row."""
