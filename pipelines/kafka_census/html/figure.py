"""What a figure is: a question, the SQL that answers it, and how the answer is drawn.

The SQL is DuckDB's over the views `current_<table>` and `history_<table>`, and is printed below its figure as it was
run. `$cluster_id` and `$census_id` in it stand for the census that is shown.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kafka_census.html.cells import TEXT, Form

Kind = Literal["bars", "lines"]


@dataclass(frozen=True)
class Column:
    """A column of the answer, in the order of the SELECT."""

    title: str
    form: Form = TEXT


@dataclass(frozen=True)
class Chart:
    """A drawing of the first rows: the first column are the labels, `series` the titles of columns that are drawn."""

    kind: Kind
    series: tuple[str, ...]


@dataclass(frozen=True)
class Figure:
    """One question and its answer.

    title    what is shown
    answers  the question, in a sentence
    sql      one SELECT, the worst rows first
    columns  those of the answer, in their order
    chart    drawn of the rows, which then fold away below it; None: the rows are what is shown
    most     rows that are shown; of others it is said how many there are
    calm     what is said where no row is
    """

    title: str
    answers: str
    sql: str
    columns: tuple[Column, ...]
    chart: Chart | None = None
    most: int = 20
    calm: str = "None."


@dataclass(frozen=True)
class Section:
    """Figures under one heading.

    slug      its anchor
    optional  whether it is left out where the census lacks its tables
    """

    slug: str
    title: str
    figures: tuple[Figure, ...]
    optional: bool = False


@dataclass(frozen=True)
class Number:
    """A number that tells how the cluster is.

    title    what is counted
    sql      one SELECT of one row: the number, and of how many it is, or null
    section  the anchor of the section that shows more
    """

    title: str
    sql: str
    form: Form
    section: str


@dataclass(frozen=True)
class Problem:
    """Something that can be wrong now.

    severity  how bad it is that there are such rows: they keep clients from working, or may soon
    one       what is said of a single row, after its number
    many      the same of several
    sql       one SELECT of one column, the names of what is wrong, the worst first
    section   the anchor of the section that shows more
    """

    severity: Literal["critical", "warning"]
    one: str
    many: str
    sql: str
    section: str


def tables_of(sql: str) -> Sequence[str]:
    """The published tables that a statement reads, each once."""
    return tuple(dict.fromkeys(re.findall(r"\b(?:current|history)_(\w+)", sql)))


def of_census(sql: str, cluster_id: str, census_id: str) -> str:
    """The statement for a census; both ids become literals, whatever a broker calls its cluster."""
    ids = {"$cluster_id": cluster_id, "$census_id": census_id}
    literals = {name: "'{}'".format(value.replace("'", "''")) for name, value in ids.items()}
    return re.sub(r"\$(?:cluster|census)_id", lambda found: literals[found[0]], sql)
