"""jobs/transform.py and publish.py under plain spark-submit: killed with -9 and run again, they publish once.

The census was landed and staged without a cluster; a previous census is published. The whole process group is killed,
including the JVM and the driver; once exactly between the publication and the record of it. Crashes between all other
steps are injected in one JVM (test_publish_crashes.py).
"""

import fcntl
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from pyspark.sql import SparkSession

from harness.submitted import HANGS_S, await_moment, kill_all, submit, write_spark_conf
from kafka_census.clock import Clock
from kafka_census.lake import store
from kafka_census.lake.lock_file import lock_file
from kafka_census.lake.runs import Runs
from kafka_census.tables.audit import PUBLICATIONS
from spark.former import FORMER, NEXT, TWO_TABLES, Readers, plant

FIRST, LAST = TWO_TABLES


@pytest.fixture(scope="module")
def readers(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Readers:
    return plant(spark, tmp_path_factory.mktemp("killed") / "lake")


@pytest.fixture(scope="module")
def start(readers: Readers, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], "subprocess.Popen[str]"]:
    folder = tmp_path_factory.mktemp("conf")
    spark_conf, config = write_spark_conf(folder), folder / "census.yaml"
    clusters = {"test": {"bootstrap_servers": ["127.0.0.1:1"]}}
    one_by_one = {"lake": {"root": readers.lake.root}, "tables_at_once": 1, "clusters": clusters}
    config.write_text(yaml.safe_dump(one_by_one), encoding="utf-8")
    return lambda job: submit(spark_conf, job, "--config", str(config), "--cluster", "test")


def test_killed_three_times_it_publishes_once_and_whole(
    readers: Readers, start: Callable[[str], "subprocess.Popen[str]"], spark: SparkSession
) -> None:
    def rows() -> list[list[str]]:
        frames = (store.rows(spark, readers.lake, table, NEXT.census_id) for table in TWO_TABLES)
        return [sorted(str(row) for row in frame.collect()) for frame in frames]

    def commits(layer: str, name: str) -> int:
        return len(list(Path(readers.lake.path(layer, name), "_delta_log").glob("*.json")))

    before = {table.name: commits("published", table.name) for table in TWO_TABLES}
    published = commits("audit", "publications")
    moments = (
        ("transform", lambda: commits("published", FIRST.name) > before[FIRST.name], [True, False]),
        ("transform", lambda: commits("published", LAST.name) > before[LAST.name], [True, True]),
        ("publish", lambda: commits("audit", "verdicts") > 0, [True, True]),
    )
    staged = rows()
    for job, moment, written in moments:
        run = start(job)
        await_moment(moment, run)
        kill_all(run)
        assert [commits("published", table.name) > before[table.name] for table in TWO_TABLES] == written
        assert commits("audit", "publications") == published
        readers.all_see(FORMER)

    def ended(job: str) -> tuple[int, str]:
        out, err = (run := start(job)).communicate(timeout=HANGS_S)
        return run.returncode, out + err

    code, told = ended("transform")
    assert code == 0, told[-3000:]
    # The record waits for its turn to write to census_runs, and never gets it.
    with lock_file(Path(str(readers.lake.root), "locks", "tables", "audit_census_runs.lock")) as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        run = start("publish")
        await_moment(lambda: commits("audit", "publications") > published, run)
        kill_all(run)
    runs = Runs(spark, readers.lake, Clock())
    assert runs.of(("test",))[0].reached == "staged"
    readers.all_see(NEXT)
    code, told = ended("transform")
    assert (code, "is published, so its rows stay as they are" in told) == (2, True), told[-3000:]
    code, told = ended("publish")
    assert code == 0, told[-3000:]
    assert runs.of(("test",))[0].reached == "published"
    assert commits("audit", "publications") == published + 1
    published = store.read(spark, readers.lake, PUBLICATIONS).where(f"census_id = '{NEXT.census_id}'").collect()
    assert sorted(row.table_name for row in published) == sorted(table.name for table in TWO_TABLES)
    assert rows() == staged
