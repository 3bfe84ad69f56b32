"""A lake of release 0.1.0: reported in one line, shown unchanged, migrated, and used further."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import ArrayType, IntegerType, StringType, StructType

from harness.few_tables import FEW_TABLES
from kafka_census.census import Census
from kafka_census.errors import ConfigError, CorruptLake
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.maintenance import migrate as migration
from kafka_census.maintenance.maintain import commit
from kafka_census.pages.landed_census import read_landed_census
from kafka_census.progress import NullProgress
from kafka_census.publish.promote import promote
from kafka_census.staging.stage import stage
from kafka_census.tables.audit import PUBLICATIONS, ROUTES
from kafka_census.tables.levels import walks_for
from kafka_census.tables.reassignment_backlog import REASSIGNMENT_BACKLOG
from kafka_census.tables.table import Table, column
from kafka_census.workflows import upkeep
from spark.fake_lake import FakeLake, census, healthy, passing
from spark.old_lake import OldLake, old_lake

CONF = "{lake: {root: lake}, clusters: {test: {bootstrap_servers: ['127.0.0.1:9092']}}}"
OLDER = r"was written by an older release: .+; run kafka-census migrate$"
ELSEWHERE = r"was written by an older release: audit tables are in the layer audit now; run kafka-census migrate$"
DAYS_LATER = 7 * 24 * 60
NAMES = tuple(table.name for table in FEW_TABLES)


@pytest.fixture(scope="module")
def old(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OldLake]:
    """The lake of this file's tests, which take it from one state to the next, in their order."""
    with old_lake(spark, tmp_path_factory.mktemp("migrate"), "0.1.0.tar.xz", CONF) as lake:
        yield lake


def shown(old: OldLake) -> dict[str, tuple[set[str], set[str]]]:
    views = old.views()
    return {
        name: (censuses(views.table(f"current_{name}")), censuses(views.table(f"history_{name}"))) for name in NAMES
    }


def censuses(frame: DataFrame) -> set[str]:
    return {row.census_id for row in frame.select("census_id").distinct().collect()}


def old_census(old: OldLake) -> Census:
    staged, published = old.runs.of(("test",))
    assert (staged.reached, published.reached) == ("staged", "published")
    return published.census


def test_an_old_lake_is_reported_in_one_line(old: OldLake) -> None:
    """By jobs that compute, by maintenance before any change, and by readers; no job treats it as a new lake."""
    old.is_refused(OLDER)
    for read in (old.views, lambda: old.runs.of(("test",))):
        with pytest.raises(CorruptLake, match=ELSEWHERE):
            read()


def test_what_is_no_lake_is_reported(old: OldLake) -> None:
    nowhere = replace(old.upkeep.config, lake=Lake(root=f"{old.lake.root}-else"))
    with pytest.raises(ConfigError, match=r"^there is no census in this lake; survey it first: kafka-census run$"):
        upkeep.run_migrate(replace(old.upkeep, config=nowhere))


def test_after_migrating_the_lake_is_as_if_it_had_been_made_now(old: OldLake) -> None:
    reported_before = old.migrated(apply=False)
    assert max(map(len, reported_before.splitlines())) <= 80
    for expected in (
        "into landing/pages: landed pages of ",
        "into audit/: routes, calls, verdicts, publications, census_runs",
        "published/reassignment_backlog: cluster, topic_id,",
        "published/under_min_isr_partitions: min_isr_broker_id (renamed), cluster,",
    ):
        assert expected in reported_before
    assert reported_before == old.migrated(apply=True) + "dry run: nothing was changed; --apply does it\n"
    assert old.migrated(apply=False) == "nothing in this lake is of an older release\n"
    before = {old_census(old).census_id}
    assert shown(old) == dict.fromkeys(NAMES, (before, before))
    rows = store.read(old.spark, old.lake, REASSIGNMENT_BACKLOG)
    assert rows.schema["topic_id"].metadata == REASSIGNMENT_BACKLOG.schema["topic_id"].metadata
    assert {(row.topic_id, row.cluster) for row in rows.collect()} == {(None, None)}
    owed = store.read(old.spark, old.lake, ROUTES).where("rpc = 'ListGroups'")
    assert {row.broker_id for row in owed.collect()} == {1, 2, 3}


def test_a_new_census_is_published_beside_the_old_one(old: OldLake) -> None:
    spark, lake, table, before = old.spark, old.lake, REASSIGNMENT_BACKLOG, old_census(old)
    new = replace(census(DAYS_LATER, (table.name,)), cluster_id=before.cluster_id)
    walks = {(walk.rpc, walk.scope) for walk in walks_for((table,))}
    pages = {walk: landed for walk, landed in healthy().items() if walk in walks}
    FakeLake(spark, lake, whole=True).land({new: pages})
    landed = read_landed_census(spark, lake, new.census_id, (table,))
    assert landed.missing_reads == []
    stage(spark, lake, new, (table,), landed, NullProgress())
    promote(spark, lake, new, passing(1, tables=(table,)), NullProgress())
    alone, both = {before.census_id}, {before.census_id, new.census_id}
    assert shown(old) == dict.fromkeys(NAMES, (alone, alone)) | {table.name: ({new.census_id}, both)}
    rows = store.rows(spark, lake, table, new.census_id).collect()
    assert {(row.topic_id, row.cluster) for row in rows} == {("id-b", new.cluster)}


