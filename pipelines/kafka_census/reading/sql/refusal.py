"""Errors of DuckDB in one line: the error, its position in the text, and a suggestion."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches

import duckdb

from kafka_census.errors import BadQuery, CensusError, CorruptLake, OutOfResources
from kafka_census.lake.promised import RESTORE
from kafka_census.reading.sql.short_names import table_of
from kafka_census.tables import NAMES

TOO_LARGE = "the query needs more memory than is available"
RAISE = "; ask for less, or raise --memory-limit"


def explained(error: duckdb.Error, text: str, names: Callable[[], Iterable[str]]) -> CensusError:
    """An error of DuckDB, reported with `errors_as_json`, as a CensusError.

    text   the text of all statements, to which the position refers
    names  returns the names of existing tables, for the suggestion, and to say which has a file that cannot be read
    """
    whole = str(error)
    details = _details(whole)
    said = " ".join(details.get("exception_message", whole).split())
    if isinstance(error, duckdb.OutOfMemoryException):
        return OutOfResources(f"{TOO_LARGE}: {said.partition(' Possible solutions')[0]}{RAISE}")
    if "arrow_scan" in said:
        named = [name for name in names() if re.search(rf"\b{name}\b", text, re.IGNORECASE)]
        named += re.findall(r"\b\w+_as_of\b", text)
        of = f" (one of {', '.join(named)})" if named else ""
        return CorruptLake(
            f"a file of the lake cannot be read{of}: {said}; run this again, because maintain may have removed it "
            f"meanwhile; if that does not help, {RESTORE}"
        )
    if (details.get("error_subtype"), details.get("type")) == ("MISSING_ENTRY", "Table"):
        said = f"there is no table {details['name']}; {_hint(details['name'].lower(), list(names()))}"
    if (details.get("error_subtype"), details.get("type")) == ("MISSING_ENTRY", "Table Function"):
        table, tables = details["name"].lower().removesuffix("_as_of"), [name for name in names() if name in NAMES]
        said = f"there is no function {details['name']}; {_hint(table, tables, '_as_of(time)')}"
    return BadQuery(f"{_location(details, text)}{said}")


def _hint(name: str, known: Sequence[str], call: str = "") -> str:
    """What to do about a table that is not there; one that the lake may have was never written.

    call  what follows the name of a table in the name of a function
    """
    if name in known:
        return "nothing was ever written to it"
    table = table_of(re.sub("^(current|history|candidate)_|_as_of$", "", name), ())
    if table:
        return f"no census has published {table} in this lake"
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}{call}?" if near else "see SHOW TABLES"


def _details(whole: str) -> dict[str, str]:
    """The JSON after the kind of error; empty where the error has no JSON."""
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
