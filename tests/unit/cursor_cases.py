"""The 13 RPCs of KIP-1062 as walks: what a broker has, what is asked for, and which columns name a row."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from harness import paging_groups as groups
from harness import paging_rpcs as rpcs
from harness.paging_broker import Item, Paged, Pages
from harness.standin import StandIn
from kafka_census.paging.page import Page
from kafka_census.rpc import rpc as rpc_named
from unit.walking import QUICK, walk

PLAIN = ("a", "b", "c")

REFUSED = 29
TOPIC, GROUP = 2, 3
LITERAL, PREFIXED = 3, 4

Keys = tuple[str, ...]
Names = tuple[str, str, str]


@dataclass(frozen=True)
class Case:
    """One walk.

    holds     the broker's items, and the keys that are asked for, not in their order, of three names
    identity  the columns that name a row
    unit      the columns that name what the limit counts
    versions  without the feature, and with it
    """

    paged: Paged
    rpc: str
    scope: str
    holds: Callable[[Names], tuple[list[Item], Keys]]
    identity: tuple[int, ...]
    unit: tuple[int, ...]
    versions: tuple[int, int]
    names: Names = PLAIN

    def __str__(self) -> str:
        """How pytest names it."""
        return self.rpc

    @property
    def items(self) -> list[Item]:
        """What the broker has."""
        return self.holds(self.names)[0]

    @property
    def keys(self) -> Keys:
        """What is asked for; empty where that is everything."""
        return self.holds(self.names)[1]

    @property
    def pages(self) -> Pages:
        """A broker's pages of all that."""
        return Pages({self.paged: self.items})

    def walk(self, broker: StandIn, limit: int = 2, **chain: Any) -> list[Page]:
        """The pages of this walk at a broker."""
        collect = chain.pop("collect", QUICK)
        return walk(
            broker, self.rpc, self.scope, chain.pop("keys", self.keys), replace(collect, page_limit=limit), **chain
        )

    def name(self, row: Any) -> tuple[Any, ...]:
        """What a row is about."""
        return tuple(row[column] for column in self.identity)

    def names_of(self, pages: Iterable[Page]) -> Counter[tuple[Any, ...]]:
        """What the rows of pages are about, and how often."""
        return Counter(self.name(row) for page in pages for row in page.rows)

    def units(self, page: Page) -> int:
        """How much of the limit a page's rows take: rows with an error take nothing, nor do dirs without replicas."""
        error = rpc_named(self.rpc, self.scope).error_column
        counted = [row for row in page.rows if error is None or not row[error]]
        if self.rpc == "DescribeLogDirs":
            counted = [row for row in counted if row[4] is not None]
        return len({tuple(row[column] for column in self.unit) for row in counted})


def linked(pages: list[Page]) -> None:
    """Each page begins where the page before said, without errors, and only the last says that there is no more."""
    assert [page.error_code for page in pages] == [0] * len(pages), pages[-1].error_message
    assert [page.request_cursor for page in pages[1:]] == [page.next_cursor for page in pages[:-1]]
    assert [page.next_cursor is None for page in pages] == [False] * (len(pages) - 1) + [True]


def rows_of(pages: Iterable[Page]) -> list[str]:
    """All rows, comparable whatever their order: a page groups its rows in its own way."""
    return sorted(repr(row) for page in pages for row in page.rows)


def _offsets_of_groups(names: Names) -> tuple[list[Item], Keys]:
    a, b, c = names
    places = [(a, a, 0), (a, a, 1), (a, b, 0), (a, c, 0), (a, c, 7), (c, a, 0), (c, c, 0), (c, c, 1)]
    return [*map(Item, places), Item((b + "!", "", 0), code=30)], (c, b + "!", b, a)


def _replicas(names: Names) -> tuple[list[Item], Keys]:
    a, b, c = names
    places = [(a, 0, "/d1"), (a, 0, "/d2"), (a, 1, "/d2"), (b, 0, "/d1"), (c, 0, "/d3"), (c, 1, "/d1"), (c, 2, "/d2")]
    places += [(c, 10, "/d3")]
    dirs = [Item(("", -1, "/empty"), bare=True), Item(("", -1, "/gone"), code=56)]
    return [*map(Item, places), *dirs], ()


def _partitions(names: Names) -> list[Item]:
    a, b, c = names
    return [Item(place) for place in [(a, 0), (a, 1), (a, 2), (b, 0), (c, 0), (c, 1), (c, 3), (c, 10)]]


def _moving(names: Names) -> tuple[list[Item], Keys]:
    return _partitions(names), ()


def _led(names: Names) -> tuple[list[Item], Keys]:
    items = [*_partitions(names), Item((names[1], 4), code=REFUSED)]
    return items, tuple(f"{item.place[0]}/{item.place[1]}" for item in reversed(items))


def _topics(names: Names) -> tuple[list[Item], Keys]:
    sizes = zip(names, (3, 1, 4), strict=True)
    return [
        *(Item((name, n)) for name, size in sizes for n in range(size)),
        Item((names[1] + "!", 0), code=REFUSED),
    ], ()


