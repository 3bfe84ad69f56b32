"""A census of either cluster computes the same tables.

The staged rows are compared. The gate, which judges them, and publishing are tested elsewhere, and would double the
time.
"""

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter

import pytest

from conformance.by_nature import Row, comparable
from e2e.operator import Operator
from harness.kafka_cluster import KafkaCluster
from kafka_census.tables import TABLES
from kafka_census.tables.changes import CHANGES
from kafka_census.tables.table import Table

FIRST = tuple(table for table in TABLES if table is not CHANGES)
"""The tables in which a first census has rows: it has no previous census to differ from."""

Census = Callable[[str, str], dict[str, list[Row]]]


@pytest.fixture(scope="module")
def census(operator: Callable[..., Operator]) -> Census:
    """The staged rows of all tables of a census of a cluster."""

    def take(servers: str, name: str) -> dict[str, list[Row]]:
        ours = replace(operator(servers, name), tables=FIRST)
        for job in ("ingest", "transform"):
            ran = ours.run(job)
            assert (ran.code, ran.error) == (0, "")
        rows = {table.name: ours.rows(table).collect() for table in FIRST}
        return {name: comparable(name, (row.asDict(recursive=True) for row in of)) for name, of in rows.items()}

    return take


@pytest.fixture(scope="module")
def theirs(real: KafkaCluster, census: Census) -> dict[str, list[Row]]:
    """The rows of the real cluster."""
    return census(real.bootstrap_servers, "real")


@pytest.fixture(scope="module")
def ours(emulated: Callable[..., str], census: Census) -> dict[str, list[Row]]:
    """The rows of the emulated cluster."""
    return census(emulated(), "emulated")


@pytest.mark.parametrize("table", FIRST, ids=attrgetter("name"))
def test_a_table_is_the_same(theirs: dict[str, list[Row]], ours: dict[str, list[Row]], table: Table) -> None:
    """Row by row, and rows exist."""
    assert theirs[table.name]
    assert ours[table.name] == theirs[table.name]
