"""jobs/publish.py under plain spark-submit: killed with -9 at three moments and run again, it publishes once.

The census was landed and staged without a cluster; a census before it is published. What is
killed is the whole process group, the JVM and the driver in it. Crashes between all other steps
are injected in one JVM (test_publish_crashes.py).
"""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from pyspark.sql import SparkSession

from harness.submitted import await_moment, kill_all, submit, write_spark_conf
from kafka_census.tables import store
from kafka_census.tables.books import PUBLICATIONS
from spark.former import FORMER, NEXT, TWO_TABLES, Readers, plant

FIRST, LAST = TWO_TABLES


@pytest.fixture(scope="module")
def readers(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Readers:
    """Who reads a lake with one published census and one staged."""
    return plant(spark, tmp_path_factory.mktemp("killed") / "lake")


@pytest.fixture(scope="module")
def publish(readers: Readers, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], "subprocess.Popen[str]"]:
    """Start jobs/publish.py for that lake."""
    folder = tmp_path_factory.mktemp("conf")
    spark_conf, config = write_spark_conf(folder), folder / "census.yaml"
    clusters = {"test": {"bootstrap_servers": ["127.0.0.1:1"]}}
    config.write_text(yaml.safe_dump({"lake": {"root": readers.lake.root}, "clusters": clusters}), encoding="utf-8")
    return lambda: submit(spark_conf, "publish", "--config", str(config), "--cluster", "test")


@pytest.mark.timeout(600)
def test_killed_three_times_it_publishes_once_and_whole(
    readers: Readers, publish: Callable[[], "subprocess.Popen[str]"], spark: SparkSession
) -> None:
    """After each kill all readers have the census before; after the last run the new one, and no row twice."""

    def commits(place: str, name: str) -> int:
        return len(list(Path(readers.lake.path(place, name), "_delta_log").glob("*.json")))

    before = {table.name: commits("published", table.name) for table in TWO_TABLES}
    published = commits("books", "publications")
    moments = (
        lambda: commits("books", "verdicts") > 0,
        lambda: commits("published", FIRST.name) > before[FIRST.name],
        lambda: commits("published", LAST.name) > before[LAST.name],
    )
    for number, moment in enumerate(moments):
        run = publish()
        await_moment(moment, run)
        kill_all(run)
        copied = [commits("published", table.name) > before[table.name] for table in TWO_TABLES]
        assert copied == [number > 0, number > 1]
        assert commits("books", "publications") == published
        readers.all_see(FORMER)
    run = publish()
    out, err = run.communicate(timeout=300)
    assert run.returncode == 0, (out + err)[-3000:]
    readers.all_see(NEXT)
    assert commits("books", "publications") == published + 1
    book = store.read(spark, readers.lake, PUBLICATIONS).where(f"census_id = '{NEXT.census_id}'").collect()
    assert sorted(row.table_name for row in book) == sorted(table.name for table in TWO_TABLES)
    for table in TWO_TABLES:
        staged = store.rows(spark, readers.lake, store.staged(table), NEXT.census_id).collect()
        copied_rows = store.rows(spark, readers.lake, table, NEXT.census_id).collect()
        assert sorted(map(str, copied_rows)) == sorted(map(str, staged)) != []
