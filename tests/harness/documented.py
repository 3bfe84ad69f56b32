"""The fenced blocks of README.md and of docs, unchanged, so that tests run what the docs say."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SQL = ROOT / "docs" / "sql.md"
TUTORIAL = ROOT / "docs" / "tutorial.md"
QUESTIONS = ROOT / "docs" / "questions.md"
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
"""The pages that people write; the code writes the data dictionary, whose questions have a test of their own."""

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its first line, the language that its fence names (empty for none), and its text."""

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        """Page and line, such as docs/lake.md:25."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@cache
def blocks(page: Path) -> tuple[Block, ...]:
    text = page.read_text(encoding="utf-8")
    found = tuple(
        Block(page, text.count("\n", 0, match.start()) + 1, match[1], match[2]) for match in _FENCED.finditer(text)
    )
    assert 2 * len(found) == len(re.findall(r"^```", text, flags=re.MULTILINE)), f"{page}: a fence without an end"
    return found


def block_with(page: Path, words: str) -> Block:
    (found,) = [block for block in blocks(page) if words in block.text]
    return found
