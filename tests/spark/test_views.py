"""Views and `as_of` show only published censuses, follow `publications`, and read no more files than they show."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import kafka_census
from kafka_census.errors import ConfigError, CorruptLake
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.publish.definition import Definition, make_permanent
from kafka_census.publish.views import as_of_condition, current_condition, history_condition, register_lake
from kafka_census.spark import require_schema
from kafka_census.tables import TABLES
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS as TABLE
from spark.fake_lake import NOON, census
from spark.planted_tables import staged_row

ONE, TWO = "cluster-one", "cluster-two"
OF_CLUSTER = {1: ONE, 2: TWO, 3: ONE, 4: TWO, 5: ONE, 6: TWO}
VIEWS = {f"current_{TABLE.name}", f"history_{TABLE.name}", f"candidate_{TABLE.name}", "publications"}
PUBLISHED = (1, 2, 3, 4, 5)  # the sixth census is staged, but was not made visible


def row_of(number: int) -> tuple[object, ...]:
    ids = (census(number).census_id, OF_CLUSTER[number], "c", TABLE.name)
    return (*ids, True, [], "proven", 1, 0, NOON, NOON, NOON)


def fill(spark: SparkSession, lake: Lake) -> None:
    """Six censuses of two clusters in turn, one commit each; five of them published, an hour apart."""
    store.create(spark, lake, TABLE)
    store.create(spark, lake, PUBLICATIONS)
    for number, cluster_id in OF_CLUSTER.items():
        rows = spark.createDataFrame([staged_row(TABLE, census(number), cluster_id)], TABLE.schema)
        store.replace_census(rows, lake, TABLE, census(number).census_id)
    reported = [(*row_of(number)[:-1], NOON + timedelta(hours=number)) for number in PUBLISHED]
    store.append(spark.createDataFrame(reported, PUBLICATIONS.schema), lake, PUBLICATIONS, "test")


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    made = Lake(root=str(tmp_path_factory.mktemp("views") / "lake"))
    fill(spark, made)
    return made


def censuses(frame: DataFrame) -> list[str]:
    return sorted(row.census_id for row in frame.select("census_id").collect())


def ids(*numbers: int) -> list[str]:
    return [census(number).census_id for number in numbers]


def test_views_show_what_is_published(spark: SparkSession, lake: Lake) -> None:
    kafka_census.register(spark, str(lake.root))
    assert censuses(spark.table(f"current_{TABLE.name}")) == ids(4, 5)
    assert censuses(spark.table(f"history_{TABLE.name}")) == ids(*PUBLISHED)


def test_what_is_not_published_is_a_candidate(spark: SparkSession, lake: Lake) -> None:
    """Staged rows of a census that was refused can be looked at; no file of another census is read for them."""
    kafka_census.register(spark, str(lake.root))
    with only_files_of(spark, lake, 6):
        assert censuses(spark.table(f"candidate_{TABLE.name}")) == ids(6)


@contextmanager
def only_files_of(spark: SparkSession, lake: Lake, *numbers: int) -> Iterator[None]:
    """Corrupt the files of all other censuses on disk, so that reading them fails."""
    folder = Path(lake.path(TABLE.layer, TABLE.name))
    store.read(spark, lake, TABLE).count()
    for number in OF_CLUSTER:
        [file] = (folder / f"census_id={census(number).census_id}").glob("*.parquet")
        if number not in numbers:
            file.rename(file.with_suffix(".away"))
    try:
        yield
    finally:
        for file in folder.glob("*/*.away"):
            file.rename(file.with_suffix(".parquet"))


def test_current_view_reads_one_partition_a_cluster(spark: SparkSession, lake: Lake) -> None:
    source = lake.name_of(TABLE)
    with only_files_of(spark, lake, 4, 5):
        current = spark.sql(f"SELECT * FROM {source} WHERE {current_condition(lake, TABLE)}")
        assert censuses(current) == ids(4, 5)
        history = spark.sql(f"SELECT * FROM {source} WHERE {history_condition(lake, TABLE)}")
        with pytest.raises(Exception, match=r"FILE_NOT_EXIST|FAILED_READ_FILE"):
            history.collect()


@pytest.mark.parametrize(
    ("time", "seen"),
    [("12:59", ()), ("13:00", (1,)), ("14:30", (1, 2)), ("15:30", (2, 3)), ("16:59:59.999", (3, 4)), ("17:00", (4, 5))],
)
def test_as_of_shows_what_was_published_last_at_a_time(
    spark: SparkSession, lake: Lake, time: str, seen: tuple[int, ...]
) -> None:
    kafka_census.register(spark, str(lake.root))
    with only_files_of(spark, lake, *seen):
        shown = spark.sql(f"SELECT * FROM {TABLE.name}_as_of(TIMESTAMP '2026-11-21 {time}')")
        assert censuses(shown) == ids(*seen)


def test_as_of_takes_whatever_is_a_time(spark: SparkSession, lake: Lake) -> None:
    kafka_census.register(spark, str(lake.root))
    name = f"{TABLE.name}_as_of"
    assert censuses(spark.sql(f"SELECT * FROM {name}('2026-11-21 15:30')")) == ids(2, 3)
    first = "(SELECT min(published_at) FROM publications)"
    assert censuses(spark.sql(f"SELECT * FROM {name}({first})")) == ids(1)
    both = f"SELECT now.census_id FROM {name}('2026-11-21 18:00') AS now JOIN {name}({first}) USING (cluster_id)"
    assert censuses(spark.sql(both)) == ids(5)


def test_as_of_is_the_later_census_though_an_older_one_was_published_after_it(spark: SparkSession, lake: Lake) -> None:
    """As in `current`: a late publication of an older census does not hide the newer one."""
    source, late = lake.name_of(TABLE), Lake(root=f"{lake.root}-late")
    hours = {1: 1, 3: 5, 5: 3}
    reported = [(*row_of(number)[:-1], NOON + timedelta(hours=hour)) for number, hour in hours.items()]
    store.append(spark.createDataFrame(reported, PUBLICATIONS.schema), late, PUBLICATIONS, "test")
    for hour, seen in ((2, 1), (4, 5), (6, 5)):
        condition = as_of_condition(late, TABLE, f"TIMESTAMP '2026-11-21 {12 + hour}:00'")
        assert censuses(spark.sql(f"SELECT * FROM {source} WHERE {condition}")) == ids(seen)
    current = spark.sql(f"SELECT * FROM {source} WHERE {current_condition(late, TABLE)}")
    assert censuses(current) == ids(5)


def test_views_move_without_being_made_again(spark: SparkSession, lake: Lake) -> None:
    kafka_census.register(spark, str(lake.root))
    current = spark.table(f"current_{TABLE.name}")
    assert censuses(current) == ids(4, 5)
    store.append(spark.createDataFrame([row_of(6)], PUBLICATIONS.schema), lake, PUBLICATIONS, "later")
    assert censuses(spark.table(f"current_{TABLE.name}")) == ids(5, 6)


def test_views_of_a_catalog_are_permanent(spark: SparkSession) -> None:
    """They are created once in the catalog's schema, beside the tables, for every session; `as_of` after USE."""
    spark.sql("CREATE SCHEMA census_views")
    made = Lake(catalog="spark_catalog.census_views")
    fill(spark, made)
    register_lake(spark.newSession(), made)  # which uses that schema from now on
    view = f"spark_catalog.census_views.current_{TABLE.name}"
    assert censuses(spark.table(view)) == ids(4, 5)
    shown = {row.viewName for row in spark.sql("SHOW VIEWS IN census_views").collect() if not row.isTemporary}
    assert shown == VIEWS
    fresh = spark.newSession()
    fresh.sql("USE spark_catalog.census_views")
    assert censuses(fresh.sql(f"SELECT * FROM {TABLE.name}_as_of('2026-11-21 15:30')")) == ids(2, 3)


