"""The Python of docs/lake.md, as it stands there: what the docs say is what tests run."""

import re
from functools import cache
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "lake.md"


def blocks() -> list[str]:
    """The page's blocks of Python, in order."""
    return re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


@cache
def snippets() -> dict[str, Any]:
    """What the first block defines."""
    names: dict[str, Any] = {}
    exec(compile(blocks()[0], str(PAGE), "exec"), names)  # noqa: S102 - our own docs
    return names
