"""Declarations of figures: a question, the SQL that answers it, and the presentation of the answer.

The SQL is DuckDB's, over the views `current_<table>` and `history_<table>`, and is printed below its figure exactly as
it ran. The placeholders `$cluster_id`, `$names` and `$census_id` stand for the shown census.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kafka_census.declarations.problem import Severity
from kafka_census.reading.html.cells import TEXT, TIME, Form

Kind = Literal["broker", "topic", "group"]
"""What has an anchor on the page: its name is a link wherever it is shown."""


@dataclass(frozen=True)
class Column:
    """A column of the answer, in the order of the SELECT.

    of   what the cell names, or each element of its list
    bar  whether a bar shows the number as a part of the largest of the column
    """

    title: str
    form: Form = TEXT
    of: Kind | None = None
    bar: bool = False


@dataclass(frozen=True)
class Figure:
    """One question and its answer.

    title    the heading
    answers  the question, as a sentence
    sql      one SELECT, the worst rows first
    columns  the columns of the answer, in order
    home     whether each row is the anchor of what its first column names
    most     the number of rows that are shown at first; the others are folded
    calm     the text for an answer without rows
    """

    title: str
    answers: str
    sql: str
    columns: tuple[Column, ...]
    home: bool = False
    most: int = 20
    calm: str = "None."

    @property
    def slug(self) -> str:
        """The anchor of its table."""
        return "figure-" + re.sub(r"\W+", "-", self.title.lower())


@dataclass(frozen=True)
class Section:
    """Figures under one heading.

    slug      the anchor of the section
    optional  whether the section is left out when the census lacks its tables
    """

    slug: str
    title: str
    figures: tuple[Figure, ...]
    optional: bool = False


@dataclass(frozen=True)
class Number:
    """One of the numbers at the head of the page, and its development.

    title    the name of what is counted
    table    the table that is counted
    value    an SQL aggregate over the rows of a census; of a census without rows it is 0
    section  the anchor of the section with details
    total    an SQL aggregate: the total that the value is a part of, or null
    unknown  the SQL condition on rows that the value may miss
    """

    title: str
    table: str
    value: str
    form: Form
    section: str
    total: str = "NULL"
    unknown: str = "false"

    @property
    def sql(self) -> str:
        """One row: the value, the total, and whether rows that are not known may add to the value."""
        return f"""\
SELECT CASE WHEN count(*) = 0 THEN 0 ELSE {self.value} END, {self.total}, count_if({self.unknown}) > 0
FROM current_{self.table}
WHERE cluster_id = $cluster_id"""

    @property
    def by_census(self) -> Figure:
        """One row for each of the last 30 censuses, the last one at the end.

        A census that could not read everything has no number, because a smaller number would look like progress; what
        was found is a lower bound.
        """
        sql = f"""\
WITH censuses AS (
  SELECT census_id, published_at, is_complete
  FROM publications
  WHERE table_name = '{self.table}' AND cluster_id = $cluster_id AND cluster IN ($names) AND census_id <= $census_id
  ORDER BY census_id DESC
  LIMIT 30
), found AS (
  SELECT census_id, {self.value} AS number, count_if({self.unknown}) > 0 AS misses, true AS has_rows
  FROM history_{self.table}
  WHERE census_id IN (SELECT census_id FROM censuses)
  GROUP BY census_id
)
SELECT published_at, CASE WHEN is_complete THEN number END, number, is_complete
FROM (SELECT published_at, is_complete AND NOT coalesce(misses, false) AS is_complete,
             CASE WHEN has_rows THEN number ELSE 0 END AS number, census_id
      FROM censuses LEFT JOIN found USING (census_id))
ORDER BY census_id"""
        columns = (Column("published", TIME), Column("number", self.form), Column("found", self.form))
        return Figure(f"{self.title} by census", "", sql, (*columns, Column("complete")), most=30)


@dataclass(frozen=True)
class Check:
    """A check for one problem.

    word      the word of the problem (`tables.problems`), or `warnings` for rules of the gate
    one       the sentence for a single row, after the number 1
    many      the sentence for several rows, after their number
    sql       one SELECT of one column, the names of the affected things, the worst first
    section   the anchor of the section with details
    table     the table whose rows show the problem; empty for audit tables
    """

    word: str
    severity: Severity
    one: str
    many: str
    sql: str
    section: str
    table: str = ""


def tables_of(sql: str) -> Sequence[str]:
    """The published tables that a statement reads, without duplicates."""
    return tuple(dict.fromkeys(re.findall(r"\b(?:FROM|JOIN) (?:current|history)_(\w+)", sql)))


def of_census(sql: str, cluster_id: str, names: tuple[str, ...], census_id: str) -> str:
    """The statement for a census; ids become escaped literals, because a broker chooses the cluster id.

    names  the names under which censuses of the cluster were published
    """
    given = {"$cluster_id": [cluster_id], "$names": names, "$census_id": [census_id]}
    literals = {
        name: ", ".join("'{}'".format(value.replace("'", "''")) for value in values) for name, values in given.items()
    }
    return re.sub(r"\$(?:cluster_id|census_id|names)", lambda found: literals[found[0]], sql)