def _producers(names: Names) -> tuple[list[Item], Keys]:
    a, b, c = names
    places = [(a, 0, 9), (a, 0, 7), (a, 0, 5), (b, 0, 2**40), (b, 0, 0), (c, 0, 8), (c, 3, 9), (c, 3, 7)]
    refused = Item((c, 1, rpcs.BEGINNING), code=REFUSED)
    return [*map(Item, places), refused], (f"{c}/3", f"{c}/1", f"{c}/0", f"{b}/0", f"{a}/1", f"{a}/0")


def _listed_transactions(names: Names) -> tuple[list[Item], Keys]:
    a, b, c = names
    places = [(a, 9), (b, 9), (c, 9), (c + "2", 8), (b + "2", 7), (c + "4", 6), (b + "4", 2**40), (a + "2", 1)]
    return [Item(place) for place in places], ()


def _transactions(names: Names) -> tuple[list[Item], Keys]:
    items, _ = _listed_transactions(names)
    held = [replace(item, of=((names[0], (0, 1)), (names[1], (5,)))[: 1 + n % 2]) for n, item in enumerate(items)]
    held += [Item((names[0] + "3", 0)), Item((names[1] + "3", groups.NO_PRODUCER), code=53)]
    return held, tuple(str(item.place[0]) for item in reversed(held))


def _group_ids(names: Names) -> tuple[list[Item], Keys]:
    return [Item((name + more,)) for name in names for more in ("", "2", "3")], ()


def _members(names: Names) -> tuple[list[Item], Keys]:
    a, b, c = names
    places = [(a, a), (a, b), (a, c), (b + "2", a), (c, a), (c, b), (c, c)]
    return [*map(Item, places), Item((a + "!", ""), code=30)], (c, b, b + "2", a + "!", a)


def _acls(names: Names) -> tuple[list[Item], Keys]:
    a, b, c = names
    places = [(name, kind, pattern) for name in (a, b, c) for kind in (TOPIC, GROUP) for pattern in (LITERAL, PREFIXED)]
    return [Item(place, of=("User:x", "User:y")[: 1 + n % 2]) for n, place in enumerate(places)], ()


def _configs(names: Names) -> tuple[list[Item], Keys]:
    config = (("min.insync.replicas", "2"),)
    items = [Item((name + more, TOPIC), of=config) for name in names for more in ("", "2", "3")]
    items += [Item((names[0] + "!", TOPIC), code=REFUSED), Item((names[0] + "4", TOPIC))]
    return items, tuple(str(item.place[0]) for item in reversed(items))


CASES = (
    Case(
        groups.OFFSET_FETCH,
        "OffsetFetch",
        "groups",
        _offsets_of_groups,
        (0, 2, 3),
        (0, 2, 3),
        (9, 11),
    ),
    Case(
        rpcs.DESCRIBE_LOG_DIRS,
        "DescribeLogDirs",
        "log_dirs",
        _replicas,
        (0, 4, 5),
        (0, 4, 5),
        (5, 6),
    ),
    Case(rpcs.LIST_PARTITION_REASSIGNMENTS, "ListPartitionReassignments", "cluster", _moving, (0, 1), (0, 1), (0, 1)),
    Case(rpcs.LIST_OFFSETS, "ListOffsets", "latest", _led, (0, 1), (0, 1), (11, 12)),
    Case(rpcs.METADATA, "Metadata", "names", _topics, (0,), (0,), (13, 14)),
    Case(
        rpcs.DESCRIBE_PRODUCERS,
        "DescribeProducers",
        "partitions",
        _producers,
        (0, 1, 4),
        (0, 1, 4),
        (0, 1),
    ),
    Case(groups.LIST_TRANSACTIONS, "ListTransactions", "transactions", _listed_transactions, (0, 1), (0, 1), (2, 3)),
    Case(
        groups.DESCRIBE_TRANSACTIONS,
        "DescribeTransactions",
        "transactional_ids",
        _transactions,
        (0, 7, 8),
        (0,),
        (0, 1),
    ),
    Case(groups.LIST_GROUPS, "ListGroups", "groups", _group_ids, (0,), (0,), (5, 6)),
    Case(groups.DESCRIBE_GROUPS, "DescribeGroups", "groups", _members, (0, 6), (0, 6), (6, 7)),
    Case(
        groups.CONSUMER_GROUP_DESCRIBE,
        "ConsumerGroupDescribe",
        "groups",
        _members,
        (0, 7),
        (0, 7),
        (1, 2),
    ),
    Case(rpcs.DESCRIBE_ACLS, "DescribeAcls", "acls", _acls, tuple(range(7)), (0, 1, 2), (3, 4)),
    Case(
        rpcs.DESCRIBE_CONFIGS,
        "DescribeConfigs",
        "topics",
        _configs,
        (0, 1, 4),
        (1,),
        (4, 5),
    ),
)
"""One of each of `harness.paging_groups.PAGED`."""


def case_of(paged: Paged) -> Case:
    """The case of one RPC."""
    (case,) = [case for case in CASES if case.paged is paged]
    return case
