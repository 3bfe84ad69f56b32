"""Who reads a lake sees published censuses alone, the same with Spark and without, and reads no other file."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import kafka_census
from harness.both_engines import Rows, all_by_duckdb, by_duckdb, by_spark
from harness.documented import SQL
from harness.small_lake import NOON, OF_CLUSTER, append, census_id, publish, stage
from kafka_census.census.publish.conditions import as_of_condition, current_condition
from kafka_census.census.publish.definition import Definition, make_permanent
from kafka_census.declarations import freshness
from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS
from kafka_census.declarations.census import started_at
from kafka_census.errors import ConfigError, CorruptLake
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.reading.newer import Event, newer
from kafka_census.reading.sql.age import ages
from kafka_census.reading.sql.session import Session
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.spark.session import require_schema
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS as TABLE

VIEWS = {f"current_{TABLE.name}", f"history_{TABLE.name}", f"candidate_{TABLE.name}", "publications", "freshness"}
PUBLISHED = (1, 2, 3, 4, 5)  # the sixth census is staged, but was not made visible


@pytest.fixture(scope="module")
def spark(spark: SparkSession) -> SparkSession:
    """A session in which the temporary views of other tests do not exist."""
    return spark.newSession()


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Six censuses of two clusters in turn, one file each; five of them published, an hour apart."""
    root = tmp_path_factory.mktemp("views") / "lake"
    for number in OF_CLUSTER:
        stage(root, TABLE, number, topic="b", partition=0)
    publish(root, *PUBLISHED, table=TABLE)
    kafka_census.register(spark, str(root))
    return Lake(root=str(root))


def censuses(frame: DataFrame) -> list[str]:
    return sorted(row.census_id for row in frame.select("census_id").collect())


def ids(*numbers: int) -> list[str]:
    return [census_id(number) for number in numbers]


AS_OF = f"{TABLE.name}_as_of"
SEEN = {
    f"current_{TABLE.name}": (4, 5),
    f"history_{TABLE.name}": PUBLISHED,
    f"candidate_{TABLE.name}": (6,),
    "publications": PUBLISHED,
    f"{AS_OF}('2026-11-21 12:59:00+00:00')": (),
    f"{AS_OF}('2026-11-21 13:00:00+00:00')": (1,),
    f"{AS_OF}('2026-11-21 16:59:59.999+00:00')": (3, 4),
    f"{AS_OF}('2026-11-21 17:00:00+00:00')": (4, 5),
    f"{AS_OF}((SELECT min(published_at) FROM publications))": (1,),
}
"""The censuses that each view shows."""


@pytest.fixture(scope="module")
def in_duckdb(lake: Lake) -> dict[str, Rows]:
    return dict(zip(SEEN, all_by_duckdb(str(lake.root), [f"SELECT * FROM {view}" for view in SEEN]), strict=True))


@pytest.mark.parametrize("view", SEEN)
def test_views_show_what_is_published_with_spark_and_without(
    spark: SparkSession, in_duckdb: dict[str, Rows], view: str
) -> None:
    found = by_spark(spark, f"SELECT * FROM {view}")
    assert sorted(dict(row)["census_id"] for row in found) == ids(*SEEN[view])
    assert in_duckdb[view] == found


BECAME = {
    "calm": ["1 published"],
    "refused": ["1 published", "2 started", "2 landed", "2 refused"],
    "cleared": ["1 published", "2 refused", "2 cleared"],
    "failed": ["1 published", "2 failed", "2 resumed", "2 failed"],
    "running": ["1 published", "2 started", "2 failed", "2 resumed"],
    "overtaken": ["1 published", "3 gated", "2 refused"],
    "published": ["2 refused", "3 published"],
    "never": ["1 started", "1 staged"],
}
"""The events of the censuses of a cluster, each an hour after the one before it."""


