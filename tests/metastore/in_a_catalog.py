"""The life of a lake in a catalog: surveyed, read, resumed, maintained, migrated; groups deleted by a plan in it.

The catalog is a Hive metastore, its tables are in an object store. Run by test_metastore.py, in a process of its own.
The tests take one lake from one state to the next, in their order.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

import kafka_census
from e2e.operator import Operator
from emulator.asking import serving
from emulator.commanding import running
from emulator.deleting import TOPICS, Emulated, names, served
from kafka_census.lake import store
from kafka_census.progress import NullProgress
from kafka_census.publish.views import keep_permanent, lake_of
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.deletable_groups import DELETABLE_GROUPS
from kafka_census.tables.deletions import DELETION_PLANS
from kafka_census.tables.latest import LATEST_TABLES
from kafka_census.tables.quotas import QUOTAS
from kafka_census.tables.scram_users import SCRAM_USERS
from kafka_census.workflows import census as workflow
from metastore.jobs import SHORT, events

SCHEMA = "spark_catalog.census"


@pytest.fixture(scope="module")
def operator(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """Of a calm emulated cluster."""
    with running("--scenario", "calm") as (_, servers):
        folder = tmp_path_factory.mktemp("metastore")
        yield Operator(spark, folder, ",".join(servers), tables=(QUOTAS,), address=SCHEMA)


@dataclass
class Reported(NullProgress):
    """How many views were made, each time that somebody looked."""

    made: list[object] = field(default_factory=list)

    def __call__(self, event: str, **fields: object) -> None:
        """Keep the number."""
        assert event == "views_checked"
        self.made.append(fields["made"])


def published(operator: Operator, table: str = QUOTAS.name) -> list[str]:
    """The published censuses of a table, by its permanent view, in a session that has just begun."""
    fresh = operator.spark.newSession()
    fresh.sql(f"USE {SCHEMA}")
    return sorted(row.census_id for row in fresh.sql(f"SELECT DISTINCT census_id FROM history_{table}").collect())


def test_a_schema_that_is_not_there_is_one_line(operator: Operator) -> None:
    """Nothing is asked of Kafka then, and nothing is made in another schema."""
    ran = operator.run("census")
    assert ran.code == 2
    remedy = "there is no such schema; CREATE SCHEMA `spark_catalog`.`census`, or name another"
    assert ran.error == f"error: lake.catalog {SCHEMA}: {remedy}"
    operator.spark.sql(f"CREATE SCHEMA {SCHEMA}")


def test_a_census_makes_its_views(operator: Operator) -> None:
    """Whoever comes later reads them without `register`; the log says once that nobody else keeps a second run away."""
    ran = operator.run("census")
    assert ran.code == 0, ran.err
    assert len(events(ran, "no_run_lock")) == 1
    [checked] = events(ran, "views_checked")
    assert checked["made"] > 30
    [census_id] = published(operator)
    fresh = operator.spark.newSession()
    fresh.sql(f"USE {SCHEMA}")
    assert [row.census_id for row in fresh.sql("SELECT DISTINCT census_id FROM current_quotas").collect()] == [
        census_id
    ]
    as_of = fresh.sql("SELECT DISTINCT census_id FROM quotas_as_of(TIMESTAMP '2099-01-01 00:00')")
    assert [row.census_id for row in as_of.collect()] == [census_id]
    assert fresh.sql("SELECT inline(items) FROM landed_describe_client_quotas").count() == 2
    assert fresh.sql("SELECT * FROM candidate_quotas").count() == 0


def test_a_new_column_is_shown_once_the_lake_is_migrated(operator: Operator) -> None:
    """A table that an older release wrote, and its views; the job that adds the column makes them again."""
    spark, lake = operator.spark, lake_of(SCHEMA)
    *older, newest = SCRAM_USERS.schema.fields
    store.create(spark, lake, replace(SCRAM_USERS, schema=StructType(older)))
    kafka_census.register(spark, SCHEMA)
    assert spark.table("current_scram_users").columns == [field.name for field in older]
    ran = with_users(operator).run("census")
    assert ran.code == 1
    assert ran.error.endswith(f"column {newest.name} is missing; run kafka-census migrate")
    migrated = operator.run("migrate", "--apply")
    assert migrated.code == 0, migrated.err
    assert spark.newSession().table(f"{SCHEMA}.current_scram_users").columns == SCRAM_USERS.columns


def with_users(operator: Operator) -> Operator:
    """The operator, who surveys one more table."""
    return replace(operator, tables=(*operator.tables, SCRAM_USERS))


def test_a_census_that_was_cut_off_goes_on(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody sees it before. A view and a function that somebody dropped come back with it."""
    ours, before = with_users(operator), published(operator)
    operator.spark.sql(f"DROP VIEW {SCHEMA}.history_quotas")
    operator.spark.sql(f"DROP FUNCTION {SCHEMA}.quotas_as_of")
    with monkeypatch.context() as patched:
        patched.setattr(workflow, "_stage", lambda *_: 1 / 0)
        assert ours.run("census").code == 1
    assert sorted({row.census_id for row in operator.rows(PUBLICATIONS).collect()}) == before
    ran = ours.run("census", "--resume", KAFKA_CENSUS__LATEST_TABLES="true")
    assert ran.code == 0, ran.err
    assert len(events(ran, "resumed")) == 1
    [_first, second] = published(operator)
    assert published(operator, SCRAM_USERS.name) == [second]
    assert operator.spark.sql("SELECT * FROM quotas_as_of(now())").count() > 0
    [latest] = [table for table in LATEST_TABLES if table.name == QUOTAS.name]
    assert {row.census_id for row in operator.rows(latest).collect()} == {second}
    keep_permanent(operator.spark, lake_of(SCHEMA), progress := Reported())
    assert progress.made == [0]


