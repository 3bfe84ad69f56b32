"""Validation errors as one line for a person, with the place and never with a secret.

`conf/census.yaml:12: unknown key 'page_limt' in collect; did you mean 'page_limit'?`
"""

import difflib
from collections.abc import Sequence

from pydantic import ValidationError

from kafka_census.config.source import Path, Source

_SILENT = {"sasl", "ssl", "password", "bootstrap_servers"}
"""Below these keys a value is never quoted: it may be a secret in the wrong place."""

_QUOTED_AT_MOST = 40


def suggestion(word: str, known: Sequence[str]) -> str:
    """`did you mean 'x'?` when something is near, else what is known."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.7)
    return f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known) or 'none'}"


def one_line(error: ValidationError, source: Source, known: dict[Path, Sequence[str]]) -> str:
    """The first of the errors, in the order of the file; `known` are the keys of each section."""
    lines = []
    for each in error.errors(include_url=False):
        path: Path = tuple(part for part in each["loc"] if isinstance(part, str))
        where, name = source.place(path), ".".join(path) or "the file"
        section = ".".join(path[:-1])
        if each["type"] == "extra_forbidden":
            keys = known.get(tuple(path[:-1]), ())
            text = f"unknown key '{path[-1]}' in {section or 'the file'}; {suggestion(path[-1], keys)}"
        elif each["type"] == "missing":
            text = f"'{path[-1]}' is missing{f' in {section}' if section else ''}"
        elif each["type"] == "value_error":
            text = f"{name}: {each['ctx']['error']}{_quoted(path, each['input'])}"
        elif each["type"] in ("model_type", "model_attributes_type", "dict_type"):
            text = f"{name} must be a section with keys of its own"
        else:
            text = f"{name}{_expected(each['msg'])}{_quoted(path, each['input'])}"
        lines.append((_line_number(where), f"{where}: {text}"))
    first = min(range(len(lines)), key=lambda index: lines[index][0])
    more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
    return lines[first][1] + more


def _expected(message: str) -> str:
    """The sentence that pydantic gives, made to follow the key's name."""
    if message.startswith("Input should"):
        return " must" + message.removeprefix("Input should")
    return f": {message[0].lower()}{message[1:]}"


def _quoted(path: Path, value: object) -> str:
    """The value as it was given, where that is safe and short."""
    if _SILENT & set(path) or not isinstance(value, str | int | float) or len(str(value)) > _QUOTED_AT_MOST:
        return ""
    return f", not {value!r}"


def _line_number(place: str) -> int:
    """Line of a place; environment variables come first."""
    line = place.rpartition(":")[2]
    return int(line) if line.isdigit() else 0
