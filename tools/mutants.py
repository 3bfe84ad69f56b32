"""Mutants: which change of one operator does no test notice?

`python -m tools.mutants FILE` writes each other operator, whole number, True and False into a module of the package in
turn, and prints the test that fails, or that none does; the last line counts. `--count` takes so many, at random, and
the same ones again. `--tests` says what to run, such as what a census is needed for; else these are the test files that
are named after the module or import it. Exit code 1: a mutant survived.

The file is changed in place, since Spark's workers import it too, and is restored after each mutant. Kept libraries
(mutmut, cosmic-ray) run one command for all mutants; here the first failure ends a mutant.
"""

import argparse
import ast
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

TESTS = Path("tests")
# From the cheapest to the dearest; the others need brokers.
LEVELS = ("unit", "property", "golden", "tables", "spark", "emulator")
SECONDS = 1200

_PAIRS: tuple[tuple[tuple[type[ast.AST], str], tuple[type[ast.AST], str]], ...] = (
    ((ast.Lt, "<"), (ast.LtE, "<=")),
    ((ast.Gt, ">"), (ast.GtE, ">=")),
    ((ast.Eq, "=="), (ast.NotEq, "!=")),
    ((ast.Is, "is"), (ast.IsNot, "is not")),
    ((ast.In, "in"), (ast.NotIn, "not in")),
    ((ast.And, "and"), (ast.Or, "or")),
    ((ast.Add, "+"), (ast.Sub, "-")),
    ((ast.Mult, "*"), (ast.FloorDiv, "//")),
    ((ast.BitAnd, "&"), (ast.BitOr, "|")),
)
_OTHER = {kind: (text, other) for one, two in _PAIRS for (kind, text), (_, other) in ((one, two), (two, one))}
_REFUSED: dict[type[ast.AST], str] = {ast.Not: "not ", ast.Invert: "~"}

_Place = tuple[tuple[int, int], tuple[int, int]]


def mutants_of(source: bytes) -> Iterator[tuple[int, int, str]]:
    """Every mutant of a source: from which byte to which one it is another text, and that text."""
    lines = [0, *accumulate(len(line) for line in source.splitlines(keepends=True))]
    for (start, end), old, new in _changes(ast.parse(source)):
        place = slice(lines[start[0] - 1] + start[1], lines[end[0] - 1] + end[1])
        # Parentheses, line ends and comments may stand beside an operator.
        at = place.start + max(source[place].find(old.encode()), 0)
        if source[at:].startswith(old.encode()):
            yield at, at + len(old.encode()) if old else place.stop, new


def _changes(tree: ast.AST) -> Iterator[tuple[_Place, str, str]]:
    """(where to look, operator to find there or "" for all of it, what to write in its place)."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.Compare(left=left, ops=[op], comparators=[right])
                | ast.BoolOp(op=op, values=[left, right, *_])
                | ast.BinOp(left=left, op=op, right=right)
            ) if type(op) in _OTHER and not (isinstance(node, ast.BinOp) and _is_text(left, right)):
                yield (_end(left), _start(right)), *_OTHER[type(op)]
            case ast.UnaryOp(op=ast.Not() | ast.Invert() as op, operand=operand):
                yield (_start(node), _start(operand)), _REFUSED[type(op)], ""
            case ast.Constant(value=bool() | int() as value):
                yield (_start(node), _end(node)), "", str(not value if isinstance(value, bool) else value + 1)


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


def covering(file: Path) -> list[Path]:
    """The test files that are named after a module, then those that import it; of these, the cheapest first."""
    module = ".".join(file.with_suffix("").parts[1:]).removesuffix(".__init__")
    tests = [path for level in LEVELS for path in sorted((TESTS / level).rglob("test_*.py"))]
    found = [path for path in tests if path.stem == f"test_{file.stem}" or module in _imported(path)]
    return sorted(found, key=lambda path: path.stem != f"test_{file.stem}")


def _imported(path: Path) -> set[str]:
    """The modules that a file names, `from a import b` as `a` and `a.b`."""
    nodes = list(ast.walk(ast.parse(path.read_bytes())))
    named = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    sources = [(node.module, node.names) for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return named.union(*({name, *(f"{name}.{alias.name}" for alias in names)} for name, names in sources))


def failure(tests: Sequence[Path | str]) -> str:
    """The first test that fails, as pytest names it; empty where all pass."""
    command = [sys.executable, "-m", "pytest", "-xq", "-p", "no:cacheprovider", "-m", "not platform", *map(str, tests)]
    # A compiled mutant would be taken for the next one: as long, and of the same second.
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no end within {SECONDS} s"
    named = (line.partition(" - ")[0] for line in ended.stdout.splitlines() if line.startswith(("FAILED", "ERROR")))
    return next(named, f"exit code {ended.returncode}") if ended.returncode else ""


def main(arguments: Sequence[str]) -> int:
    """1 where a mutant survived."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="a module, such as pipelines/kafka_census/pages/page_chain.py")
    parser.add_argument("--count", type=int, default=sys.maxsize, help="so many mutants, chosen at random")
    parser.add_argument("--tests", nargs="+", help="what to run, in this order")
    given = parser.parse_args(arguments)
    source = given.file.read_bytes()
    tests = given.tests or covering(given.file)
    if not tests:
        parser.error("no test is named after the module or imports it: name some by --tests")
    if failed := failure(tests):
        parser.error(f"without a mutant, too: {failed}")
    every = list(mutants_of(source))
    chosen = sorted(random.Random(0).sample(every, min(given.count, len(every))))
    killed = 0
    for start, end, new in chosen:
        try:
            given.file.write_bytes(source[:start] + new.encode() + source[end:])
            failed = failure(tests)
        finally:
            given.file.write_bytes(source)
        killed += bool(failed)
        line, what = source.count(b"\n", 0, start) + 1, source[start:end].decode().strip()
        print(f"{given.file}:{line}: {what} -> {new.strip() or 'nothing'}: {failed or 'SURVIVED'}", flush=True)
    print(f"{killed} of {len(chosen)} killed")
    return int(killed < len(chosen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
