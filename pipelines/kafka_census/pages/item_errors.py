"""Items that were refused: the page has no error and every key is answered, but the answer is an error.

Where a principal may not read an item, or its coordinator stays unavailable, the error is on the item, not on
its page. A walk declares the codes that are ordinary answers (`Walk.ordinary`); and where no node can answer for a
key (`Located.unowned`: a partition without a leader), the published row says so itself. Any other code is a
defect of the walk: one defect per code and, where any broker would not do, per broker. The defect says how many
items of how many were refused, and names one. An item refused for authorization counts as hidden, for any other
reason as missing (`policy`).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kafka_census.declarations.walk import Walk
from kafka_census.pages.header import Header, WalkName, latest
from kafka_census.pages.missing_read import MissingRead, of_items


@dataclass(frozen=True)
class Answered:
    """How many keys of a walk a broker answered with a code; code and name are None for ordinary answers."""

    walk: WalkName
    node_id: int
    code: int | None
    name: str | None
    count: int
    example: str


def suspects(headers: Iterable[Header], walks: Sequence[Walk]) -> list[Walk]:
    """The walks with an item whose code is no ordinary answer: only their items must be counted."""
    codes: defaultdict[WalkName, set[int]] = defaultdict(set)
    for pages in latest(headers).values():
        for page in pages:
            codes[page.walk].update(page.item_codes or ())
    return [walk for walk in walks if codes[walk.rpc, walk.scope] - walk.ordinary]


def item_errors(answered: Sequence[Answered], walks: Sequence[Walk]) -> Iterator[MissingRead]:
    """What is missing from these walks, by broker and code."""
    for walk in walks:
        mine = [one for one in answered if one.walk == (walk.rpc, walk.scope)]
        if not walk.asks_all_brokers and walk.located is None:
            yield from _refused(walk, None, mine)
            continue
        for node in sorted({one.node_id for one in mine}):
            yield from _refused(walk, node, [one for one in mine if one.node_id == node])


def _refused(walk: Walk, node: int | None, mine: Sequence[Answered]) -> Iterator[MissingRead]:
    every = sum(one.count for one in mine)
    names = {one.code: one.name or f"ERROR_{one.code}" for one in mine if one.code is not None}
    for code, name in sorted(names.items()):
        failed = [one for one in mine if one.code == code]
        count, example = sum(one.count for one in failed), min(one.example for one in failed)
        reason = of_items(count, every, name, example)
        yield MissingRead(walk.rpc, node, name, reason, walk.scope, "item_errors", code)
