"""Several clusters in one lake: in one job (published, one id twice, refused, not there), and processes at once."""

import contextlib
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import yaml

from e2e.operator import Operator
from emulator.asking import cluster, serving
from emulator.commanding import running
from harness.submitted import HANGS_S, await_moment, submit, write_spark_conf
from kafka_census.clock import Clock
from kafka_census.lake.lake import Lake
from kafka_census.lake.runs import Runs
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.quotas import QUOTAS
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS as PARTITIONS
from kafka_census.workflows import job


def test_each_cluster_has_its_own_verdict_in_one_session(operator: Callable[..., Operator]) -> None:
    """A refusal and a cluster that does not answer stop no other; each is reported, and the worst exit code wins."""
    with running("--scenario", "calm") as (_, calm), running("--scenario", "narrow_acls", "--seed", "2") as (_, narrow):
        ours = replace(operator(",".join(calm), "fleet"), tables=(PARTITIONS, QUOTAS))
        path = ours.config
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
        named = {"narrow": narrow, "nowhere": ["127.0.0.1:1"], "calm": calm, "copy": [*calm]}
        written["clusters"] = {name: {"bootstrap_servers": servers} for name, servers in named.items()}
        path.write_text(yaml.safe_dump(written), encoding="utf-8")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = job.main("census", ["--config", str(path), "--all-clusters"])
    errors = [line for line in err.getvalue().splitlines() if line.startswith("error: ")]
    assert code == 1, err.getvalue()[-3000:]
    assert len(errors) == 3
    assert errors[0].startswith("error: cluster 'nowhere': no bootstrap server answered")
    assert errors[1].startswith("error: cluster 'copy' is not surveyed into this lake: this lake has ")
    assert "under another name, 'calm' (the last is " in errors[1]
    assert errors[2].startswith("error: cluster 'narrow': census ")
    runs = Runs(ours.spark, Lake(ours.lake), Clock())
    assert {name: [run.reached for run in runs.of((name,))] for name in named} == {
        "narrow": ["refused"],
        "nowhere": [],
        "calm": ["published"],
        "copy": [],
    }
    assert {row.cluster for row in ours.rows(PUBLICATIONS).collect()} == {"calm"}
    assert err.getvalue().count('"event": "spark_started"') == 1
    assert "NOT PUBLISHED" in out.getvalue()


def test_processes_at_once_publish_both_clusters_and_one_cluster_once(
    operator: Callable[..., Operator], tmp_path: Path
) -> None:
    """Two spark-submits of two clusters, and meanwhile a third run of one of them: refused in one line."""
    sections = {"topics": {"partitions": 12}, "groups": {"count": 5}}
    with serving(cluster(seed=1, **sections)) as one, serving(cluster(seed=2, **sections)) as two:
        ours = replace(operator(one.bootstrap_servers, "at-once"), tables=(PARTITIONS, QUOTAS))
        path, spark_conf = ours.config, write_spark_conf(tmp_path / "spark")
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
        named = {"one": one.bootstrap_servers, "two": two.bootstrap_servers}
        written["clusters"] = {name: {"bootstrap_servers": servers.split(",")} for name, servers in named.items()}
        path.write_text(yaml.safe_dump(written), encoding="utf-8")
        options = ("--config", str(path), "--no-report", "--cluster")
        runs = {name: submit(spark_conf, "census", *options, name) for name in named}
        lock = Path(ours.lake, "locks", "one.lock")
        await_moment(lambda: lock.exists() and lock.stat().st_size > 0, runs["one"])
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            code = job.main("census", [*options, "one"])
        errors = [line for line in err.getvalue().splitlines() if line.startswith("error: ")]
        assert (code, len(errors)) == (1, 1)
        assert errors[0].startswith("error: cluster 'one' is in use by process ")
        for name, run in runs.items():
            out, told = run.communicate(timeout=HANGS_S)
            assert run.returncode == 0, (name, (out + told)[-3000:])
    published = [(row.cluster, row.table_name) for row in ours.rows(PUBLICATIONS).collect()]
    assert sorted(published) == sorted((name, table.name) for name in named for table in ours.tables)
    books = Runs(ours.spark, Lake(ours.lake), Clock())
    assert {name: [run.reached for run in books.of((name,))] for name in named} == {
        "one": ["published"],
        "two": ["published"],
    }
    # Those of the two internal topics among them.
    rows = ours.rows(PARTITIONS).groupBy("cluster_id").count().collect()
    assert {row.cluster_id: row["count"] for row in rows} == {one.world.cluster_id: 112, two.world.cluster_id: 112}
