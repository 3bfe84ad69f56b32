"""Comments of a path lake's tables and columns, as Spark and deltalake read them."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from kafka_census.lake import commit_retry, store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.terminal.progress import NullProgress
from kafka_census.upkeep.maintenance.maintain import _comment
from spark.test_store import TABLE


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    """A table whose first write was cut off, and then repeated; Delta makes the folder of its log before all files."""
    made = Lake(root=str(tmp_path / "lake"))
    killed = Path(made.path(TABLE.layer, TABLE.name), "census_id=old")
    for folder in (killed.with_name("_delta_log"), killed):
        folder.mkdir(parents=True)
    (killed / "part-00000.snappy.parquet").write_bytes(b"cut off")
    write(spark, made, "first")
    return made


def write(spark: SparkSession, lake: Lake, census_id: str) -> None:
    store.append(local_frame(spark, [(census_id, 1, [])], TABLE.schema), lake, TABLE, census_id)


def test_a_table_on_a_path_gets_its_comment_once(spark: SparkSession, lake: Lake) -> None:
    for _ in range(2):
        _comment(spark, lake, TABLE, NullProgress())
    seen = DeltaTable(lake.path(TABLE.layer, TABLE.name))
    assert [commit["operation"] for commit in seen.history()] == ["SET TBLPROPERTIES", "WRITE"]
    reported = spark.sql(f"DESCRIBE TABLE EXTENDED {lake.name_of(TABLE)}").collect()
    assert ("Comment", TABLE.comment) in {(row.col_name, row.data_type) for row in reported}
    assert ("n", "A number.") in {(row.col_name, row.comment) for row in reported}
    assert seen.metadata().description == TABLE.comment
    fields = {field.name: field for field in seen.schema().fields}
    assert fields["n"].metadata == {"comment": "A number."}
    [inside, _] = fields["items"].type.element_type.fields
    assert inside.metadata == {"comment": "It's nested."}


def test_writers_and_a_comment_at_once_lose_nothing(
    spark: SparkSession, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_retry, "_turn", lambda *_: nullcontext())
    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(write, spark, lake, f"census-{number}") for number in range(3)]
        done.append(pool.submit(_comment, spark, lake, TABLE, NullProgress()))
        assert [one.result() for one in done] == [None] * 4
    seen = DeltaTable(lake.path(TABLE.layer, TABLE.name))
    assert (seen.to_pyarrow_table().num_rows, seen.metadata().description) == (4, TABLE.comment)
