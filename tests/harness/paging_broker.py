"""A scripted broker that pages as `docs/kip-1062.md` says, from a sorted list of flat items an RPC.

`paging_broker(Pages({LIST_GROUPS: [Item(("a",)), Item(("b",))]}))` is a StandIn of it. One function pages all
of the RPCs that `harness.paging_rpcs` declares; it shares the messages with the client, and nothing else.
`Pages` may be changed during a walk, and its `on_page` may misbehave.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.standin import Script, StandIn

PAGINATION = "admin.pagination"
SERVER_LIMIT = 2000

Place = tuple[Any, ...]


@dataclass(frozen=True)
class Item:
    """One item in the order of its RPC.

    place  the cursor that names it, its fields in the KIP's order
    code   its error; then there is nothing else of it
    bare   it stands for a group, a partition or a dir that has nothing in it
    of     what there is of it that the place does not say, such as the partitions of a transaction
    """

    place: Place
    code: int = 0
    bare: bool = False
    of: tuple[Any, ...] = ()


def utf16(place: Place) -> Any:
    """The order of most cursors: field by field, names as Java's String.compareTo has them."""
    return tuple(one.encode("utf-16-be") if isinstance(one, str) else one for one in place)


def one_each(_item: Item) -> int:
    """What most items cost of the limit, errors too."""
    return 1


def everything(_request: Any) -> None:
    """For requests that name nothing."""


@dataclass(frozen=True, eq=False)
class Paged:
    """One RPC that pages.

    request  its class
    since    the first version with a cursor
    answer   items, in their order, as a response
    order    the sort key of a place
    cost     what an item costs of the limit
    named    the names in a request; None: it asks for everything
    name     the name that a place belongs to
    absent   the item of a name that has none
    start    how the cursor's last fields say that a group or a partition begins; empty where a page cannot cut one
    """

    request: Any
    since: int
    answer: Callable[[Sequence[Item]], Any]
    order: Callable[[Place], Any] = utf16
    cost: Callable[[Item], int] = one_each
    named: Callable[[Any], Iterable[Hashable] | None] = everything
    name: Callable[[Place], Hashable] = lambda place: place[0]
    absent: Callable[[Any], Item] = Item
    start: Place = ()

    def of(self, items: Iterable[Item], request: Any) -> list[Item]:
        """The items that a request is about, in order."""
        named = self.named(request)
        if named is not None:
            wanted = set(named)
            items = [item for item in items if self.name(item.place) in wanted]
            items += map(self.absent, wanted - {self.name(item.place) for item in items})
        return sorted(items, key=lambda item: self.order(item.place))

    def page(self, items: Iterable[Item], request: Any, server_limit: int) -> Any:
        """The answer to a request: whole at versions without a cursor, else a page."""
        ordered = self.of(items, request)
        if self.since > request.API_VERSION:
            return self.answer(ordered)
        left = max(1, min(request.response_pagination_limit, server_limit))
        place = None if request.cursor is None else tuple(request.cursor)
        end = begin = sum(self._is_before(item, place) for item in ordered)
        while end < len(ordered) and self.cost(ordered[end]) <= left:
            left -= self.cost(ordered[end])
            end += 1
        response = self.answer(ordered[begin:end])
        if end < len(ordered):
            follows = self._cursor(ordered[end - 1], ordered[end])
            response.next_cursor = response.Cursor(**dict(zip(response.Cursor.fields, follows, strict=True)))
        return response

    def _is_before(self, item: Item, place: Place | None) -> bool:
        """Whether a page that begins here leaves an item out; not the error of what the page would go on with."""
        if place is None or (item.code and self.start and self._holder(item.place) == self._holder(place)):
            return False
        return bool(self.order(item.place) < self.order(place))

    def _cursor(self, before: Item, first: Item) -> Place:
        """The cursor of a page: its first item, or the beginning of what that is the first of."""
        holder = self._holder(first.place)
        goes_on = not self.start or self._holder(before.place) == holder
        return first.place if goes_on else holder + self.start

    def _holder(self, place: Place) -> Place:
        """The group or the partition that a place is in."""
        return place[: len(place) - len(self.start)]


OnPage = Callable[[int, Any, Callable[[], Any]], Any]


def honest(_number: int, _request: Any, answer: Callable[[], Any]) -> Any:
    """What a broker does that does not misbehave."""
    return answer()


@dataclass
class Pages:
    """What a broker has of each RPC, and how it gives that.

    state         the items; tests change them during a walk
    server_limit  the broker's own limit, told to nobody
    on_page       called with how many paged requests of the RPC came before, the request, and what makes the
                  honest answer from the state as it is then; it returns that answer, another, or an Act
    """

    state: dict[Paged, list[Item]]
    server_limit: int = SERVER_LIMIT
    on_page: OnPage = honest
    asked: Counter[Paged] = field(default_factory=Counter)

    def script(self, paged: Paged) -> Script:
        """The script of one RPC."""

        def answer(request: Any, _before: int) -> Any:
            def honestly() -> Any:
                return paged.page(self.state[paged], request, self.server_limit)

            if paged.since > request.API_VERSION:
                return honestly()
            number = self.asked[paged]
            self.asked[paged] += 1
            return self.on_page(number, request, honestly)

        return answer


def paging_broker(pages: Pages, features: dict[str, int] | None = None, **options: Any) -> StandIn:
    """A broker that offers all versions of its RPCs, those with a cursor too, and by default the feature."""
    scripts = {paged.request: pages.script(paged) for paged in pages.state}
    return StandIn(scripts, features={PAGINATION: 1} if features is None else features, **options)
