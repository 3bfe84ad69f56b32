"""Which statements run: queries, which read tables of the lake and change nothing in this process.

DuckDB's parser says what a statement is, and its serialized tree names every function of a query. A table function may
write a file, end the process or change settings (`enable_logging`, `checkpoint`), so only known ones may be called.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import duckdb

from kafka_census.errors import BadQuery

_QUERIES = "SELECT, FROM, WITH, VALUES, PIVOT with IN, DESCRIBE, SHOW, SUMMARIZE and EXPLAIN of them"
_EXPLAIN = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*EXPLAIN\s+(?:ANALYZE\s+)?(?:\(\s*(?:FORMAT|ANALYZE)\b[^)]*\)\s*)?",
    re.IGNORECASE | re.DOTALL,
)
_TABLE_FUNCTIONS = frozenset(
    [
        "generate_series",
        "histogram",
        "histogram_values",
        "icu_calendar_names",
        "json_each",
        "json_tree",
        "pg_timezone_names",
        "query_table",
        "range",
        "repeat",
        "repeat_row",
        "summary",
        "test_all_types",
        "unnest",
    ]
)
_FAMILIES = ("duckdb_", "pragma_")
"""Beginnings of the names of table functions that show what DuckDB knows of itself."""
_CHANGES_SOMETHING = frozenset({"write_log"})
"""Functions of one value that do more than return it."""


def require_query(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> None:
    """Raise BadQuery unless the statement is a query whose functions only read."""
    text = statement.query
    if statement.type == duckdb.StatementType.EXPLAIN:
        text = _EXPLAIN.sub("", text, count=1)
        is_query = [one.type for one in connection.extract_statements(text)] == [duckdb.StatementType.SELECT]
    else:
        is_query = statement.type == duckdb.StatementType.SELECT
    if not is_query:
        what = statement.type.name.replace("_", " ")
        raise BadQuery(f"a statement of the kind {what} is not run: nothing is changed here; queries are {_QUERIES}")
    [(tree,)] = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [text]).fetchall()
    for kind, name in _functions(json.loads(tree)):
        if (kind == "TABLE_FUNCTION" and not _is_known(name)) or name in _CHANGES_SOMETHING:
            raise BadQuery(f"the function {name} cannot be called: only the lake's tables are read, nothing is changed")


def _functions(node: Any) -> Iterator[tuple[str, str]]:
    """(type of the node, name in lower case) of every function in a serialized statement."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            function = one.get("function", one)
            if isinstance(function, dict) and "function_name" in function:
                yield str(one.get("type")), str(function["function_name"]).lower()
            waiting += one.values()


def _is_known(name: str) -> bool:
    return name in _TABLE_FUNCTIONS or name.startswith(_FAMILIES) or name.endswith("_as_of")
