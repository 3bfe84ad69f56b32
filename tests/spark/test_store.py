"""Tables of the lake: created once, written idempotently, and never mistaken for something else."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, IntegerType, StringType, StructType

from kafka_census.declarations.table import Table, column
from kafka_census.errors import CorruptLake
from kafka_census.lake import commit_retry, store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.landing.fetch.schema import landed_table
from kafka_census.terminal.progress import NullProgress
from kafka_census.upkeep.maintenance.maintain import _comment
from spark.report_lake import logged

ITEM = StructType([column("x", StringType(), "It's nested."), column("l", ArrayType(IntegerType()), "A list in it.")])
TABLE = Table(
    name="numbers",
    layer="published",
    comment="It's a table with a \\ in its comment.",
    schema=StructType(
        [
            column("census_id", StringType(), "The census."),
            column("n", IntegerType(), "A number."),
            column("items", ArrayType(ITEM), "Structs."),
        ]
    ),
    key=("n",),
)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(root=str(tmp_path / "lake"))


def test_writes_are_safe_to_repeat(spark: SparkSession) -> None:
    """Also without locks, where two runs may go on with one census: a write of a new one is safe to repeat, too."""
    spark.sql("CREATE SCHEMA IF NOT EXISTS store_test")
    lake = Lake(catalog="spark_catalog.store_test")
    assert not store.exists(spark, lake, TABLE)
    for _ in range(2):
        store.create(spark, lake, TABLE)
    assert store.exists(spark, lake, TABLE)
    old, new = (local_frame(spark, [(census, 1, [("a", [1])])], TABLE.schema) for census in ("old", "new"))
    for _ in range(2):
        store.append(old.select("items", "n", "census_id"), lake, TABLE, "once")
        store.replace_census(new, lake, TABLE, "new")
    assert censuses(spark, lake) == ["new", "old"]
    store.replace_census(new.limit(0), lake, TABLE, "new")
    assert censuses(spark, lake) == ["old"]
    for _ in range(2):
        store.write_census(new, lake, TABLE, "new", goes_on=False)
        store.append(old, lake, TABLE, "new and old", may_repeat=False)
    assert censuses(spark, lake) == ["new", "old", "old"]


def censuses(spark: SparkSession, lake: Lake, table: Table = TABLE) -> list[str]:
    return sorted(row.census_id for row in store.read(spark, lake, table).collect())


def _transactions(lake: Lake) -> list[tuple[str, int]]:
    """(`app_id`, version) of the writes that Delta remembers."""
    return [(entry["txn"]["appId"], entry["txn"]["version"]) for entry in logged(lake, TABLE) if "txn" in entry]


def test_rows_of_a_new_census_are_appended_without_a_look_at_the_log(spark: SparkSession, lake: Lake) -> None:
    """Where locks keep other runs away Delta looks up no `app_id`; a census that goes on replaces what is there."""
    one, other = (local_frame(spark, [("new", number, [])], TABLE.schema) for number in (1, 2))
    store.append(local_frame(spark, [("old", 0, [])], TABLE.schema), lake, TABLE, "old", may_repeat=False)
    store.write_census(one, lake, TABLE, "new", goes_on=False)
    assert _transactions(lake) == []
    assert sorted(row.n for row in store.read(spark, lake, TABLE).collect()) == [0, 1]
    store.write_census(other, lake, TABLE, "new", goes_on=True)
    assert sorted(row.n for row in store.read(spark, lake, TABLE).collect()) == [0, 2]
    # The same version in every release: a later one would write again what is there.
    store.append(one, lake, TABLE, "once")
    assert _transactions(lake) == [("once", 0)]
    commits = DeltaTable(lake.path(TABLE.layer, TABLE.name)).history()
    assert [commit["operationParameters"]["mode"] for commit in commits] == ["Append", "Overwrite", "Append", "Append"]


@pytest.mark.parametrize("catalog", [False, True])
def test_first_writers_at_once_lose_nothing(
    spark: SparkSession, lake: Lake, catalog: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four create the tables, and replace and append a census, two of them the same one, without locks."""
    appended = replace(TABLE, name="appended")
    monkeypatch.setattr(commit_retry, "_turn", lambda *_: nullcontext())
    if catalog:
        spark.sql("CREATE SCHEMA IF NOT EXISTS at_once")
        lake = Lake(catalog="spark_catalog.at_once")

    def write(census: str) -> None:
        rows = local_frame(spark, [(census, 1, [])], TABLE.schema)
        store.replace_census(rows, lake, TABLE, census)
        store.append(rows, lake, appended, census)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, ("a", "b", "b", "c")))
    assert censuses(spark, lake) == censuses(spark, lake, appended) == ["a", "b", "c"]


