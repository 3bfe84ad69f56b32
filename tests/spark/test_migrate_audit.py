"""A lake whose audit tables are in the layer `books`, as before 59084ed: reported, and moved into `audit`."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.tables import AUDIT_TABLES
from kafka_census.tables.table import Table
from spark.old_lake import OldLake, old_lake

CONF = "{lake: {root: lake}, clusters: {test: {bootstrap_servers: ['127.0.0.1:9092']}}}"
OLDER = r"was written by an older release: audit tables are in the layer audit now; run kafka-census migrate$"


class Died(Exception):
    """The end of the process at this point."""


@pytest.fixture
def old(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OldLake]:
    """The lake as the older release left it."""
    with old_lake(spark, tmp_path_factory.mktemp("migrate-audit"), "0.2.0-59084ed.tar.xz", CONF) as lake:
        yield lake


def rows(old: OldLake, layer: str) -> dict[str, int]:
    found = {table.name: store.found(old.spark, old.lake, layer, table.name) for table in AUDIT_TABLES}
    return {name: frame.count() for name, frame in found.items() if frame is not None}


def test_a_move_that_is_cut_off_anywhere_goes_on(old: OldLake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed before each deletion in turn: jobs report the older release until the end; no row is lost or repeated."""
    before, commit = rows(old, "books"), store.commit
    assert set(before) == {"census_runs", "routes", "calls", "verdicts", "publications"}
    for name in ("routes", "calls", "verdicts", "publications", "census_runs"):

        def dying(spark: SparkSession, lake: Lake, table: Table, statement: str, *, last: str = name) -> None:
            if (table.layer, table.name) == ("books", last):
                raise Died
            commit(spark, lake, table, statement)

        with monkeypatch.context() as patched:
            patched.setattr(store, "commit", dying)
            with pytest.raises(Died):
                old.migrated(apply=True)
        assert rows(old, "audit")[name] == rows(old, "books")[name] == before[name]
        if name == "publications":
            old.is_refused(OLDER)
    old.migrated(apply=True)
    assert rows(old, "audit") == before
    assert set(rows(old, "books").values()) == {0}
    assert old.migrated(apply=False) == "nothing in this lake is of an older release\n"
