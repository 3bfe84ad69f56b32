"""Declarations of figures: a question, the SQL that answers it, and the presentation of the answer.

The SQL is DuckDB's, over the views `current_<table>` and `history_<table>`, and is printed below its figure exactly as
it ran. The placeholders `$cluster_id` and `$census_id` stand for the shown census.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kafka_census.declarations.problem import Severity
from kafka_census.reading.html.cells import TEXT, Form

Kind = Literal["bars", "lines"]


@dataclass(frozen=True)
class Column:
    """A column of the answer, in the order of the SELECT."""

    title: str
    form: Form = TEXT


@dataclass(frozen=True)
class Chart:
    """A chart of the first rows: the first column holds the labels, `series` the titles of the drawn columns."""

    kind: Kind
    series: tuple[str, ...]


@dataclass(frozen=True)
class Figure:
    """One question and its answer.

    title    the heading
    answers  the question, as a sentence
    sql      one SELECT, the worst rows first
    columns  the columns of the answer, in order
    chart    a chart of the rows, below which the rows are folded; None: only the rows are shown
    most     the largest number of shown rows; the others are counted
    calm     the text for an answer without rows
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

    slug      the anchor of the section
    optional  whether the section is left out when the census lacks its tables
    """

    slug: str
    title: str
    figures: tuple[Figure, ...]
    optional: bool = False


@dataclass(frozen=True)
class Number:
    """One of the numbers at the head of the page.

    title    the name of what is counted
    sql      one SELECT of one row: the number, the total that it is a part of, or null, and whether rows that are not
             known may add to the number
    section  the anchor of the section with details
    """

    title: str
    sql: str
    form: Form
    section: str


@dataclass(frozen=True)
class Check:
    """A check for one problem.

    word      the word of the problem (`tables.problems`), or `warnings` for rules of the gate
    one       the sentence for a single row, after the number 1
    many      the sentence for several rows, after their number
    sql       one SELECT of one column, the names of the affected things, the worst first
    section   the anchor of the section with details
    """

    word: str
    severity: Severity
    one: str
    many: str
    sql: str
    section: str


def tables_of(sql: str) -> Sequence[str]:
    """The published tables that a statement reads, without duplicates."""
    return tuple(dict.fromkeys(re.findall(r"\b(?:current|history)_(\w+)", sql)))


def of_census(sql: str, cluster_id: str, names: tuple[str, ...], census_id: str) -> str:
    """The statement for a census; ids become escaped literals, because a broker chooses the cluster id.

    names  the names under which censuses of the cluster were published
    """
    given = {"$cluster_id": [cluster_id], "$names": names, "$census_id": [census_id]}
    literals = {
        name: ", ".join("'{}'".format(value.replace("'", "''")) for value in values) for name, values in given.items()
    }
    return re.sub(r"\$(?:cluster_id|census_id|names)", lambda found: literals[found[0]], sql)
