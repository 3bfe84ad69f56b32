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
        text = _explained(text)
        is_query = [one.type for one in connection.extract_statements(text)] == [duckdb.StatementType.SELECT]
    else:
        is_query = statement.type == duckdb.StatementType.SELECT
    if not is_query:
        what = statement.type.name.replace("_", " ")
        raise BadQuery(f"a statement of the kind {what} is not run: nothing is changed here; queries are {_QUERIES}")
    for kind, name in _functions(_tree(connection, text)):
        if (kind == "TABLE_FUNCTION" and not _is_known(name)) or name in _CHANGES_SOMETHING:
            raise BadQuery(f"the function {name} cannot be called: only the lake's tables are read, nothing is changed")


def named_tables(connection: duckdb.DuckDBPyConnection, query: str) -> set[str]:
    """The names in lower case of all tables in a query, those of WITH too."""
    nodes = _objects(_tree(connection, _explained(query)))
    return {str(node["table_name"]).lower() for node in nodes if node.get("type") == "BASE_TABLE"}


def _explained(text: str) -> str:
    """The query after EXPLAIN; any other text as it is."""
    return text[found.end() :] if (found := _EXPLAIN.match(text)) else text


def _tree(connection: duckdb.DuckDBPyConnection, query: str) -> Any:
    [(tree,)] = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [query]).fetchall()
    return json.loads(tree)


def _functions(tree: Any) -> Iterator[tuple[str, str]]:
    """(type of the node, name in lower case) of every function in a serialized statement."""
    for node in _objects(tree):
        function = node.get("function", node)
        if isinstance(function, dict) and "function_name" in function:
            yield str(node.get("type")), str(function["function_name"]).lower()


def _objects(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object of a serialized statement."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            yield node
            waiting += node.values()


def _is_known(name: str) -> bool:
    return name in _TABLE_FUNCTIONS or name.startswith(_FAMILIES) or name.endswith("_as_of")
