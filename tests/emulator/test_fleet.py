"""Several clusters in one lake and one job: published, one id twice, refused, not there."""

import contextlib
import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import yaml

from e2e.operator import Operator
from emulator.commanding import running
from kafka_census.clock import Clock
from kafka_census.lake.lake import Lake
from kafka_census.lake.runs import Runs
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS as PARTITIONS
from kafka_census.workflows import job


def configured(ours: Operator, clusters: Mapping[str, list[str]]) -> Path:
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
