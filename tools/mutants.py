"""Mutants: does a test fail when one operator of the package is another one?

`python -m tools.mutants list` prints the mutants of a seed: the same source and seed give the same ones, spread evenly
over the rooms; `--beside TREE` leaves out the modules that another checkout has otherwise, so that both have the same
mutants. `run TREE` applies each to a checkout (one that nobody works in), runs the tests of that checkout that cover
the mutated module, and appends a JSON line per mutant: `killed` by which test, or `survived`. A run that was ended goes
on where it stopped; `--killers FILE` tries first what killed the mutant in another run. `compare BEFORE AFTER` prints
both shares, and the mutants that only the first run killed, each of which wants a test.

A module is covered by the test files that are named after it or import it, themselves or by a test helper; where there
is none, by those that import its folder's neighbours. Kept libraries (mutmut, cosmic-ray) run one command for all
mutants, and start a Spark session for each; here unit tests come first, and the first failure ends a mutant.
"""

import argparse
import ast
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from functools import cache
from itertools import accumulate
from pathlib import Path

PACKAGE = Path("pipelines/kafka_census")
ROOMS = (
    *("kafka/paging", "kafka/protocol", "landing", "pages", "tables", "census/gate", "census/publish", "deletion"),
    "lake",
)
# From the cheapest to the dearest; the others need brokers.
LEVELS = ("unit", "property", "golden", "spark", "emulator")
SECONDS = 900

# Each operator as it is written, and the other one.
_COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_JOINED: dict[type[ast.boolop], tuple[str, str]] = {ast.And: ("and", "or"), ast.Or: ("or", "and")}
_COMPUTED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
_REFUSED: dict[type[ast.unaryop], str] = {ast.Not: "not ", ast.Invert: "~"}


@dataclass(frozen=True)
class Mutant:
    """One change: the text between two offsets (UTF-8 bytes) of a file is another one."""

    file: str
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.old} -> {self.new or 'nothing'}"

    def applied(self, source: bytes) -> bytes:
        """The source with this change; ValueError where the source is not the one it was made from."""
        if source[self.start : self.end].decode() != self.old:
            raise ValueError(f"{self.file}:{self.line} is no longer {self.old!r}: list the mutants again")
        return source[: self.start] + self.new.encode() + source[self.end :]


