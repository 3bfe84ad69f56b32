"""Validation errors as one line each, with the location and without secrets.

`conf/census.yaml:12: unknown key 'page_limt' in collect; did you mean 'page_limit'?`
"""

import difflib
import re
from collections.abc import Iterable, Sequence

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from kafka_census.errors import ConfigError
from kafka_census.files.yaml_file import Path, Source

_SILENT = {"sasl", "ssl", "password", "bootstrap_servers", "webhook"}
"""Below these keys a value is never quoted, because it may be a secret under the wrong key."""

_QUOTED_AT_MOST = 40
_LISTED_AT_MOST = 20


def suggestion(word: str, known: Sequence[str]) -> str:
    """`did you mean 'x'?` when a known word is similar, else the list of known words."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.7)
    return f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known) or 'none'}"


def unknown_cluster(file: str, name: str, clusters: Iterable[str]) -> ConfigError:
    """The error for a cluster that the file does not have, with the names of its clusters."""
    names = sorted(clusters)
    near = suggestion(name, names)
    known = "" if near.startswith("known") else f" known: {', '.join(names)}"
    return ConfigError(f"{file}: no cluster '{name}' in clusters; {near}{known}")


def refused(source: Source, mistakes: Sequence[str]) -> ConfigError:
    """The error with all mistakes: those of the environment first, then those of the file by line."""
    at = re.compile(re.escape(source.name) + r":(\d+): ")
    ordered = sorted(mistakes, key=lambda mistake: int(match[1]) if (match := at.match(mistake)) else 0)
    more = len(ordered) - _LISTED_AT_MOST
    rest = [f"{source.name}: {more} more mistakes"] if more > 0 else []
    return ConfigError(*ordered[:_LISTED_AT_MOST], *rest)


def mistakes_in(error: ValidationError, source: Source, known: dict[Path, Sequence[str]]) -> list[str]:
    """One line per error; `known` holds the keys of each section.

    Errors that follow from a value that could not be read are left out, because that mistake is already reported.
    """
    return [
        _line(each, source, known)
        for each in error.errors(include_url=False)
        if not any(_within(each["loc"], path) or _within(path, each["loc"]) for path in source.unread)
    ]


def _within(path: Path, section: Path) -> bool:
    return path[: len(section)] == section


def _line(each: ErrorDetails, source: Source, known: dict[Path, Sequence[str]]) -> str:
    path = tuple(part for part in each["loc"] if isinstance(part, str))
    where, name = source.location(each["loc"]), ".".join(path) or "the file"
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
    return f"{where}: {text}"


def _expected(message: str) -> str:
    """pydantic's message, adapted to follow the name of the key."""
    if message.startswith("Input should"):
        return " must" + message.removeprefix("Input should")
    return f": {message[0].lower()}{message[1:]}"


def _quoted(path: Path, value: object) -> str:
    """The given value, where it is safe and short: before an @ may stand a password."""
    if _SILENT & set(path) or not isinstance(value, str | int | float):
        return ""
    return "" if "@" in str(value) or len(str(value)) > _QUOTED_AT_MOST else f", not {value!r}"