LATER = Table(
    name="later",
    layer="published",
    comment="A table of a release to come.",
    schema=StructType(
        [
            column("first", ArrayType(StringType()), "A list that was not there."),
            column("census_id", StringType(), "The census."),
            column("n", IntegerType(), "A number."),
            column("more", ArrayType(StructType([column("x", IntegerType(), "Inside.")])), "Another one."),
        ]
    ),
    key=("n",),
)
NOW = replace(LATER, schema=StructType([LATER.schema["census_id"], LATER.schema["n"]]))


def test_a_new_list_is_never_null_wherever_a_migration_was_cut_off(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between any two statements and run again: old rows have empty lists, columns are in their order."""
    lake = Lake(root=str(tmp_path / "lake"))
    store.append(local_frame(spark, [("old", 1)], NOW.schema), lake, NOW, "old")
    left = crashes = 0

    def dying(session: SparkSession, lake: Lake, table: Table, statement: str) -> None:
        nonlocal left
        if not left:
            raise KeyboardInterrupt
        left -= 1
        commit(session, lake, table, statement)

    monkeypatch.setattr(migration, "commit", dying)
    # First the columns; then each list is filled, and filled again until its comment records that.
    for allowed in (1, 1, 2, 1, 2):
        left = allowed
        [change] = migration.changes(spark, lake, [LATER])
        try:
            migration.migrate(spark, lake, change, NullProgress())
        except KeyboardInterrupt:
            crashes += 1
    assert crashes == 4
    assert migration.changes(spark, lake, [LATER]) == ()
    store.append(local_frame(spark, [(["a"], "new", 2, [])], LATER.schema), lake, LATER, "new")
    rows = store.read(spark, lake, LATER).orderBy("n").collect()
    assert [tuple(row) for row in rows] == [([], "old", 1, []), (["a"], "new", 2, [])]


@pytest.mark.parametrize("catalog", [False, True])
def test_columns_are_renamed_with_all_rows_and_nothing_else(spark: SparkSession, tmp_path: Path, catalog: bool) -> None:
    """Top-level and nested, in one commit; properties, comments and partition folders stay."""
    lake = Lake(root=str(tmp_path / "lake"))
    if catalog:
        spark.sql("CREATE SCHEMA IF NOT EXISTS renamed")
        lake = Lake(catalog="spark_catalog.renamed")
    census_id, broker_id = column("census_id", StringType(), "The census."), column("broker_id", IntegerType(), "Who.")
    kept = column("kept", StringType(), "It's kept.")
    missing = column("missing", PUBLICATIONS.schema["missing"].dataType, "What.")
    # The catalog of this session is in memory, and accepts no other schema for a partitioned table.
    layer = "audit" if catalog else "published"
    table = Table("called", layer, "Called otherwise.", StructType([census_id, broker_id, kept, missing]), ())
    lost = PUBLICATIONS.schema["missing"].dataType.elementType
    inside = StructType([lost["rpc"], column("node_id", IntegerType(), "Which."), lost["error"], lost["reason"]])
    former = StructType([census_id, inside["node_id"], kept, column("missing", ArrayType(inside), "What.")])
    was, values = replace(table, schema=former), [("a", 1, "x", []), ("b", None, None, [("R", 2, "E", "r")])]
    store.append(local_frame(spark, values, former), lake, was, "old")
    [before] = spark.sql(f"DESCRIBE DETAIL {lake.name_of(table)}").collect()

    with pytest.raises(CorruptLake, match=r"release: column broker_id has its former name; run kafka-census migrate$"):
        store.read(spark, lake, table)
    [change] = migration.changes(spark, lake, [table])
    assert (change.former, change.absent, change.fill) == (("broker_id", "missing.broker_id"), (), ())
    migration.migrate(spark, lake, change, NullProgress())

    assert migration.changes(spark, lake, [table]) == ()
    [after] = spark.sql(f"DESCRIBE DETAIL {lake.name_of(table)}").collect()
    assert (after.properties, after.partitionColumns) == (before.properties, before.partitionColumns)
    assert (after.description, after.partitionColumns) == (before.description, [] if catalog else ["census_id"])
    rows = store.read(spark, lake, table).orderBy("census_id")
    assert [tuple(row) for row in rows.collect()] == values
    assert [rows.schema[name].metadata for name in ("broker_id", "kept")] == [broker_id.metadata, kept.metadata]
    history = spark.sql(f"DESCRIBE HISTORY {lake.name_of(table)}").orderBy("version").collect()
    assert len(history) == (3 if catalog else 2)
    store.replace_census(local_frame(spark, [("b", 3, None, [])], table.schema), lake, table, "b")
    assert [row.broker_id for row in store.read(spark, lake, table).orderBy("census_id").collect()] == [1, 3]


def test_what_is_no_older_table_is_not_touched(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(root=str(tmp_path / "lake"))
    store.append(local_frame(spark, [([], "new", 2, [])], LATER.schema), lake, LATER, "new")
    with pytest.raises(CorruptLake, match=r"is not the table it should be: column first is unknown$"):
        migration.changes(spark, lake, [NOW])
    other = replace(LATER, schema=StructType([*LATER.schema.fields[:2], column("n", StringType(), "A word.")]))
    with pytest.raises(CorruptLake, match=r"is not the table it should be: column n is int, not string$"):
        migration.changes(spark, lake, [other])