def test_a_missing_folder_is_no_query(spark: SparkSession, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first census of a lake looks for some fifty missing tables; what is no folder is Spark's to judge."""
    asked: list[str] = []
    monkeypatch.setattr(SparkSession, "table", lambda _self, name: asked.append(name))
    assert store.found(spark, lake, "published", TABLE.name) is None
    assert asked == []
    Path(str(lake.root)).write_text("no folder", encoding="utf-8")
    with pytest.raises(CorruptLake):
        store.found(spark, lake, "published", TABLE.name)
    assert asked == [lake.name_of(TABLE)]


def test_where_paths_are_on_another_file_system_spark_looks_for_tables(spark: SparkSession, lake: Lake) -> None:
    """A path without a scheme is on Hadoop's default file system, such as HDFS: no folder of this machine."""
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    before = hadoop.get("fs.defaultFS")
    hadoop.set("fs.defaultFS", "viewfs://cluster/")
    try:
        with pytest.raises(CorruptLake, match="viewfs"):
            store.found(spark, lake, "published", TABLE.name)
    finally:
        hadoop.set("fs.defaultFS", before)
    assert store.found(spark, lake, "published", TABLE.name) is None


def test_a_table_outlives_its_checkpoints(spark: SparkSession, lake: Lake) -> None:
    """Delta writes every ten commits, here every two, into a checkpoint, read back without code generation."""
    store.create(spark, lake, TABLE)
    spark.sql(f"ALTER TABLE {lake.name_of(TABLE)} SET TBLPROPERTIES ('delta.checkpointInterval' = '2')")
    for number in range(2):
        one = local_frame(spark, [(f"c-{number}", number, [])], TABLE.schema)
        store.replace_census(one, lake, TABLE, f"c-{number}")
    log = Path(lake.path(TABLE.layer, TABLE.name), "_delta_log")
    assert [file.name for file in log.glob("*.checkpoint*.parquet")] != []
    spark.sql("CLEAR CACHE")
    fresh = spark.newSession()
    assert sorted(row.n for row in store.read(fresh, lake, TABLE).collect()) == [0, 1]
    store.replace_census(local_frame(spark, [("c-1", 11, [])], TABLE.schema), lake, TABLE, "c-1")
    assert [row.n for row in store.rows(fresh, lake, TABLE, "c-1").collect()] == [11]


def test_half_a_name_of_the_last_checkpoint_is_no_damage(spark: SparkSession, lake: Lake, tmp_path: Path) -> None:
    """Delta writes it in place on a local disk: a reader may find half of it, and so may a job after a kill."""
    store.create(spark, lake, TABLE)
    for number in range(3):
        one = local_frame(spark, [(f"c-{number}", number, [])], TABLE.schema)
        store.replace_census(one, lake, TABLE, f"c-{number}")
    DeltaTable(lake.path(TABLE.layer, TABLE.name)).create_checkpoint()
    later = Lake(root=shutil.copytree(tmp_path / "lake", f"{tmp_path}/later"))
    last = Path(later.path(TABLE.layer, TABLE.name), "_delta_log", "_last_checkpoint")
    last.write_bytes(last.read_bytes()[:-9])
    assert DeltaTable(str(last.parents[1])).to_pyarrow_table().num_rows == 3
    assert store.read(spark, later, TABLE).count() == 3


def test_table_carries_its_comments_and_is_partitioned(spark: SparkSession, lake: Lake) -> None:
    """A census, and an RPC, has its own files; of pages Delta keeps minima of what they are read by, and of no more."""
    for table, by, setting, value in (
        (TABLE, ["census_id"], "delta.setTransactionRetentionDuration", "interval 30 days"),
        (landed_table(), ["census_id", "rpc"], "delta.dataSkippingStatsColumns", "scope,wave"),
    ):
        store.create(spark, lake, table)
        [detail] = spark.sql(f"DESCRIBE DETAIL {lake.name_of(table)}").collect()
        assert (detail.description, detail.partitionColumns) == (table.comment, by)
        assert detail.properties[setting] == value
    schema = store.read(spark, lake, TABLE).schema
    assert schema["n"].metadata["comment"] == "A number."
    assert schema["items"].dataType.elementType["x"].metadata["comment"] == "It's nested."
    assert not schema["items"].nullable


def test_what_is_not_the_table_is_one_clear_line(spark: SparkSession, lake: Lake) -> None:
    """A table of an older release may be read as it is."""
    with pytest.raises(CorruptLake, match="does not exist; has this lake been landed"):
        store.read(spark, lake, TABLE)
    store.create(spark, lake, replace(TABLE, schema=StructType(TABLE.schema.fields[:2])))
    older = "was written by an older release: column items is missing; run kafka-census migrate"
    with pytest.raises(CorruptLake, match=older):
        store.read(spark, lake, TABLE)
    shown = store.readable(spark, lake, TABLE)
    assert shown is not None
    assert shown.columns == ["census_id", "n"]
    other = replace(TABLE, schema=StructType(TABLE.schema.fields[:1]))
    with pytest.raises(CorruptLake, match=r"is not the table it should be: column n is unknown$"):
        store.create(spark, lake, other)
    frame = spark.createDataFrame([("c", 1)], "census_id STRING, n BIGINT")
    with pytest.raises(CorruptLake, match=r"column n is bigint, not int$"):
        store.append(frame, lake, replace(TABLE, schema=StructType(TABLE.schema.fields[:2])), "a")


@pytest.fixture
def repeated(spark: SparkSession, lake: Lake) -> Lake:
    """A table whose first write was cut off, and then repeated; Delta makes the folder of its log before all files."""
    killed = Path(lake.path(TABLE.layer, TABLE.name), "census_id=old")
    for folder in (killed.with_name("_delta_log"), killed):
        folder.mkdir(parents=True)
    (killed / "part-00000.snappy.parquet").write_bytes(b"cut off")
    write(spark, lake, "first")
    return lake


def write(spark: SparkSession, lake: Lake, census_id: str) -> None:
    store.append(local_frame(spark, [(census_id, 1, [])], TABLE.schema), lake, TABLE, census_id)


def test_a_table_on_a_path_gets_its_comment_once(spark: SparkSession, repeated: Lake) -> None:
    for _ in range(2):
        _comment(spark, repeated, TABLE, NullProgress())
    seen = DeltaTable(repeated.path(TABLE.layer, TABLE.name))
    assert [commit["operation"] for commit in seen.history()] == ["SET TBLPROPERTIES", "WRITE"]
    assert seen.metadata().description == TABLE.comment
    fields = {field.name: field for field in seen.schema().fields}
    assert fields["n"].metadata == {"comment": "A number."}
    [inside, _] = fields["items"].type.element_type.fields
    assert inside.metadata == {"comment": "It's nested."}


def test_writers_and_a_comment_at_once_lose_nothing(
    spark: SparkSession, repeated: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_retry, "_turn", lambda *_: nullcontext())
    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(write, spark, repeated, f"census-{number}") for number in range(3)]
        done.append(pool.submit(_comment, spark, repeated, TABLE, NullProgress()))
        assert [one.result() for one in done] == [None] * 4
    seen = DeltaTable(repeated.path(TABLE.layer, TABLE.name))
    assert (seen.to_pyarrow_table().num_rows, seen.metadata().description) == (4, TABLE.comment)
