"""Which items a walk takes its keys from: in SQL for the plan, in Python for who reads rows; both agree."""

import sqlite3

import pytest

from kafka_census.tables.landed import Only

KINDS = ("classic", "consumer", "share", None)


def in_sql(only: Only, value: str | int | None) -> bool | None:
    """The condition for one item, as a database has it; SQLite knows AND, NOT, IN and nulls as Spark does."""
    with sqlite3.connect(":memory:") as database:
        (answer,) = database.execute(f"SELECT {only.sql} FROM (SELECT ? AS kind)", (value,)).fetchone()
    return None if answer is None else bool(answer)


@pytest.mark.parametrize("value", KINDS)
@pytest.mark.parametrize("among", [True, False])
@pytest.mark.parametrize("null", [None, "classic", "share"])
@pytest.mark.parametrize("values", [("consumer",), ("classic", "share")], ids=str)
def test_sql_and_python_choose_the_same_items(
    values: tuple[str, ...], null: str | None, among: bool, value: str | None
) -> None:
    """Null included: it is never "unknown", neither among values nor among what is none of them."""
    only = Only("kind", values, null=null, among=among)
    assert in_sql(only, value) is only.holds({"kind": value})


@pytest.mark.parametrize("among", [True, False])
@pytest.mark.parametrize("code", [0, 3, None])
def test_numbers_are_chosen_like_names(code: int | None, among: bool) -> None:
    """Error codes are."""
    only = Only("kind", (0,), among=among)
    assert in_sql(only, code) is only.holds({"kind": code})


@pytest.mark.parametrize(("among", "holds"), [(True, False), (False, True)])
def test_a_null_without_a_meaning_is_none_of_any_values(among: bool, holds: bool) -> None:
    """What is asked for is asked for: an item without a type is not lost in both walks."""
    assert Only("kind", ("share",), among=among).holds({"kind": None}) is holds
    assert in_sql(Only("kind", ("share",), among=among), None) is holds
