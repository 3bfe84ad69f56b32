"""The life of a lake in a catalog: surveyed, read, migrated, resumed, maintained; groups deleted by a plan in it.

The catalog is a Hive metastore, its tables are in an object store. Run by test_metastore.py, in a process of its own.
The tests take one lake from one state to the next, in their order.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from e2e.operator import Operator
from emulator.asking import serving
from emulator.commanding import running
from emulator.deleting import TOPICS, Emulated, names, served
from kafka_census.census import run as workflow
from kafka_census.census.publish.views import keep_permanent, lake_of
from kafka_census.cli.command import command
from kafka_census.declarations.audit import PUBLICATIONS
from kafka_census.declarations.deletions import DELETION_PLANS
from kafka_census.declarations.latest import LATEST_TABLES
from kafka_census.errors import BadQuery
from kafka_census.lake import store
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.terminal.log import Redactor

SCHEMA = "spark_catalog.census"
_KEYS = ("RESUME_WITHIN", "RETENTION__LANDED", "RETENTION__EVERY", "RETENTION__DAILY", "RETENTION__GRACE")
SHORT = {f"KAFKA_CENSUS__{key}": "1ms" for key in _KEYS}
"""Only the last census of each table stays."""


@pytest.fixture(scope="module")
def operator(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with running("--scenario", "calm") as (_, servers):
        folder = tmp_path_factory.mktemp("metastore")
        yield Operator(spark, folder, ",".join(servers), tables=(QUOTAS,), address=SCHEMA)


def published(operator: Operator, table: str = QUOTAS.name) -> list[str]:
    fresh = operator.spark.newSession()
    fresh.sql(f"USE {operator.lake}")
    return sorted(row.census_id for row in fresh.sql(f"SELECT DISTINCT census_id FROM history_{table}").collect())


def as_of(operator: Operator, time: str) -> list[str]:
    fresh = operator.spark.newSession()
    fresh.sql(f"USE {operator.lake}")
    return [row.census_id for row in fresh.sql(f"SELECT DISTINCT census_id FROM quotas_as_of({time})").collect()]


def test_a_schema_that_is_not_there_is_one_line(operator: Operator) -> None:
    ran = operator.run("census")
    assert ran.code == 2
    remedy = "there is no such schema; CREATE SCHEMA `spark_catalog`.`census`, or name another"
    assert ran.error == f"error: lake.catalog {SCHEMA}: {remedy}"
    operator.spark.sql(f"CREATE SCHEMA {SCHEMA}")


def test_a_census_makes_its_views(operator: Operator) -> None:
    """Whoever comes later reads them without `register`; the log says once that nobody else keeps a second run away."""
    ran = operator.done("census")
    assert len(ran.events("no_run_lock")) == 1
    [checked] = ran.events("views_checked")
    assert checked["made"] > 30
    [census_id] = published(operator)
    fresh = operator.spark.newSession()
    fresh.sql(f"USE {SCHEMA}")
    assert [row.census_id for row in fresh.sql("SELECT DISTINCT census_id FROM current_quotas").collect()] == [
        census_id
    ]
    assert as_of(operator, "TIMESTAMP '2099-01-01 00:00'") == [census_id]
    assert fresh.sql("SELECT inline(items) FROM landed_describe_client_quotas").count() == 2
    assert fresh.sql("SELECT * FROM candidate_quotas").count() == 0


def test_a_table_of_an_older_release_gets_its_columns(operator: Operator) -> None:
    """And the permanent views of it. The next census is published to it."""
    name = f"{SCHEMA}.published_quotas"
    older = operator.spark.table(name).drop("cluster").write.format("delta").mode("overwrite")
    older.partitionBy("census_id").option("overwriteSchema", "true").saveAsTable(name)
    operator.done("migrate", "--apply")
    assert operator.run("migrate").out.splitlines()[-1] == "nothing in this lake is of an older release"
    assert operator.spark.newSession().table(f"{SCHEMA}.history_quotas").columns == QUOTAS.columns


def test_a_census_that_was_cut_off_goes_on(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody sees it before. A view and a function that somebody dropped come back with it; it is reported."""
    ours, before = replace(operator, tables=(QUOTAS, DELETABLE_GROUPS)), published(operator)
    operator.spark.sql(f"DROP VIEW {SCHEMA}.history_quotas")
    operator.spark.sql(f"DROP FUNCTION {SCHEMA}.quotas_as_of")
    with monkeypatch.context() as patched:
        patched.setattr(workflow, "_stage", lambda *_: 1 / 0)
        assert ours.run("census").code == 1
    assert sorted({row.census_id for row in operator.rows(PUBLICATIONS).collect()}) == before
    ran = ours.done("census", "--resume", KAFKA_CENSUS__LATEST_TABLES="true")
    assert len(ran.events("resumed")) == 1
    assert "deletable_groups" in ran.out
    [first, second] = published(operator)
    assert published(operator, DELETABLE_GROUPS.name) == [second]
    between = "string(max(published_at) - INTERVAL 1 MILLISECOND)"
    [(time,)] = operator.rows(PUBLICATIONS).where(f"table_name = '{QUOTAS.name}'").selectExpr(between).collect()
    assert (as_of(operator, f"TIMESTAMP '{time}'"), as_of(operator, "now()")) == ([first], [second])
    [latest] = [table for table in LATEST_TABLES if table.name == QUOTAS.name]
    assert {row.census_id for row in operator.rows(latest).collect()} == {second}
    told: list[tuple[str, object]] = []
    keep_permanent(operator.spark, lake_of(SCHEMA), lambda event, **fields: told.append((event, fields["made"])))
    assert told == [("views_checked", 0)]


