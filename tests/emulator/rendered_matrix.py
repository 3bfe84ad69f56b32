"""The fault matrix as a page of the documentation: `python -m emulator.rendered_matrix > docs/fault-matrix.md`."""

from collections.abc import Mapping
from functools import cache

from emulator.fault_matrix import FAULTS, Cell, Fault, cells, met
from emulator.fault_rules import rule
from kafka_census.declarations.walk import Walk
from kafka_census.declarations.walks import WALKS

Matrix = Mapping[Fault, Mapping[Cell, str]]

MARKS = {"healed": "+", "refused": "x", "reported": "i", "gate": "g", "short": "~"}
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
NAMED = 17

BEFORE = """\
# Every fault, every RPC

What becomes of each walk of a census when a broker misbehaves: our client walks an
emulated broker that has the fault, and what it landed is compared with the same walk on a
calm day. Each fault has a rule for all walks, and the page shows what follows from the rules.
`tests/emulator/test_fault_matrix.py` holds them: it runs every fault against a walk of each
kind and every walk against four faults, and fails where this page says something else;
`PYTHONPATH=tests python -m emulator.rendered_matrix > docs/fault-matrix.md` writes it anew.
"""

LEGEND = """\
+ healed: all items, each once     x refused: the walk ends in an error page
g refused by the gate: listed keys that nothing answers, a chain that is not whole
i reported on the items: each key that lacks its answer has a row with the code
~ short (none is)    * from then on at every page; else once   (blank) cannot be
"""

AFTER = """\
## Pages that are not the right ones

`lose_page` answers with the page after the one that was asked for, and says nothing. Its
cursors are in order, its items are true, and some are not there.

- A page names its first item in its cursor. A page that begins with another, and every page
  that has no cursor to name one, is proven by one small request: a page of a single item, from
  the same position, must begin as it does. Else it is asked for again, until it has the item that
  the shorter one began with (which may be new) or both begin alike. A page that was lost once
  is healed so, and an item that is really gone costs one request.
- A broker that loses a page every time loses a single item of the shorter page, too: the two
  never begin alike, and the walk is refused. That needs pages of two items or more.
- Where a key is answered as a whole, one that is lost is missed: DescribeTransactions and
  ListOffsets are asked for it again, the gate refuses where nothing answers it.
- DescribeTopicPartitions numbers its items from 0, so that none can be lost.

`double_page` brings a page once more, with the next one: it does not begin where it should,
and is asked for again. What comes twice all the same is refused, since it may be older than
what is by now.

Moved coordinators are judged at the broker that is asked. A group that moves, during the
listing, to a broker that was listed before is in neither list, as with real brokers.
"""


def matrix() -> Matrix:
    return {fault: {cell: rule(fault)(cell, fault) for cell in met(fault)} for fault in FAULTS}


def page(found: Matrix) -> str:
    refusals = "\n".join(f"| {fault} | {', '.join(codes)} |" for fault, codes in _refusals(found).items())
    errors = f"## The error pages\n\n| fault | error |\n|---|---|\n{refusals}\n"
    return "\n".join([BEFORE, f"```\n{_table(found)}\n```\n", errors, AFTER])


def _table(found: Matrix) -> str:
    """The matrix itself, in two parts of at most 80 columns, with its legend."""
    first, *others = _blocks().items()
    walks = [f"{letter} {walk.rpc}, {walk.scope}" for walk, letter in _letters().items()]
    return "\n".join([*_part(found, dict([first])), "", *_part(found, dict(others)), "", LEGEND, *walks])


@cache
def _letters() -> Mapping[Walk, str]:
    """Walks that take several pages come first."""
    several = {cell.walk for cell in cells() if cell.page}
    order = sorted(WALKS, key=lambda walk: (walk not in several, WALKS.index(walk)))
    return dict(zip(order, LETTERS, strict=False))


def _blocks() -> dict[str, list[Cell]]:
    ways = {"at the first page": (False, True), "at a later page": (True, True), "no KIP-1062": (False, False)}
    return {
        title: sorted(
            (cell for cell in cells() if (cell.page > 0, cell.kip_1062) == way),
            key=lambda cell: list(_letters()).index(cell.walk),
        )
        for title, way in ways.items()
    }


def _part(found: Matrix, blocks: Mapping[str, list[Cell]]) -> list[str]:
    heads = [f"{title:<{len(block)}}" for title, block in blocks.items()]
    letters = ["".join(_letters()[cell.walk] for cell in block) for block in blocks.values()]
    lines = [_line("", heads), _line("", letters)]
    for fault, outcomes in found.items():
        marks = ["".join(_mark(outcomes.get(cell)) for cell in block) for block in blocks.values()]
        if any(map(str.strip, marks)):
            lines.append(_line(str(fault), marks))
    return lines


def _mark(outcome: str | None) -> str:
    return " " if outcome is None else MARKS[outcome.partition(":")[0]]


def _line(name: str, blocks: list[str]) -> str:
    return f"{name:<{NAMED}} {' '.join(blocks)}".rstrip()


def _refusals(found: Matrix) -> dict[Fault, list[str]]:
    reported = {
        fault: sorted({one.partition(": ")[2] for one in outcomes.values() if one.startswith("refused")})
        for fault, outcomes in found.items()
    }
    return {fault: codes for fault, codes in reported.items() if codes}


if __name__ == "__main__":
    print(page(matrix()), end="")
