"""The views show published censuses only, move with `publications`, and read no more files than they show."""

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import kafka_census
from kafka_census.errors import CorruptLake
from kafka_census.publish.views import current_condition, history_condition, register_lake
from kafka_census.tables import TABLES, store
from kafka_census.tables.books import PUBLICATIONS
from kafka_census.tables.lake import Lake
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS as TABLE
from spark.fake_lake import NOON, census
from spark.planted_tables import staged_row

ONE, TWO = "cluster-one", "cluster-two"
OF_CLUSTER = {1: ONE, 2: TWO, 3: ONE, 4: TWO, 5: ONE, 6: TWO}
PUBLISHED = (1, 2, 3, 4, 5)  # the sixth census is copied, but was not made visible


def fill(spark: SparkSession, lake: Lake) -> None:
    """Six censuses of two clusters in turn, a commit each; five of them published."""
    store.create(spark, lake, TABLE)
    store.create(spark, lake, PUBLICATIONS)
    for number, cluster_id in OF_CLUSTER.items():
        rows = spark.createDataFrame([staged_row(TABLE, census(number), cluster_id)], TABLE.schema)
        store.replace_census(rows, lake, TABLE, census(number).census_id)
    told = [
        (census(number).census_id, OF_CLUSTER[number], "c", TABLE.name, True, [], "proven", 1, 0, NOON, NOON, NOON)
        for number in PUBLISHED
    ]
    store.append(spark.createDataFrame(told, PUBLICATIONS.schema), lake, PUBLICATIONS, "test")


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """A path lake with two clusters."""
    made = Lake(root=str(tmp_path_factory.mktemp("views") / "lake"))
    fill(spark, made)
    return made


def censuses(frame: DataFrame) -> list[str]:
    """The census ids of a frame's rows."""
    return sorted(row.census_id for row in frame.select("census_id").collect())


def ids(*numbers: int) -> list[str]:
    """Census ids by number."""
    return [census(number).census_id for number in numbers]


def test_views_show_what_is_published(spark: SparkSession, lake: Lake) -> None:
    """`current` is the last census of each cluster, `history` all of them; the one not published is in neither."""
    kafka_census.register(spark, str(lake.root))
    assert censuses(spark.table(f"current_{TABLE.name}")) == ids(4, 5)
    assert censuses(spark.table(f"history_{TABLE.name}")) == ids(*PUBLISHED)


def test_current_view_reads_one_partition_a_cluster(spark: SparkSession, lake: Lake) -> None:
    """Of six files the current view scans two, the history view five.

    Files that are not to be read are spoilt on disk: a view that opened one would fail.
    """
    folder = Path(lake.path(TABLE.place, TABLE.name))
    store.read(spark, lake, TABLE).count()
    for number in OF_CLUSTER:
        [file] = (folder / f"census_id={census(number).census_id}").glob("*.parquet")
        if number not in (4, 5):
            file.rename(file.with_suffix(".away"))
    source = lake.name(TABLE.place, TABLE.name)
    try:
        current = spark.sql(f"SELECT * FROM {source} WHERE {current_condition(lake, TABLE)}")
        assert censuses(current) == ids(4, 5)
        history = spark.sql(f"SELECT * FROM {source} WHERE {history_condition(lake, TABLE)}")
        with pytest.raises(Exception, match=r"FILE_NOT_EXIST|FAILED_READ_FILE"):
            history.collect()
    finally:
        for file in folder.glob("*/*.away"):
            file.rename(file.with_suffix(".parquet"))


def test_views_move_without_being_made_again(spark: SparkSession, lake: Lake) -> None:
    """A census that is published later appears in views that were made before."""
    kafka_census.register(spark, str(lake.root))
    current = spark.table(f"current_{TABLE.name}")
    assert censuses(current) == ids(4, 5)
    row = (census(6).census_id, TWO, "c", TABLE.name, True, [], "proven", 1, 0, NOON, NOON, NOON)
    store.append(spark.createDataFrame([row], PUBLICATIONS.schema), lake, PUBLICATIONS, "later")
    assert censuses(spark.table(f"current_{TABLE.name}")) == ids(5, 6)


def test_views_of_a_catalog_are_permanent(spark: SparkSession) -> None:
    """In a catalog the views are made once in its schema, beside the tables."""
    spark.sql("CREATE SCHEMA census_views")
    made = Lake(catalog="spark_catalog.census_views")
    fill(spark, made)
    register_lake(spark, made)
    view = f"spark_catalog.census_views.current_{TABLE.name}"
    assert censuses(spark.table(view)) == ids(4, 5)
    shown = {row.viewName for row in spark.sql("SHOW VIEWS IN census_views").collect() if not row.isTemporary}
    assert shown == {f"current_{TABLE.name}", f"history_{TABLE.name}"}


def test_lake_without_publications_is_one_clear_line(spark: SparkSession, tmp_path: Path) -> None:
    """Nothing published: the error says so, and what to do."""
    with pytest.raises(CorruptLake, match=r"^nothing is published in .*: run a census first, or check the path$"):
        kafka_census.register(spark, str(tmp_path / "nowhere"))


def test_every_table_has_both_views_once_it_is_published(spark: SparkSession, lake: Lake) -> None:
    """Tables that were never published have no views yet; the others have two."""
    fresh = spark.newSession()  # temporary views of other tests are not seen in it
    kafka_census.register(fresh, str(lake.root))
    names = {row.viewName for row in fresh.sql("SHOW VIEWS").collect() if row.isTemporary}
    assert TABLE in TABLES
    assert names == {f"current_{TABLE.name}", f"history_{TABLE.name}"}
