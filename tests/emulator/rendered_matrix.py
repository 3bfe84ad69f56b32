"""The fault matrix as a page of the documentation: `python -m emulator.rendered_matrix > docs/fault-matrix.md`."""

from collections.abc import Mapping

from emulator.fault_matrix import FAULTS, Cell, Fault, cells, row
from kafka_census.tables.landed import LANDED, Landed

Matrix = Mapping[Fault, Mapping[Cell, str]]

MARKS = {"healed": "+", "refused": "x", "told": "i", "gate": "g", "short": "~"}
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
NAMED = 17

BEFORE = """\
# Every fault, every RPC

What becomes of each walk of a census when a broker misbehaves: our client walks an
emulated broker that has the fault, and what it landed is compared with the same walk on a
calm day. `tests/emulator/test_fault_matrix.py` runs all of it, holds each cell against a
rule, and fails where this page says something else; `PYTHONPATH=tests python -m
emulator.rendered_matrix > docs/fault-matrix.md` writes it anew.
"""

LEGEND = """\
+ healed: all items, each once     x refused: the walk ends in an error page
g refused by the gate: listed keys that nothing answers, a chain that is not whole
i told on the items: each key that lacks its answer has a row with the code
~ short, see below   * from then on at every page; else once   (blank) cannot be
"""

AFTER = """\
## Where it is short

`lose_page` answers with the page after the one that was asked for, and says nothing. Its
cursors are in order, its items are true, and some are not there.

- A page names its first item in its cursor. A page without that item is asked for
  once more: so a page that was lost once is healed, and an item that is really gone costs
  one request. Where a broker loses a page every time, its answers are those of a broker
  that has not got these items: no reader can tell one from the other by this RPC.
- The first page has no cursor that names its first item.
- Walks by key are refused by the gate when a key was lost as a whole. DescribeGroups,
  ConsumerGroupDescribe, OffsetFetch and DescribeProducers cut a key between two pages: the
  first items of the first key may be lost without a trace. DescribeTopicPartitions
  numbers its items from 0, so that none can.
- Topics that Metadata lost are seen where DescribeLogDirs tells of their replicas: the
  gate's visibility rule compares the two.

A page that comes again with the next one (`double_page`) is refused, since what comes
twice may be older than what is by now.

Moved coordinators are judged at the broker that is asked. A group that moves, during the
listing, to a broker that was listed before is in neither list, as with real brokers.
"""


def matrix() -> Matrix:
    """All rows."""
    return {fault: row(fault) for fault in FAULTS}


def table(found: Matrix) -> str:
    """The matrix itself, in two parts of at most 80 columns, with its legend."""
    blocks = _blocks()
    first, *others = blocks
    parts = [_part(found, {title: blocks[title] for title in titles}) for titles in ([first], others)]
    return "\n".join([*parts[0], "", *parts[1], "", LEGEND, *_walks()])


def _part(found: Matrix, blocks: Mapping[str, list[Cell]]) -> list[str]:
    heads = [f"{title:<{len(block)}}" for title, block in blocks.items()]
    letters = ["".join(_letter(cell.walk) for cell in block) for block in blocks.values()]
    lines = [_line("", heads), _line("", letters)]
    for fault, outcomes in found.items():
        marks = ["".join(_mark(outcomes.get(cell)) for cell in block) for block in blocks.values()]
        if any(map(str.strip, marks)):
            lines.append(_line(str(fault), marks))
    return lines


def page(found: Matrix) -> str:
    """All of `docs/fault-matrix.md`."""
    refusals = "\n".join(f"| {fault} | {', '.join(codes)} |" for fault, codes in _refusals(found).items())
    errors = f"## The error pages\n\n| fault | error |\n|---|---|\n{refusals}\n"
    return "\n".join([BEFORE, f"```\n{table(found)}\n```\n", errors, AFTER])


def _blocks() -> dict[str, list[Cell]]:
    def those(page: int, *, kip_1062: bool) -> list[Cell]:
        chosen = [cell for cell in cells() if (cell.page > 0, cell.kip_1062) == (page > 0, kip_1062)]
        return sorted(chosen, key=lambda cell: _order().index(cell.walk))

    return {
        "at the first page": those(0, kip_1062=True),
        "at a later page": those(1, kip_1062=True),
        "no KIP-1062": those(0, kip_1062=False),
    }


def _order() -> list[Landed]:
    """Walks that take several pages first."""
    several = {cell.walk for cell in cells() if cell.page}
    return sorted(LANDED, key=lambda walk: (walk not in several, LANDED.index(walk)))


def _letter(walk: Landed) -> str:
    return LETTERS[_order().index(walk)]


def _mark(outcome: str | None) -> str:
    return " " if outcome is None else MARKS[outcome.partition(":")[0]]


def _line(name: str, blocks: list[str]) -> str:
    return f"{name:<{NAMED}} {' '.join(blocks)}".rstrip()


def _walks() -> list[str]:
    return [f"{_letter(walk)} {walk.rpc}, {walk.scope}" for walk in _order()]


def _refusals(found: Matrix) -> dict[Fault, list[str]]:
    told = {
        fault: sorted({one.partition(": ")[2] for one in outcomes.values() if one.startswith("refused")})
        for fault, outcomes in found.items()
    }
    return {fault: codes for fault, codes in told.items() if codes}


if __name__ == "__main__":
    print(page(matrix()), end="")