def test_it_is_reported_and_planned_from(operator: Operator) -> None:
    """The report of the published census, and its plan, which deletes nothing: one census proves no group unused."""
    ours = replace(operator, tables=(DELETABLE_GROUPS,))
    ran = ours.run("census")
    assert ran.code == 0, ran.err
    ran = ours.run("report")
    assert ran.code == 0, ran.err
    assert "deletable_groups" in ran.out
    ran = ours.run("delete_groups plan", KAFKA_CENSUS__DELETION__CENSUSES="1")
    assert ran.code == 0, ran.err
    [plan] = operator.rows(DELETION_PLANS).collect()
    assert plan.plan_id in ran.out
    assert (plan.census_id, plan.to_delete) == (*published(operator, DELETABLE_GROUPS.name), 0)


def test_what_is_retired_and_what_is_old_goes(operator: Operator) -> None:
    """One census by its id, then what `retention` no longer keeps: landed pages, and rows that nobody sees."""
    first, second = published(operator)
    ran = operator.run("maintain", "--retire", second, "--apply")
    assert ran.code == 0, ran.err
    assert published(operator) == [first]
    ran = operator.run("maintain", "--apply", **SHORT)
    assert ran.code == 0, ran.err
    assert {row.census_id for row in operator.rows(QUOTAS).collect()} == {first}
    assert store.landed_pages(operator.spark, lake_of(SCHEMA)).count() == 0


def test_groups_are_deleted_and_restored_by_a_plan_in_it(spark: SparkSession, tmp_path: Path) -> None:
    """Its audit tables are there like any others."""
    spark.sql(f"CREATE SCHEMA {SCHEMA}_deletions")
    with serving(served(3, set())) as server:
        at, cluster_id = server.bootstrap_servers, server.world.cluster_id
        deleting = Emulated(spark, tmp_path, at, cluster_id, TOPICS, server=server, address=f"{SCHEMA}_deletions")
        groups = names(2)
        plan_id = deleting.plan(groups)
        assert deleting.run("apply", plan_id) == ""
        assert deleting.there(groups) == []
        assert deleting.run("undo", plan_id) == ""
        assert deleting.there(groups) == groups
