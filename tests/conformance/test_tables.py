"""A census of either cluster computes the same tables.

The staged rows are compared. The gate, which judges them, and publishing are tested elsewhere, and would double the
time.
"""

from operator import attrgetter

import pytest

from conformance.by_nature import Row, comparable
from conformance.conftest import FIRST
from e2e.operator import Operator
from kafka_census.tables.table import Table


@pytest.fixture(scope="module")
def staged(theirs: Operator, ours: Operator) -> list[dict[str, list[Row]]]:
    found = []
    for census in (theirs, ours):
        ran = census.run("transform")
        assert (ran.code, ran.error) == (0, "")
        rows = {table.name: census.rows(table).collect() for table in FIRST}
        found.append({name: comparable(name, (row.asDict(recursive=True) for row in of)) for name, of in rows.items()})
    return found


@pytest.mark.parametrize("table", FIRST, ids=attrgetter("name"))
def test_a_table_is_the_same(staged: list[dict[str, list[Row]]], table: Table) -> None:
    real, emulated = staged
    assert real[table.name]
    assert emulated[table.name] == real[table.name]
