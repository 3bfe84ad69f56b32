"""Several clusters in one lake: in one job (published, one id twice, refused, not there), and processes at once."""

import contextlib
import io
from collections.abc import Callable, Mapping
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
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS as PARTITIONS
from kafka_census.workflows import job


def configured(ours: Operator, clusters: Mapping[str, list[str]]) -> Path:
    """The operator's configuration, of these clusters in this order."""
    path = ours.config
    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    written["clusters"] = {name: {"bootstrap_servers": servers} for name, servers in clusters.items()}
    path.write_text(yaml.safe_dump(written), encoding="utf-8")
    return path


def censused(arguments: list[str]) -> tuple[int, tuple[str, str], list[str]]:
    """Exit code, standard output and error, and the lines of errors of a census in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = job.main("census", arguments)
    told = err.getvalue()
    return code, (out.getvalue(), told), [line for line in told.splitlines() if line.startswith("error: ")]


def test_each_cluster_has_its_own_verdict_in_one_session(operator: Callable[..., Operator]) -> None:
    """A refusal and a cluster that does not answer stop no other; each is reported, and the worst exit code wins."""
    with running("--scenario", "calm") as (_, calm), running("--scenario", "narrow_acls", "--seed", "2") as (_, narrow):
        ours = replace(operator(",".join(calm), "fleet"), tables=(PARTITIONS,))
        named = {"narrow": narrow, "nowhere": ["127.0.0.1:1"], "calm": calm, "copy": [*calm]}
        path = configured(ours, named)
        code, (out, err), errors = censused(["--config", str(path), "--all-clusters"])
    assert code == 1, err[-3000:]
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
    assert err.count('"event": "spark_started"') == 1
    assert "NOT PUBLISHED" in out


def test_processes_at_once_publish_both_clusters_and_one_cluster_once(
    operator: Callable[..., Operator], tmp_path: Path
) -> None:
    """A spark-submit of one cluster; meanwhile this process is refused in one line for it, and publishes the other."""
    sections = {"topics": {"partitions": 12}, "groups": {"count": 5}}
    with serving(cluster(seed=1, **sections)) as one, serving(cluster(seed=2, **sections)) as two:
        ours = replace(operator(one.bootstrap_servers, "at-once"), tables=(PARTITIONS,))
        path = configured(ours, {"one": one.bootstrap_servers.split(","), "two": two.bootstrap_servers.split(",")})
        options = ("--config", str(path), "--no-report", "--cluster")
        run = submit(write_spark_conf(tmp_path / "spark"), "census", *options, "one")
        lock = Path(ours.lake, "locks", "one.lock")
        await_moment(lambda: lock.exists() and lock.stat().st_size > 0, run)
        for name, ended in (("one", 1), ("two", 0)):
            code, _, errors = censused([*options, name])
            assert (code, len(errors)) == (ended, ended)
            assert all(error.startswith("error: cluster 'one' is in use by process ") for error in errors)
        out, told = run.communicate(timeout=HANGS_S)
        assert run.returncode == 0, (out + told)[-3000:]
    assert sorted(row.cluster for row in ours.rows(PUBLICATIONS).collect()) == ["one", "two"]
    books = Runs(ours.spark, Lake(ours.lake), Clock())
    assert [[run.reached for run in books.of((name,))] for name in ("one", "two")] == [["published"]] * 2
    # Those of the two internal topics among them.
    rows = ours.rows(PARTITIONS).groupBy("cluster_id").count().collect()
    assert {row.cluster_id: row["count"] for row in rows} == {one.world.cluster_id: 112, two.world.cluster_id: 112}
