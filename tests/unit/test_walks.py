"""Which items a walk takes its keys from: in SQL for the plan, in Python for who reads rows; both agree."""

import sqlite3
from operator import attrgetter
from typing import Any

import pytest

from kafka_census.declarations.table import CLUSTER, Table
from kafka_census.declarations.walk import Only
from kafka_census.tables.all_tables import TABLES


def in_sql(only: Only, value: str | int | None) -> bool | None:
    """The condition for one item, as a database has it; SQLite knows AND, NOT, IN and nulls as Spark does."""
    with sqlite3.connect(":memory:") as database:
        (answer,) = database.execute(f"SELECT {only.sql()} FROM (SELECT ? AS {only.column})", (value,)).fetchone()
    return None if answer is None else bool(answer)


@pytest.mark.parametrize("among", [True, False])
@pytest.mark.parametrize(
    ("values", "null", "items"),
    [
        *(
            (values, null, ("classic", "consumer", "share", None))
            for values in (("consumer",), ("classic", "share"))
            for null in (None, "classic", "share")
        ),
        # Error codes are chosen like names.
        ((0,), None, (0, 3, None)),
    ],
    ids=str,
)
def test_sql_and_python_choose_the_same_items(
    values: tuple[Any, ...], null: str | None, items: tuple[Any, ...], among: bool
) -> None:
    only = (Only if among else Except)("kind", values, null=null)
    assert [in_sql(only, item) for item in items] == [only.holds({"kind": item}) for item in items]


@pytest.mark.parametrize(("among", "holds"), [(True, False), (False, True)])
def test_a_null_without_a_meaning_is_none_of_any_values(among: bool, holds: bool) -> None:
    only = (Only if among else Except)("kind", ("share",))
    assert only.holds({"kind": None}) is holds
    assert in_sql(only, None) is holds


@pytest.mark.parametrize("table", TABLES, ids=attrgetter("name"))
def test_every_published_row_tells_its_census_and_its_cluster(table: Table) -> None:
    assert table.columns[:4] == ["census_id", "cluster_id", "cluster", "observed_at"]
    assert table.schema[2] == CLUSTER
    assert table.computed.names == [name for name in table.columns if name != "cluster"]
