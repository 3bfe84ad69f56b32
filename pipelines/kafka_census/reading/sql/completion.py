"""What may follow in a statement that is being typed: views, columns, and words of SQL."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from kafka_census.declarations import freshness
from kafka_census.errors import CensusError, CorruptLake
from kafka_census.reading.sql.described import folder_of
from kafka_census.reading.sql.short_names import OTHERS
from kafka_census.reading.sql.views import AUDIT_TABLES, OF_A_TABLE
from kafka_census.reading.without_spark import PublishedLake

_WORDS = (
    *("SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "HAVING", "LIMIT", "JOIN", "LEFT JOIN", "USING", "WITH"),
    *("AS", "AND", "OR", "NOT", "IN", "IS NULL", "LIKE", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "END", "DISTINCT"),
    *("UNION ALL", "DESC", "count(", "sum(", "min(", "max(", "avg(", "DESCRIBE", "SHOW TABLES", "SUMMARIZE", "EXPLAIN"),
)


@dataclass(frozen=True)
class Completion:
    """The names of a lake, which is opened at the first question."""

    lake: Callable[[], PublishedLake]

    def candidates(self, statement: str, word: str) -> Sequence[str]:
        """What the last word of a statement may become: columns of the views that the statement names, or of any."""
        try:
            views, columns = self._names
        except CensusError:
            return []
        if statement.lstrip().startswith("\\"):
            return sorted(name for name in views if name.startswith(word.lower()))
        named = {folder_of(name, ()) for name in re.findall(r"\w+", statement.lower()) if name in views}
        known = {name for folder, names in columns.items() if folder in named or not named for name in names}
        words = [each.lower() if word.islower() else each for each in _WORDS]
        names = {*views, *known, *words}
        return sorted(name for name in names if name.lower().startswith(word.lower()))

    @cached_property
    def _names(self) -> tuple[set[str], dict[str, Sequence[str]]]:
        """The names of all views and functions, and the columns of each table, by its folder."""
        lake = self.lake()
        tables = lake.tables
        views = {freshness.NAME, *tables, *(name for name, (of, _) in OTHERS.items() if of in tables)}
        views |= {f"{kind}_{table}" for kind in OF_A_TABLE for table in tables} | {f"{table}_as_of" for table in tables}
        columns: dict[str, Sequence[str]] = {folder_of(freshness.NAME, ()): list(freshness.COLUMNS)}
        for folder in (*(f"published/{table}" for table in tables), *(f"audit/{name}" for name in AUDIT_TABLES)):
            try:
                columns[folder] = lake.opened(folder).schema.names
            except CorruptLake:
                continue
        return views | {folder.rpartition("/")[2] for folder in columns if folder.startswith("audit/")}, columns