def test_views_of_a_session_are_not_taken_for_those_of_a_catalog(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One statement shows that a view is missing, and none fails: a server of Spark Connect would log that."""
    spark.sql("CREATE SCHEMA views_beside")
    wanted = [
        Definition("FUNCTION", "beside_as_of", "SELECT beside_as_of.time AS t", "timestamp"),
        Definition("VIEW", "beside", "SELECT 1 AS n", "int"),
    ]
    fresh, at, asked, sql = (
        spark.newSession(),
        Lake(catalog="spark_catalog.views_beside"),
        list[str](),
        SparkSession.sql,
    )
    for each in wanted:
        fresh.sql(each.statement(Lake(root="of a session")))

    def asking(session: SparkSession, query: str) -> DataFrame:
        asked.append(query)
        return sql(session, query)

    monkeypatch.setattr(SparkSession, "sql", asking)
    made = []
    for lost in ("", "", "VIEW", "FUNCTION"):
        if lost:
            sql(fresh, f"DROP {lost} {next(at.in_catalog(each.name) for each in wanted if each.kind == lost)}")
        asked.clear()
        made.append((make_permanent(fresh, at, wanted), [query.split()[1] for query in asked if "SHOW" in query]))
    every = ["VIEWS", "USER", "TBLPROPERTIES"]
    assert made == [(2, every[:1]), (0, every), (2, every[:1]), (2, every[:2])]


def test_a_catalog_that_would_be_forgotten_is_one_clear_line(spark: SparkSession) -> None:
    """Spark keeps the catalog in memory unless it has a metastore."""
    with pytest.raises(ConfigError, match=r"^lake\.catalog spark_catalog\.a: this Spark keeps its catalog in memory, "):
        require_schema(spark, Lake(catalog="spark_catalog.a"))


def test_lake_without_publications_is_one_clear_line(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(CorruptLake, match=r"^nothing is published in .*: run a census first, or check the path$"):
        kafka_census.register(spark, str(tmp_path / "nowhere"))


def test_every_table_has_both_views_once_it_is_published(spark: SparkSession, lake: Lake) -> None:
    fresh = spark.newSession()  # temporary views of other tests do not exist in it
    kafka_census.register(fresh, str(lake.root))
    names = {row.viewName for row in fresh.sql("SHOW VIEWS").collect() if row.isTemporary}
    assert TABLE in TABLES
    assert names == VIEWS
