"""Jobs under plain spark-submit, and without it: an old Java, Delta without jars, Ctrl-C."""

import contextlib
import os
import pty
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.hostile import CLUSTER_ID, assert_harmless
from harness.submitted import ROOT, await_moment, submit, write_spark_conf
from kafka_census.defaults import CENSUS
from kafka_census.errors import ConfigError
from kafka_census.jars.class_archive import archive_for
from kafka_census.jars.delta import delta_jars
from kafka_census.spark.jvm import _require_extension
from kafka_census.spark.release import EXTENSION
from kafka_census.terminal.human import short_path

SLEEPER = """
import time
from dataclasses import replace
from pathlib import Path
from kafka_census.cli import job

def sleep_in_a_worker(work):
    def sleep(batches):
        Path({moment!r}).touch()
        time.sleep(300)
        yield from batches
    gateway = work.spark.sparkContext._gateway
    jvm = gateway.jvm
    harm = jvm.java.lang.IllegalStateException({harm!r})
    harm.setStackTrace(gateway.new_array(jvm.java.lang.StackTraceElement, 0))
    jvm.org.apache.logging.log4j.LogManager.getLogger("harm").error({harm!r}, harm)
    work.spark.range(1).mapInArrow(sleep, "id long").write.format("delta").save({table!r})

job.JOBS = {{"ingest": replace(job.JOBS["ingest"], asks=False)}}
job.Job.function = lambda self, work: sleep_in_a_worker(work)
job.start("ingest")
"""


@pytest.fixture(scope="module")
def spark_conf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_spark_conf(tmp_path_factory.mktemp("spark-conf"))


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "census.yaml"
    path.write_text(f"lake: {{root: {tmp_path}/lake}}\nclusters: {{test: {{bootstrap_servers: ['127.0.0.1:1']}}}}\n")
    return path


SUBMIT = str(Path(sys.executable).with_name("spark-submit"))


def submitted(*job: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    environ = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT / "pipelines"), **environment}
    done = subprocess.run([SUBMIT, *job], cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    return done


def test_an_old_java_is_one_line(spark_conf: Path, tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\nexit 1\n")
    java.chmod(0o755)
    done = submitted("jobs/census.py", "--cluster", "local", SPARK_CONF_DIR=str(spark_conf), JAVA_HOME=str(tmp_path))
    assert done.stdout == ""
    assert done.stderr == f"error: Java 17 or newer is needed; {java} is 11; set JAVA_HOME to a newer one\n"


def test_a_job_without_delta_is_one_line_with_the_command_that_works(tmp_path: Path) -> None:
    extensions = f"spark.sql.extensions {EXTENSION}"
    (tmp_path / "spark-defaults.conf").write_text(f"spark.master local[1]\nspark.ui.enabled false\n{extensions}\n")
    (tmp_path / "log4j2.properties").write_text((ROOT / "conf/spark/log4j2.properties").read_text())
    job = ["jobs/transform.py", "--config", str(CENSUS), "--cluster", "local"]
    done = submitted(*job, SPARK_CONF_DIR=str(tmp_path))
    python = short_path(sys.executable)
    # spark-submit writes both streams of Python to its stdout
    assert done.stdout == (
        "error: Spark is configured for Delta Lake, but its jars are missing; "
        f"run {python} -m kafka_census.jars --spark-conf build/spark-conf, then: "
        f"SPARK_CONF_DIR=build/spark-conf PYSPARK_PYTHON={python} {short_path(SUBMIT)} {shlex.join(job)}\n"
    )
    assert "Exception" not in done.stderr
    for of_others in (None, "", "org.apache.sedona.sql.SedonaSqlExtensions"):
        with pytest.raises(ConfigError, match=r"^Spark was started without Delta Lake; unset SPARK_CONF_DIR, or fill"):
            _require_extension(of_others)
    _require_extension(f"org.apache.sedona.sql.SedonaSqlExtensions,{EXTENSION}")


def test_an_interrupt_ends_in_one_line(spark_conf: Path, config: Path, tmp_path: Path) -> None:
    """Ctrl-C reaches the JVM, the driver and its workers at once; none of them prints a stack trace.

    Earlier logs of the JVM cannot control the terminal: they are a broker's text here, as a message and as an error.
    """
    moment, table = tmp_path / "moment", tmp_path / "lake" / "table"
    (tmp_path / "sleeper.py").write_text(SLEEPER.format(moment=str(moment), table=str(table), harm=CLUSTER_ID))
    run = submit(spark_conf, str(tmp_path / "sleeper"), "--config", str(config), "--cluster", "test")
    await_moment(moment.exists, run)
    # The start is prepared: the JVM has mapped the archive of classes, and workers come from a process that is.
    assert str(archive_for(delta_jars()).file) in Path(f"/proc/{run.pid}/maps").read_text(encoding="utf-8")
    assert any("kafka_census.landing.fetch.worker_daemon" in command for command in commands_of(run.pid))
    os.killpg(run.pid, signal.SIGINT)
    out, err = run.communicate(timeout=120)
    assert run.returncode == 1
    assert out.splitlines()[-1] == "error: interrupted; an unfinished census goes on with --resume"
    assert_harmless(err.replace("\t", ""))
    assert err.count("pwned") >= 2 * CLUSTER_ID.count("pwned")
    lines = (out + err).splitlines()
    assert [line for line in lines if line.startswith("\tat ")] == []
    assert [line for line in lines if "Exception" in line and "IllegalStateException" not in line] == []


def test_an_interrupt_while_the_command_starts_spark_leaves_no_jvm(config: Path) -> None:
    """PySpark alone, interrupted while it waits for the JVM, would leave a JVM that never ends."""
    command = [sys.executable, "-m", "kafka_census", "maintain", "--config", str(config)]
    ours, theirs = pty.openpty()
    run = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, text=True, cwd=config.parent, start_new_session=True
    )
    os.close(theirs)
    await_moment(lambda: any("pyspark-shell" in command for command in commands_of(run.pid)), run)
    os.killpg(run.pid, signal.SIGINT)
    # Until the end of both streams: the JVM has them, too.
    out, _ = run.communicate(timeout=120)
    err = b""
    with contextlib.suppress(OSError):  # nobody has the other end any more
        while True:
            err += os.read(ours, 65536)
    os.close(ours)
    assert run.returncode == 1
    assert out == ""
    assert err.decode().splitlines() == ["error: interrupted; run it again"]
    assert commands_of(run.pid) == []


def commands_of(session: int) -> list[str]:
    """The commands of a session of processes; processes that have ended, and were not waited for, have no command."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # it ended meanwhile, or is no process
            if int((entry / "stat").read_text().rpartition(")")[2].split()[3]) == session:
                found.append((entry / "cmdline").read_text())
    return [command for command in found if command]
