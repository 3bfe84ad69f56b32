"""A job in a Spark started without Delta: one line with the command that works, exit code 2."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from kafka_census.defaults import CENSUS
from kafka_census.human import short_path

ROOT = Path(__file__).parents[2]
PYTHON = short_path(sys.executable)
SUBMIT = short_path(str(Path(sys.executable).with_name("spark-submit")))
EXTENSION = "spark.sql.extensions io.delta.sql.DeltaSparkSessionExtension\n"


@pytest.mark.parametrize(
    ("defaults", "line"),
    [
        ("", "error: Spark was started without Delta Lake"),
        (EXTENSION, "error: Spark is configured for Delta Lake, but its jars are missing"),
    ],
)
def test_a_job_without_delta_says_how_to_start_it(tmp_path: Path, defaults: str, line: str) -> None:
    (tmp_path / "spark-defaults.conf").write_text(f"spark.master local[1]\nspark.ui.enabled false\n{defaults}")
    (tmp_path / "log4j2.properties").write_text((ROOT / "conf/spark/log4j2.properties").read_text())
    environ = {
        **os.environ,
        "SPARK_CONF_DIR": str(tmp_path),
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT / "pipelines"),
    }
    job = ["jobs/transform.py", "--config", str(CENSUS), "--cluster", "local"]
    command = [str(Path(sys.executable).parent / "spark-submit"), *job]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    # spark-submit writes both streams of Python to its stdout
    assert done.stdout == (
        f"{line}; run {PYTHON} -m kafka_census.jars --spark-conf build/spark-conf, then: "
        f"SPARK_CONF_DIR=build/spark-conf PYSPARK_PYTHON={PYTHON} {SUBMIT} {shlex.join(job)}\n"
    )
    assert "Exception" not in done.stderr