def test_freshness_says_what_newer_says_with_spark_and_without(spark: SparkSession, lake: Lake, tmp_path: Path) -> None:
    """Of clusters in all states, of which one is known by its name alone; without `census_runs` it is not known."""
    told = Lake(root=str(tmp_path / "lake"))
    events, shown = dict[str, list[Event]](), dict[str, str]()
    for number, (name, those) in enumerate(BECAME.items()):
        for at, (of, event) in enumerate(each.split() for each in those):
            made = census_id(10 * number + int(of))
            found = Event(made, event, NOON + timedelta(hours=at), f"why {at}")
            by_name = name == "failed" and event != "published"
            row = asdict(found) | {"cluster": name, "cluster_id": None if by_name else f"id-{name}"}
            append(Path(str(told.root)), CENSUS_RUNS, [row])
            if event == "published":
                row = {"census_id": made, "cluster_id": row["cluster_id"], "cluster": name, "table_name": TABLE.name}
                append(Path(str(told.root)), PUBLICATIONS, [row | {"published_at": found.at}])
                shown[name] = made
            events.setdefault(name, []).append(found)
    text = freshness.query(told.name_of(PUBLICATIONS), told.name_of(CENSUS_RUNS), freshness.SPARK)
    wanted = "SELECT cluster, census_id, began_at, published_at, newer_census_id, newer_event, newer_at"
    both = [by_spark(spark, f"{wanted} FROM ({text})"), by_duckdb(str(told.root), f"{wanted} FROM freshness")]
    for rows in both:
        for row in map(dict, rows):
            name = row["cluster"]
            expected = newer(events[name], shown.get(name, ""))
            seen = row["newer_census_id"] and Event(row["newer_census_id"], row["newer_event"], row["newer_at"], None)
            assert (row["census_id"], seen) == (shown.get(name), expected and replace(expected, detail=None))
            assert row["began_at"] == (started_at(shown[name]) if name in shown else None)
        assert {dict(row)["cluster"] for row in rows} == set(BECAME)
    assert both[0] == both[1]
    text = "SELECT cluster, age_seconds > 0, newer_state, newer_reason, newer_see FROM freshness"
    state = {row[0][1]: tuple(value for _, value in row[1:]) for row in by_duckdb(str(told.root), text)}
    see = f"SELECT * FROM census_runs WHERE census_id = '{census_id(32)}'"
    assert state["refused"] == (True, "refused", "why 3", "kafka-census report --cluster refused --unpublished")
    assert (state["failed"], state["calm"]) == ((True, "failed", "why 3", see), (True, None, None, None))
    # A census that is computed and not judged has no report.
    assert state["never"] == (None, "running", None, f"SELECT * FROM census_runs WHERE census_id = '{census_id(71)}'")
    lines = [line for _, line in ages(Session(str(told.root)), PublishedLake(str(told.root)), {}, NOON)]
    assert lines[0].startswith(f"cluster never: no census is published. A newer census, {census_id(71)}, has not ended")
    assert (["A newer census" in line for line in lines], lines[-1]) == (
        [True] * 5 + [False],
        "3 more clusters are in the view freshness",
    )
    not_known = [(number, "not known") for number in (4, 5)]
    rows = spark.sql("SELECT census_id, newer_state FROM freshness").collect()
    assert sorted(map(tuple, rows)) == [(census_id(number), said) for number, said in not_known]


def test_two_times_may_be_compared_in_one_query(spark: SparkSession, lake: Lake) -> None:
    sql = f"SELECT n.census_id FROM {AS_OF}(TIMESTAMP '2026-11-21 18:00') AS n JOIN {AS_OF}('2026-11-21 13:00') USING "
    assert censuses(spark.sql(f"{sql}(cluster_id)")) == ids(5)


@contextmanager
def only_files_of(spark: SparkSession, lake: Lake, *numbers: int) -> Iterator[None]:
    """Corrupt the files of all other censuses on disk, so that reading them fails."""
    folder = Path(lake.path(TABLE.layer, TABLE.name))
    store.read(spark, lake, TABLE).count()
    for number in OF_CLUSTER:
        [file] = (folder / f"census_id={census_id(number)}").glob("*.parquet")
        if number not in numbers:
            file.rename(file.with_suffix(".away"))
    try:
        yield
    finally:
        for file in folder.glob("*/*.away"):
            file.rename(file.with_suffix(".parquet"))


def test_a_reader_reads_no_file_but_those_of_the_censuses_that_it_shows(spark: SparkSession, lake: Lake) -> None:
    views = {f"current_{TABLE.name}": (4, 5), f"candidate_{TABLE.name}": (6,), f"{AS_OF}('2026-11-21 15:30')": (2, 3)}
    for view, seen in views.items():
        with only_files_of(spark, lake, *seen):
            assert censuses(spark.sql(f"SELECT * FROM {view}")) == ids(*seen)
    with only_files_of(spark, lake, 4, 5):
        with pytest.raises(Exception, match=r"FILE_NOT_EXIST|FAILED_READ_FILE"):
            spark.table(f"history_{TABLE.name}").collect()
        [rows] = kafka_census.current(str(lake.root), TABLE.name)
        assert sorted(rows.to_table()["census_id"].to_pylist()) == ids(4, 5)


