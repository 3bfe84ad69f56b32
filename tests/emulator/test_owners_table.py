"""Owners from a table of the lake: read anew by each census, and refused in one line before anything is landed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from e2e.operator import Operator
from emulator.commanding import running
from kafka_census.cli import owners_table
from kafka_census.lake.lake import Lake
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS

COLUMNS = "position int, owner string, kind string, pattern string"
ROWS = [(2, "others", "topics", "*"), (1, "alone", "topics", "single")]
OF_TABLE = {"KAFKA_CENSUS__OWNERS_TABLE": "owners"}


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with running("--scenario", "calm") as (_, servers):
        yield ",".join(servers)


@pytest.fixture
def operator(spark: SparkSession, tmp_path: Path, servers: str) -> Operator:
    return Operator(spark, tmp_path, servers, tables=(UNDER_MIN_ISR_PARTITIONS,))


def write(operator: Operator, rows: list[tuple[Any, ...]], columns: str = COLUMNS) -> None:
    path = Lake(operator.lake).path(owners_table.LAYER, "owners")
    operator.spark.createDataFrame(rows, columns).write.format("delta").save(path)


def test_rows_have_the_owner_whose_pattern_comes_first_by_position(operator: Operator) -> None:
    write(operator, ROWS)
    ran = operator.run("census", "--no-report", **OF_TABLE)
    assert (ran.code, ran.error) == (0, ""), ran.err[-2000:]
    owners = {row["topic"]: row["owner"] for row in operator.read(UNDER_MIN_ISR_PARTITIONS.name)}
    assert owners.pop("single") == "alone"
    assert {*owners.values()} == {"others"}


@pytest.mark.parametrize(
    ("rows", "columns", "error"),
    [
        ([], "", " does not exist: write it, or take owners or owners_file"),
        (ROWS, COLUMNS.replace("position", "rank"), " has no column position; needed are kind, owner, pattern"),
        # Other mistakes in a row: tests/unit/test_config_sections.py.
        ([(7, None, "topics", "x")], COLUMNS, ", position 7: owner and pattern must not be empty"),
        ([*ROWS, ROWS[0]], COLUMNS, " has more than 2 rows: take prefixes"),
    ],
)
def test_a_mistake_is_one_line(
    operator: Operator, monkeypatch: pytest.MonkeyPatch, rows: list[tuple[Any, ...]], columns: str, error: str
) -> None:
    monkeypatch.setattr(owners_table, "MOST", 2)
    if columns:
        write(operator, rows, columns)
    ran = operator.run("census", "--no-report", **OF_TABLE)
    assert ran.code == 2
    assert ran.error.startswith(f"error: owners_table: {Lake(operator.lake).name(owners_table.LAYER, 'owners')}{error}")
    assert [path.name for path in Path(operator.lake).glob("*")] == [owners_table.LAYER] * bool(columns)
