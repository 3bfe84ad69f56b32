"""What a public function of the package says of itself, as far as that can be read off its code."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "pipelines" / "kafka_census"
FRAMES = {"DataFrame", "DataFrame | None"}


def functions(tree: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """Public functions and methods, none that another function holds."""
    for each in tree.body:
        if isinstance(each, ast.ClassDef) and not each.name.startswith("_"):
            yield from functions(each)
        elif isinstance(each, ast.FunctionDef) and not each.name.startswith("_"):
            yield each


def raises(function: ast.FunctionDef) -> set[str]:
    """What it raises itself, by name; an error that is raised again is none."""
    raised = (each.exc for each in ast.walk(function) if isinstance(each, ast.Raise))
    return {each.func.id for each in raised if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)}


def modules() -> list[Path]:
    """All of the package."""
    return sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("module", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_public_function_says_what_it_raises_and_which_columns_it_returns(module: Path) -> None:
    """Its docstring has the word where it raises an error of its own, and names columns where it returns a frame."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    silent = []
    for function in functions(tree):
        said = ast.get_docstring(function) or ""
        if any(not name.startswith("_") for name in raises(function)) and "raise" not in said.lower():
            silent.append(f"{function.name} raises {raises(function)}")
        if function.returns and ast.unparse(function.returns) in FRAMES and not names_columns(said):
            silent.append(f"{function.name} returns a frame without saying of which columns")
    assert not silent


def names_columns(said: str) -> bool:
    """Whether columns are named, or where they are declared."""
    return "olumns" in said or "column " in said or "`" in said