def test_commands_answer_the_same_sql_through_spark(
    operator: Operator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A view, a join, a function and a comment; and nothing but views."""
    of = ["--config", str(operator.config)]
    first, second = published(operator)
    of_both = "SELECT count(*) = count(DISTINCT census_id || entity || quota) AS once FROM history_quotas"
    last = "SELECT DISTINCT a.census_id FROM current_quotas a JOIN quotas_as_of(now()) b USING (entity, quota)"
    assert (
        command(
            ["sql", *of, "--format", "csv", "-e", f"{of_both}; {last}; SELECT newer_state FROM freshness"], Redactor()
        )
        == 0
    )
    assert capsys.readouterr().out == f"once\ntrue\ncensus_id\n{second}\nnewer_state\n\n"
    assert command(["sql", *of, "-e", "\\d quotas"], Redactor()) == 0
    assert QUOTAS.comment in " ".join(capsys.readouterr().out.split())
    with pytest.raises(BadQuery):
        command(["sql", *of, "-e", "FROM '/etc/passwd'"], Redactor())
    assert command(["diff", *of], Redactor()) == 0
    assert capsys.readouterr().out.startswith(f"test: from {first} to {second}\n")
    page = tmp_path / "report.html"
    assert command(["report", *of, "--cluster", "test", "--html", str(page)], Redactor()) == 0
    assert (second in page.read_text(), "cannot be read" in page.read_text()) == (True, False)


def test_a_plan_to_delete_groups_is_made_from_it(operator: Operator) -> None:
    ran = operator.done("delete_groups plan", KAFKA_CENSUS__DELETION__CENSUSES="1")
    [plan] = operator.rows(DELETION_PLANS).collect()
    assert plan.plan_id in ran.out
    assert (plan.census_id, plan.to_delete) == (*published(operator, DELETABLE_GROUPS.name), 0)


def test_what_is_retired_and_what_is_old_goes(operator: Operator) -> None:
    first, second = published(operator)
    operator.done("maintain", "--retire", second, "--apply")
    assert published(operator) == [first]
    operator.done("maintain", "--apply", **SHORT)
    assert {row.census_id for row in operator.rows(QUOTAS).collect()} == {first}
    assert store.landed_pages(operator.spark, lake_of(SCHEMA)).count() == 0


def test_groups_are_deleted_and_restored_by_a_plan_in_it(spark: SparkSession, tmp_path: Path) -> None:
    address = f"{SCHEMA}_deletions"
    spark.sql(f"CREATE SCHEMA {address}")
    with serving(served(3, set())) as server:
        at, cluster_id = server.bootstrap_servers, server.world.cluster_id
        deleting = Emulated(spark, tmp_path, at, cluster_id, TOPICS, server=server, address=address)
        groups = names(2)
        plan_id = deleting.plan(groups)
        assert deleting.run("apply", plan_id) == ""
        assert deleting.there(groups) == []
        assert deleting.run("undo", plan_id) == ""
        assert deleting.there(groups) == groups