def mutants_of(file: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a file: comparisons, `and`/`or`, `not`, `~`, arithmetic, whole numbers, True and False."""
    text = source.encode()
    lines = [0, *accumulate(len(line) for line in text.splitlines(keepends=True))]
    for line, (start, end), old, new in _changes(ast.parse(source)):
        place = slice(lines[start[0] - 1] + start[1], lines[end[0] - 1] + end[1])
        # Parentheses, line ends and comments may stand beside an operator.
        at = place.start + max(text[place].find(old.encode()), 0)
        if text[at:].startswith(old.encode()):
            yield Mutant(
                file, line, at, at + len(old.encode()) if old else place.stop, old or text[place].decode(), new
            )


_Place = tuple[tuple[int, int], tuple[int, int]]


def _changes(tree: ast.AST) -> Iterator[tuple[int, _Place, str, str]]:
    """(line, where to look, operator to find there or "" for all of it, other operator)."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                yield left.lineno, (_end(left), _start(right)), *_COMPARED[type(op)]
            case ast.BoolOp(op=op, values=[left, right, *_]):
                yield left.lineno, (_end(left), _start(right)), *_JOINED[type(op)]
            case ast.UnaryOp(op=ast.Not() | ast.Invert() as op, operand=operand):
                yield node.lineno, (_start(node), _start(operand)), _REFUSED[type(op)], ""
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _COMPUTED and not _is_text(left, right):
                yield left.lineno, (_end(left), _start(right)), *_COMPUTED[type(op)]
            case ast.Constant(value=bool() as value):
                yield node.lineno, (_start(node), _end(node)), "", str(not value)
            case ast.Constant(value=int() as value):
                yield node.lineno, (_start(node), _end(node)), "", str(value + 1)


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _is_text(*nodes: ast.expr) -> bool:
    """Whether text, lists or types are joined: another operator would fail wherever it is."""
    return any(
        isinstance(node, ast.JoinedStr | ast.List | ast.Tuple)
        or (isinstance(node, ast.Constant) and not isinstance(node.value, int))
        or (isinstance(node, ast.Name) and (node.id in {"str", "int", "bool", "bytes"} or node.id[0].isupper()))
        for node in nodes
    )


def chosen(tree: Path, seed: int, count: int, beside: Path | None = None) -> list[Mutant]:
    """As many mutants of each room, give or take one, chosen at random from what both trees have; in order of files."""
    mutants: list[Mutant] = []
    for number, room in enumerate(ROOMS):
        files = [path.relative_to(tree) for path in sorted((tree / PACKAGE / room).rglob("*.py"))]
        texts = {str(file): (tree / file).read_text() for file in files if _same(tree / file, (beside or tree) / file)}
        every = [mutant for file, text in texts.items() for mutant in mutants_of(file, text)]
        share = count // len(ROOMS) + (number < count % len(ROOMS))
        mutants += random.Random(f"{seed} {room}").sample(every, share)
    return sorted(mutants, key=lambda mutant: (mutant.file, mutant.start))


def _same(path: Path, other: Path) -> bool:
    return other.exists() and path.read_bytes() == other.read_bytes()


@cache
def _imported(path: Path) -> frozenset[str]:
    """The modules that a file names, `from a import b` as `a` and `a.b`."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(names)


def covering(tree: Path, file: str) -> list[str]:
    """The test files that cover a module of the package: those named after it, then the cheapest."""
    module = file.removeprefix("pipelines/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    room, _, name = module.rpartition(".")
    tests = [path for level in LEVELS for path in sorted((tree / "tests" / level).rglob("test_*.py"))]
    helpers = {
        ".".join(path.relative_to(tree / "tests").with_suffix("").parts): path
        for path in (tree / "tests").rglob("*.py")
        if not path.name.startswith("test_")
    }

    def names(path: Path) -> set[str]:
        return set(_imported(path)).union(*(_imported(helpers[helper]) for helper in _imported(path) & helpers.keys()))

    named = [path for path in tests if path.stem.removeprefix("test_").removeprefix("suite_") == name]
    found = named + [path for path in tests if module in names(path) and path not in named]
    found = found or [path for path in tests if any(other.startswith(f"{room}.") for other in names(path))]
    return [str(path.relative_to(tree)) for path in found]


def tried(tree: Path, mutant: Mutant, killer: str = "") -> dict[str, object]:
    """What the tests say of a mutant, this one first if it is there; the checkout is as before afterwards."""
    path = tree / mutant.file
    source = path.read_bytes()
    tests = covering(tree, mutant.file)
    file, _, name = killer.partition("[")[0].partition("::")
    there = name and (tree / file).exists() and f"def {name}(" in (tree / file).read_text()
    try:
        path.write_bytes(mutant.applied(source))
        by = (_failure(tree, [f"{file}::{name}"]) if there else "") or _failure(tree, tests)
    finally:
        path.write_bytes(source)
    return asdict(mutant) | {"killed": bool(by), "by": by, "tests": tests}


def _failure(tree: Path, tests: list[str]) -> str:
    """The first test that fails, as pytest names it; empty where all pass."""
    options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-m", "not platform"]
    command = [".venv/bin/python", "-m", "pytest", *options, *tests]
    # A compiled mutant would be taken for the next one: as long, and of the same second.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no end within {SECONDS} s"
    if not ended.returncode:
        return ""
    named = (line for line in ended.stdout.splitlines() if line.startswith(("FAILED", "ERROR")))
    return next(named, f"exit code {ended.returncode}").partition(" - ")[0]


def run(tree: Path, mutants: list[Mutant], out: Path, killers: Path | None) -> None:
    """A line per mutant, appended to a file; those that it has are not tried again."""
    done = {_key(line) for line in _lines(out)}
    known = {_key(line): str(line["by"]).partition(" ")[2] for line in _lines(killers)} if killers else {}
    with out.open("a") as lines:
        for mutant in mutants:
            if _key(asdict(mutant)) in done:
                continue
            line = tried(tree, mutant, known.get(_key(asdict(mutant)), ""))
            print(json.dumps(line), file=lines, flush=True)
            print("killed  " if line["killed"] else "SURVIVED", mutant, line["by"], flush=True)


def compared(before: Path, after: Path) -> str:
    """Both shares, and what only the first run killed."""
    runs = [{_key(line): line for line in _lines(path)} for path in (before, after)]
    both = sorted(runs[0].keys() & runs[1].keys())
    shares = [sum(bool(one[key]["killed"]) for key in both) for one in runs]
    lost = [key for key in both if runs[0][key]["killed"] and not runs[1][key]["killed"]]
    lines = [f"{shares[0]} of {len(both)} killed before, {shares[1]} after"]
    lines += [f"only before: {_mutant(runs[0][key])} {runs[0][key]['by']}" for key in lost]
    return "\n".join(lines)


def _mutant(line: dict[str, object]) -> Mutant:
    return Mutant(**{field.name: line[field.name] for field in fields(Mutant)})  # type: ignore[arg-type]


def _key(line: dict[str, object]) -> tuple[str, int, str]:
    return str(line["file"]), int(str(line["start"])), str(line["new"])


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main(arguments: list[str]) -> int:
    """`list`, `run` and `compare`; 1 where a mutant that was killed before survives."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("list", "run"):
        command = commands.add_parser(name)
        command.add_argument("tree", type=Path, nargs="?", default=Path())
        command.add_argument("--seed", type=int, default=53)
        command.add_argument("--count", type=int, default=120)
        command.add_argument("--beside", type=Path)
        command.add_argument("--rooms", nargs="+", choices=ROOMS, default=ROOMS)
    commands.choices["run"].add_argument("--out", type=Path, required=True)
    commands.choices["run"].add_argument("--killers", type=Path)
    both = commands.add_parser("compare")
    both.add_argument("before", type=Path)
    both.add_argument("after", type=Path)
    given = parser.parse_args(arguments)
    if given.command == "compare":
        text = compared(given.before, given.after)
        print(text)
        return int("only before" in text)
    mutants = [
        mutant
        for mutant in chosen(given.tree, given.seed, given.count, given.beside)
        if Path(mutant.file).relative_to(PACKAGE).parts[0] in given.rooms
    ]
    if given.command == "run":
        run(given.tree, mutants, given.out, given.killers)
    else:
        for mutant in mutants:
            print(mutant)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
