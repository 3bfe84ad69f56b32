"""The fault matrix as a page: `PYTHONPATH=tests python -m emulator.rendered_matrix > docs/fault-matrix.md`.

Faults of which the same becomes share a row; what a fault does at a later page is listed where it differs.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from string import ascii_letters
from textwrap import fill

from emulator.fault_matrix import FAULTS, Cell, Fault, cells, met
from emulator.fault_rules import rule
from kafka_census.declarations.walk import Walk
from kafka_census.declarations.walks import WALKS

Matrix = Mapping[Fault, Mapping[Cell, str]]

MARKS = {"": " ", "healed": "+", "refused": "x", "reported": "i", "gate": "g", "short": "~"}
NAMED = 24

BEFORE = """\
# When a broker misbehaves

No fault makes a census shorter unnoticed: the client asks again, the walk ends in an error page, or each key without an
answer has a row. The [emulator](emulator.md) injects such faults:

```sh
python -m kafka_emulator --scenario rolling_restart
# bootstrap.servers=127.0.0.1:35551,127.0.0.1:39703,127.0.0.1:45755
```

A fault happens once, or with `*` at every page from then on; `(*)` is both.
"""

LEGEND = """\
+ healed: all items, each once   x refused: an error page   (blank) cannot be
i reported: a row for each key   g refused by the gate   ~ short
"""

AFTER = """\
## Pages that are not the right ones

`lose_page` answers with the page after the requested one, `double_page` repeats the page before. A page that does not
begin at its cursor, or has none, is compared with a page of one item, and requested again until both begin alike
(which needs pages of two items). Keys answered as a whole are requested again, or missed by the gate. A group that
moves during the listing to a broker that was listed before is in neither list, as with real brokers.
"""


def matrix() -> Matrix:
    return {fault: {cell: rule(fault)(cell, fault) for cell in met(fault)} for fault in FAULTS}


def page(found: Matrix) -> str:
    of_all, rows = {"+": "Healed", "x": "Refused"}, {}
    said = []
    for marks, faults in _alike(found).items():
        text = of_all.get("".join(sorted(set("".join(marks)))))
        if text:
            said.append(fill(f"- **{text} for every RPC:** {_named(faults)}.", 120, subsequent_indent="  "))
        else:
            rows[marks] = faults
    errors = "\n".join(f"| {code} | {_named(faults)} |" for code, faults in sorted(_refusals(found).items()))
    errors = f"## Error pages\n\n| error | after |\n|---|---|\n{errors}\n"
    return "\n".join([BEFORE, *said, f"\n## By RPC\n\n```\n{_table(rows)}\n```\n", errors, AFTER])


def _alike(found: Matrix) -> dict[tuple[str, ...], list[Fault]]:
    """Faults by their marks in each block."""
    alike = defaultdict(list)
    for fault, outcomes in found.items():
        words = ((outcomes.get(cell, "").partition(":")[0] for cell in block) for block in _blocks().values())
        alike[tuple("".join(MARKS[word] for word in block) for block in words)].append(fault)
    return alike


def _named(faults: Iterable[Fault]) -> str:
    """Such as `drop*, oversize (*), error 6*,7*`."""
    always: dict[str, list[bool]] = defaultdict(list)
    for fault in faults:
        always[fault.name].append(fault.always)
    names = (f"{name} (*)" if len(ways) > 1 else f"{name}*" if ways[0] else name for name, ways in always.items())
    return ", ".join(names).replace(", error ", ",")


def _table(rows: Mapping[tuple[str, ...], Iterable[Fault]]) -> str:
    """The matrix itself, at most 80 columns wide, with its legend."""
    first, later, whole = _blocks().values()
    letters = ["".join(_letters()[cell.walk] for cell in block) for block in (first, whole)]
    lines = [_line("", [f"{'with KIP-1062':<{len(first)}}", "without"]), _line("", letters)]
    for (at_first, at_later, of_whole), faults in rows.items():
        lines.append(_line(_named(faults), [at_first, of_whole]))
        others = zip(later, at_first, at_later, strict=False)
        differing = [f"{mark} at {_letters()[cell.walk]}" for cell, before, mark in others if mark != before]
        lines += [_line("  at a later page", differing)] if differing else []
    scopes: dict[str, list[str]] = defaultdict(list)
    for walk, letter in _letters().items():
        scopes[walk.rpc].append(f"{letter} {walk.scope}")
    walks = [f"{rpc}: {', '.join(found)}" for rpc, found in scopes.items()]
    return "\n".join([*lines, "", LEGEND, *walks])


@cache
def _letters() -> Mapping[Walk, str]:
    """Walks that take several pages come first."""
    several = {cell.walk for cell in cells() if cell.page}
    order = sorted(WALKS, key=lambda walk: (walk not in several, WALKS.index(walk)))
    return dict(zip(order, ascii_letters, strict=False))


@cache
def _blocks() -> dict[str, list[Cell]]:
    ways = {"at the first page": (False, True), "at a later page": (True, True), "no KIP-1062": (False, False)}
    return {
        title: sorted(
            (cell for cell in cells() if (cell.page > 0, cell.kip_1062) == way),
            key=lambda cell: list(_letters()).index(cell.walk),
        )
        for title, way in ways.items()
    }


def _line(name: str, blocks: list[str]) -> str:
    return f"{name:<{NAMED}} {' '.join(blocks)}".rstrip()


def _refusals(found: Matrix) -> dict[str, list[Fault]]:
    """Faults by the error of the pages that refuse them."""
    faults = defaultdict(list)
    for fault, outcomes in found.items():
        for code in {outcome.partition(": ")[2] for outcome in outcomes.values() if outcome.startswith("refused")}:
            faults[code].append(fault)
    return faults


if __name__ == "__main__":
    print(page(matrix()), end="")
