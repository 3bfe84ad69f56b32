"""A lake of an older release, which lacks columns: reported in one line, shown unchanged, and migrated."""

import io
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, IntegerType, StringType, StructType

import kafka_census
from kafka_census.census import run as workflow
from kafka_census.census.publish.promote import promote
from kafka_census.census.work import Work
from kafka_census.clock import Clock
from kafka_census.config import load
from kafka_census.declarations.audit import ROUTES
from kafka_census.declarations.levels import walks_for
from kafka_census.declarations.table import Table, column
from kafka_census.errors import ConfigError, CorruptLake
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.lake.runs import Runs
from kafka_census.landing.fetch.schema import landed_table
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG as TABLE
from kafka_census.terminal.log import Redactor
from kafka_census.terminal.progress import NullProgress
from kafka_census.upkeep import run as upkeep
from kafka_census.upkeep.maintenance import migrate as migration
from kafka_census.upkeep.maintenance.maintain import commit
from spark.fake_lake import census, healthy, land, passing
from spark.landed_items import rows_of
from spark.planted_tables import staged_row

CLUSTERS = "{test: {bootstrap_servers: ['127.0.0.1:9092']}}"
CONF = f"{{tables: [{TABLE.name}], lake: {{root: lake}}, clusters: {CLUSTERS}}}"
OLDER = r"reassignment_backlog` was written by an older release: column cluster is missing; run kafka-census migrate$"
ABSENT = ("cluster", "topic_id")
BEFORE, AFTER = (census(number, (TABLE.name,)) for number in (1, 2))


@dataclass(frozen=True)
class OldLake:
    """The lake, and the work of jobs on it: the steps of a census, and maintenance, which changes the lake."""

    spark: SparkSession
    lake: Lake
    census: Work
    upkeep: Work

    def migrated(self, *, apply: bool) -> str:
        """The output of jobs/migrate.py."""
        out = io.StringIO()
        upkeep.run_migrate(replace(self.upkeep, apply=apply, out=out))
        return out.getvalue()

    def shown(self) -> list[list[str]]:
        """The censuses of each view, in a session that has not seen the lake before."""
        fresh = self.spark.newSession()
        kafka_census.register(fresh, str(self.lake.root))
        return [
            sorted(row.census_id for row in fresh.table(f"{view}_{TABLE.name}").select("census_id").collect())
            for view in ("current", "history")
        ]


@pytest.fixture(scope="module")
def old(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> OldLake:
    """The lake of this file's tests, which take it from one state to the next, in their order."""
    folder = tmp_path_factory.mktemp("migrate")
    (folder / "census.yaml").write_text(CONF, encoding="utf-8")
    config, clock = load(str(folder / "census.yaml"), {}), Clock()
    config = replace(config, lake=Lake(root=str(folder / "lake")))
    common = (spark, config, "test", clock, NullProgress(), io.StringIO())
    runs = Runs(spark, config.lake, clock)
    work = Work(*common, runs=runs, redactor=Redactor()), Work(*common, runs=runs, apply=True)
    lake = OldLake(spark, config.lake, *work)
    older = replace(TABLE, schema=StructType([one for one in TABLE.schema.fields if one.name not in ABSENT]))
    store.append(rows_of(spark, older, [staged_row(older, BEFORE)]), lake.lake, older, "test")
    promote(spark, lake.lake, BEFORE, passing(1, tables=(TABLE,)), NullProgress())
    runs.remember(BEFORE, "started")
    runs.note(BEFORE, "published")
    # With the comments of columns, which tell migrated lists.
    for table in (landed_table(), ROUTES):
        store.create(spark, lake.lake, table)
    walks = {(walk.rpc, walk.scope) for walk in walks_for((TABLE,))}
    pages = {walk: landed for walk, landed in healthy().items() if walk in walks}
    land(lake.lake, {AFTER: pages}, whole=True)
    runs.remember(AFTER, "started")
    runs.note(AFTER, "landed")
    return lake


def test_an_old_lake_is_reported_in_one_line_and_shown_as_it_is(old: OldLake) -> None:
    """By jobs that compute, and by maintenance before any change."""
    for job in (lambda: workflow.run_transform(old.census), lambda: upkeep.run_maintain(old.upkeep)):
        with pytest.raises(CorruptLake, match=OLDER):
            job()
    assert old.shown() == [[BEFORE.census_id], [BEFORE.census_id]]


def test_what_is_no_lake_is_reported(old: OldLake) -> None:
    nowhere = replace(old.upkeep.config, lake=Lake(root=f"{old.lake.root}-else"))
    with pytest.raises(ConfigError, match=r"^there is no census in this lake; survey it first: kafka-census run$"):
        upkeep.run_migrate(replace(old.upkeep, config=nowhere))


def test_after_migrating_the_lake_is_as_if_it_had_been_made_now(old: OldLake) -> None:
    reported_before = old.migrated(apply=False)
    assert reported_before.startswith("published/reassignment_backlog: cluster, topic_id\n")
    assert reported_before == old.migrated(apply=True) + "dry run: nothing was changed; --apply does it\n"
    assert old.migrated(apply=False) == "nothing in this lake is of an older release\n"
    rows = store.read(old.spark, old.lake, TABLE)
    assert rows.schema["topic_id"].metadata == TABLE.schema["topic_id"].metadata
    assert {(row.topic_id, row.cluster) for row in rows.collect()} == {(None, None)}


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


def test_what_is_no_older_table_is_not_touched(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(root=str(tmp_path / "lake"))
    store.append(local_frame(spark, [([], "new", 2, [])], LATER.schema), lake, LATER, "new")
    with pytest.raises(CorruptLake, match=r"is not the table it should be: column first is unknown$"):
        migration.changes(spark, lake, [NOW])
