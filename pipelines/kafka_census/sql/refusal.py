"""What DuckDB refuses, in one line: what, where in the text, and what it might have been."""

import json
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches

import duckdb

from kafka_census.errors import BadQuery, CensusError, CorruptLake, OutOfResources


def explained(error: duckdb.Error, text: str, names: Callable[[], Iterable[str]]) -> CensusError:
    """An error of DuckDB's, reported with `errors_as_json`, as one of ours.

    text   all statements that were given: the position is one in it
    names  what a table could have been called
    """
    whole = str(error)
    details = _details(whole)
    said = " ".join(details.get("exception_message", whole).split())
    if isinstance(error, duckdb.OutOfMemoryException):
        return OutOfResources(f"the query needs more memory than there is: {said}")
    if "arrow_scan" in said:
        return CorruptLake(f"a file of the lake cannot be read; run this again, for it may have been removed: {said}")
    if (details.get("error_subtype"), details.get("type")) == ("MISSING_ENTRY", "Table"):
        near = get_close_matches(details["name"].lower(), list(names()), n=1)
        said = f"there is no table {details['name']}; " + (f"did you mean {near[0]}?" if near else "see SHOW TABLES")
    return BadQuery(f"{_location(details, text)}{said}")


def _details(whole: str) -> dict[str, str]:
    """The JSON that follows the kind of error; none where DuckDB did not get so far."""
    found = re.search(r"\{.*\}", whole, re.DOTALL)
    try:
        return dict(json.loads(found[0])) if found else {}
    except ValueError:
        return {}


def _location(details: dict[str, str], text: str) -> str:
    if "position" not in details:
        return ""
    before = text.encode()[: int(details["position"])].decode(errors="ignore").split("\n")
    return f"line {len(before)}, column {len(before[-1]) + 1}: "
