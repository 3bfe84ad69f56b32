"""What holds of the examples for clusters, none of which is here: scripts are run with a stand-in for their program."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from unittest.mock import MagicMock, Mock

import pyspark
import pytest
import yaml

import kafka_census
from harness.spark_cluster import ENCRYPTED
from kafka_census.jar_checksums import checksums
from kafka_census.jar_sets import DELTA
from unit.on_one_machine import is_a_census

MADE = {"environment.tar.gz", "kafka-census.py", *(f"jars/{name}" for name in checksums(DELTA))}
"""What `make dist` writes, and examples name; a test on a cluster of Spark's runs it."""

DEFAULTS = (Path(kafka_census.__file__).parent / "defaults" / "spark_cluster" / "spark-defaults.conf").read_text(
    "utf-8"
)


def ran(script: Path, tmp_path: Path, program: str) -> list[str]:
    at, folder = tmp_path / program, tmp_path / "dist"
    at.write_text(f"#!{sys.executable}\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n", encoding="utf-8")
    at.chmod(0o755)
    folder.mkdir()
    names = ("SPARK_MASTER", "DRIVER_HOST", "EMR_CLUSTER", "BUCKET", "DATAPROC_CLUSTER", "REGION")
    given = dict.fromkeys(names, "given") | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "CENSUS_FOLDER": str(folder)}
    done = subprocess.run(["sh", str(script)], env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [str(word) for word in json.loads(done.stdout)]


@cache
def submit_options() -> frozenset[str]:
    """The options of the installed spark-submit, as its help has them."""
    command = [Path(pyspark.__file__).parent / "bin" / "spark-submit", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return frozenset(re.findall(r"^ +(--[a-z-]+)", done.stdout + done.stderr, re.MULTILINE))


def are_of_dist(words: list[str]) -> None:
    """Archive, jars and application are files that `make dist` writes, wherever somebody has put them."""
    named = [part.partition("#")[0] for word in words for part in word.split(",")]
    ours = [name for name in named if name.endswith((".tar.gz", ".jar", ".py")) and "=" not in name]
    assert ours
    assert [name for name in ours if not any(f"/{name}".endswith(f"/{made}") for made in MADE)] == []


def is_submitted(words: list[str]) -> None:
    (at,) = (number for number, word in enumerate(words) if word.endswith("kafka-census.py"))
    assert set(words[:at:2]) - submit_options() == set()
    settings = [value for option, value in zip(words[:at:2], words[1:at:2], strict=True) if option == "--conf"]
    assert [value for value in settings if not re.fullmatch(r"spark\.[\w.]+=.+", value)] == []
    assert_encrypted(set(settings))
    are_of_dist(words[: at + 1])
    is_a_census(words[at + 1 :])


def submitting(tmp_path: Path, file: Path) -> None:
    is_submitted(ran(file, tmp_path, "spark-submit"))


def on_emr(tmp_path: Path, file: Path) -> None:
    words = ran(file, tmp_path, "aws")
    assert words[:2] == ["emr", "add-steps"]
    assert words[-1] == f"file://{file.with_name('step.json')}"
    (step,) = json.loads(file.with_name("step.json").read_text(encoding="utf-8"))
    assert step["Args"][0] == "spark-submit"
    is_submitted(step["Args"][1:])
    assert_settings({word for word in step["Args"] if "=" in word})


def on_dataproc(tmp_path: Path, file: Path) -> None:
    """The options of gcloud end at `--`."""
    words = ran(file, tmp_path, "gcloud")
    assert words[:4] == ["dataproc", "jobs", "submit", "pyspark"]
    end = words.index("--")
    are_of_dist(words[:end])
    is_a_census(words[end + 1 :])
    settings = set(words[words.index("--properties") + 1].split(","))
    assert_settings(settings)
    assert_encrypted(settings)


def by_the_operator(_tmp_path: Path, file: Path) -> None:
    """What the Spark operator reads, field by field; secrets are the driver's alone."""
    reported = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert (reported["apiVersion"], reported["kind"]) == ("sparkoperator.k8s.io/v1beta2", "ScheduledSparkApplication")
    assert reported["spec"]["concurrencyPolicy"] == "Forbid"
    app = reported["spec"]["template"]
    assert {type(value) for value in app["sparkConf"].values()} == {str}
    is_a_census(app["arguments"])
    settings = {f"{key}={value}" for key, value in app["sparkConf"].items()}
    assert_settings(settings)
    assert_encrypted(settings)


def in_an_image(_tmp_path: Path, file: Path) -> None:
    """It copies what `make dist` writes, to where the operator's file looks for it."""
    text = file.read_text(encoding="utf-8")
    copied = dict(re.findall(r"^(?:COPY|ADD) (\S+) (\S+)$", text, re.MULTILINE))
    assert set(copied) == {"kafka-census.py", "jars/", "environment.tar.gz"}
    applied = file.with_name("census.yaml").read_text(encoding="utf-8")
    assert f"local://{copied['kafka-census.py']}kafka-census.py" in applied
    assert f"{copied['environment.tar.gz']}bin/python" in applied


def by_airflow(_tmp_path: Path, file: Path) -> None:
    """The DAG is made, of stand-ins for Airflow's classes."""
    operator, dag = Mock(), MagicMock()
    of_spark = "airflow.providers.apache.spark.operators.spark_submit"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "airflow.sdk", SimpleNamespace(DAG=dag))
        patch.setitem(sys.modules, of_spark, SimpleNamespace(SparkSubmitOperator=operator))
        run_path(str(file))
    assert dag.call_args.kwargs.items() >= {"max_active_runs": 1, "catchup": False}.items()
    task = operator.call_args.kwargs
    assert_encrypted({f"{key}={value}" for key, value in task["conf"].items()})
    are_of_dist([task["application"], task["archives"], task["jars"]])
    is_a_census(task["application_args"])


def assert_settings(given: set[str]) -> None:
    """What an example sets by itself is what dist/cluster/conf says, of what a census cannot do without."""
    reported = dict(re.findall(r"^(spark\.\S+) +(\S+)$", DEFAULTS, re.MULTILINE))
    needed = {f"{name}={reported[name]}" for name in reported if name.startswith(("spark.sql.", "spark.locality"))}
    assert needed <= given


def assert_encrypted(given: set[str]) -> None:
    """An example turns on authentication and encryption, since secrets travel inside tasks."""
    assert {f"{name}=true" for name in ENCRYPTED} <= given