def test_as_of_is_the_later_census_though_an_older_one_was_published_after_it(spark: SparkSession, lake: Lake) -> None:
    """As in `current`: a late publication of an older census does not hide the newer one."""
    source, late = lake.name_of(TABLE), Lake(root=f"{lake.root}-late")
    for number, hour in {1: 1, 3: 5, 5: 3}.items():
        row = {"census_id": census_id(number), "cluster_id": "one", "table_name": TABLE.name}
        append(Path(str(late.root)), PUBLICATIONS, [row | {"published_at": NOON + timedelta(hours=hour)}])
    for hour, seen in ((2, 1), (4, 5), (6, 5)):
        condition = as_of_condition(late, TABLE, f"TIMESTAMP '2026-11-21 {12 + hour}:00'")
        assert censuses(spark.sql(f"SELECT * FROM {source} WHERE {condition}")) == ids(seen)
    current = spark.sql(f"SELECT * FROM {source} WHERE {current_condition(late, TABLE)}")
    assert censuses(current) == ids(5)


def test_views_of_a_session_are_not_taken_for_those_of_a_catalog(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One statement shows that a view is missing, and none fails: a server of Spark Connect would log that."""
    spark.sql("CREATE SCHEMA views_beside")
    wanted = [
        Definition("FUNCTION", "beside_as_of", "SELECT beside_as_of.time AS t", "timestamp"),
        Definition("VIEW", "beside", "SELECT 1 AS n", "int"),
    ]
    fresh, at = spark.newSession(), Lake(catalog="spark_catalog.views_beside")
    asked, sql = list[str](), SparkSession.sql
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


def test_what_is_not_published_is_one_line(spark: SparkSession, lake: Lake) -> None:
    with pytest.raises(CorruptLake, match=r"^nothing is published in .*: run a census first, or check the path$"):
        kafka_census.register(spark, f"{lake.root}-else")
    for root, table in ((f"{lake.root}-else", TABLE.name), (lake.root, "nothing")):
        with pytest.raises(CorruptLake, match=r"is no Delta table: nothing was published there yet, or it is no lake$"):
            kafka_census.current(str(root), table)


COLUMNS = "7 AS a, 2 AS b, 'text' AS s, {} AS xs, {} AS items, CAST('2026-11-20 12:00:00' AS {}) AS t"
OF_SPARK = COLUMNS.format("array(10, 20)", "array(named_struct('k', 1))", "TIMESTAMP")
OF_DUCKDB = COLUMNS.format("[10, 20]", "[{'k': 1}]", "TIMESTAMPTZ")
_, _, _AND_MORE = SQL.read_text(encoding="utf-8").partition("| Spark | DuckDB |\n")
DIFFERENT = re.findall(r"^\| `+(.+?) ?`+ \| `(.+)` \|$", _AND_MORE.partition("\n\n")[0], re.MULTILINE)


def test_what_is_called_differently_means_the_same(spark: SparkSession, lake: Lake) -> None:
    in_duckdb = all_by_duckdb(str(lake.root), [f"SELECT {says} FROM (SELECT {OF_DUCKDB})" for _, says in DIFFERENT])
    assert len(in_duckdb) > 10
    for (spark_says, _), theirs in zip(DIFFERENT, in_duckdb, strict=True):
        ours = by_spark(spark, f"SELECT {spark_says} FROM (SELECT {OF_SPARK})")
        assert [[value for _, value in row] for row in theirs] == [[value for _, value in row] for row in ours] != []


def test_every_table_has_its_views_which_move_without_being_made_again(spark: SparkSession, lake: Lake) -> None:
    assert {row.viewName for row in spark.sql("SHOW VIEWS").collect() if row.isTemporary} == VIEWS
    assert censuses(spark.table(f"current_{TABLE.name}")) == ids(4, 5)
    publish(Path(str(lake.root)), 6, table=TABLE)
    assert censuses(spark.table(f"current_{TABLE.name}")) == ids(5, 6)
