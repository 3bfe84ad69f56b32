"""The lake is read without Spark, by `kafka_census.current` and in SQL, as docs/lake.md shows: the same rows."""

import re
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import kafka_census
from harness.both_engines import by_duckdb, by_spark
from harness.documented import LAKE, SQL, block_with
from kafka_census.errors import CorruptLake
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS as TABLE
from spark.fake_lake import NOON, census
from spark.planted_tables import staged_row

OF_CLUSTER = {1: "one", 2: "two", 3: "one", 4: "one", 5: "two"}
SECOND = timedelta(seconds=1)
PUBLISHED, LAST = (1, 2, 3), (2, 3)
"""The fourth census crashed before it was published, the fifth was refused."""


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    made = Lake(root=str(tmp_path_factory.mktemp("without_spark") / "lake"))
    for number, cluster_id in OF_CLUSTER.items():
        rows = spark.createDataFrame([staged_row(TABLE, census(number), cluster_id)], TABLE.schema)
        store.replace_census(rows, made, TABLE, census(number).census_id)
    reported = [
        (census(number).census_id, OF_CLUSTER[number], "c", TABLE.name, True, [], "proven", 1, 0, NOON, NOON, NOON)
        for number in PUBLISHED
    ]
    store.append(spark.createDataFrame(reported, PUBLICATIONS.schema), made, PUBLICATIONS, "test")
    return made


@pytest.fixture(scope="module")
def views(spark: SparkSession, lake: Lake) -> None:
    kafka_census.register(spark, str(lake.root))


def test_deltalake_reads_what_is_published_and_no_other_file(lake: Lake) -> None:
    """The last census of each cluster; the files of others are deleted, and no read fails."""
    folder = Path(lake.path(TABLE.layer, TABLE.name))
    files = {
        number: next((folder / f"census_id={census(number).census_id}").glob("*.parquet")) for number in OF_CLUSTER
    }
    away = {file: file.with_suffix(".away") for number, file in files.items() if number not in LAST}
    for file, spoilt in away.items():
        file.rename(spoilt)
    try:
        [rows] = kafka_census.current(str(lake.root), TABLE.name)
        read = rows.to_table(columns=["census_id", "cluster_id", "topic"]).to_pylist()
    finally:
        for file, spoilt in away.items():
            spoilt.rename(file)
    assert sorted((row["census_id"], row["cluster_id"], row["topic"]) for row in read) == [
        (census(number).census_id, OF_CLUSTER[number], "b") for number in LAST
    ]


def test_what_is_not_published_is_one_line(lake: Lake) -> None:
    for root, table in ((f"{lake.root}-else", TABLE.name), (lake.root, "nothing")):
        with pytest.raises(
            CorruptLake, match=r"is no Delta table: nothing was published there yet, .*, or it is no lake$"
        ):
            kafka_census.current(str(root), table)


def test_nothing_of_spark_is_loaded(lake: Lake) -> None:
    """In a separate process: such a reader may not have pyspark."""
    code = (
        f"import kafka_census, sys; (rows,) = kafka_census.current({lake.root!r}, {TABLE.name!r}); "
        "print(rows.count_rows(), 'pyspark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{len(LAST)} False\n", "")


def test_duckdb_reads_it_as_the_docs_say_without_a_network(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unchanged, except for the lake's folder; an extension would have to be downloaded."""
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("it asks the network"))
    code = block_with(LAKE, "import duckdb").text
    assert "build/demo/lake" in code
    exec(compile(code.replace("build/demo/lake", str(lake.root)), "docs/lake.md", "exec"), {})  # noqa: S102
    reported = capsys.readouterr().out
    assert " b " in reported
    assert "│ NULL    │          2 │" in reported


@pytest.mark.parametrize(
    ("view", "rows"),
    [
        *((f"{kind}_{TABLE.name}", rows) for kind, rows in (("current", 2), ("history", 3), ("candidate", 2))),
        *((f"{TABLE.name}_as_of({time})", rows) for time, rows in ((f"'{NOON - SECOND}'", 0), ("now()", 2))),
        ("publications", 3),
    ],
)
@pytest.mark.usefixtures("views")
def test_views_show_the_rows_that_spark_shows(spark: SparkSession, lake: Lake, view: str, rows: int) -> None:
    statement = f"SELECT * FROM {view}"
    found = by_duckdb(str(lake.root), statement)
    assert found == by_spark(spark, statement)
    assert len(found) == rows


COLUMNS = "7 AS a, 2 AS b, 'text' AS s, {} AS xs, {} AS items, CAST('2026-11-20 12:00:00' AS {}) AS t"
OF_SPARK = COLUMNS.format("array(10, 20)", "array(named_struct('k', 1))", "TIMESTAMP")
OF_DUCKDB = COLUMNS.format("[10, 20]", "[{'k': 1}]", "TIMESTAMPTZ")
_, _, _AND_MORE = SQL.read_text(encoding="utf-8").partition("| Spark | DuckDB |\n")
DIFFERENT = re.findall(r"^\| `+(.+?) ?`+ \| `(.+)` \|$", _AND_MORE.partition("\n\n")[0], re.MULTILINE)


@pytest.mark.parametrize(("spark_says", "duckdb_says"), DIFFERENT)
def test_what_is_called_differently_means_the_same(
    spark: SparkSession, lake: Lake, spark_says: str, duckdb_says: str
) -> None:
    in_spark = by_spark(spark, f"SELECT {spark_says} FROM (SELECT {OF_SPARK})")
    in_duckdb = by_duckdb(str(lake.root), f"SELECT {duckdb_says} FROM (SELECT {OF_DUCKDB})")
    assert [[value for _, value in row] for row in in_duckdb] == [[value for _, value in row] for row in in_spark]
    assert in_spark


def test_the_docs_say_what_is_called_differently() -> None:
    assert len(DIFFERENT) > 10
