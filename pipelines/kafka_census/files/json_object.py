"""The JSON object that a peer sent, whatever the peer sent."""

import json
from collections.abc import Mapping
from typing import Any

LONGEST_QUOTED = 300
"""Characters of a peer's words in a message. Longer words are left out: a part of a secret could not be hidden."""


def json_object(text: bytes) -> Mapping[str, Any]:
    """The object of a JSON text; empty for every other text, be it nested too deeply to be read."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def quoted(*words: object) -> str:
    """The words of a peer that are texts, in parentheses, to follow a message; empty without words."""
    said = ": ".join(" ".join(word.split()) for word in words if isinstance(word, str))
    if len(said) > LONGEST_QUOTED:
        said = f"in {len(said):,} characters"
    return f" ({said})" if said else ""
