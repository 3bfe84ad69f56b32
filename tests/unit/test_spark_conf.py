"""Spark's configuration folder for who starts a job without spark-submit, and Ctrl-C while Spark starts."""

import os
import re
import shlex
import shutil
import signal
from pathlib import Path

import pytest
from pyspark import SparkConf

from kafka_census.cli.ending import ended
from kafka_census.defaults import SPARK
from kafka_census.errors import ConfigError
from kafka_census.jars import ivy as jars
from kafka_census.jars import spark_conf
from kafka_census.jars.jar_sets import DELTA
from kafka_census.spark.interrupts import interrupts_deferred
from kafka_census.spark.jvm import _require_cluster_conf
from kafka_census.spark.started_by import in_driver

FILES = {"log4j2.properties", "spark-defaults.conf", "spark-env.sh"}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that has Delta's jars; nobody has said where Spark's configuration is."""
    (tmp_path / "jars").symlink_to(jars.folder(DELTA).parent)
    monkeypatch.setenv("KAFKA_CENSUS_CACHE", str(tmp_path))
    # Set first, so that it is as before in the end, whatever is tested.
    monkeypatch.setenv("SPARK_CONF_DIR", "")
    monkeypatch.delenv("SPARK_CONF_DIR")
    return tmp_path


def test_the_packaged_configuration_is_made_once_in_the_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spark_conf.provide_spark_conf()
    folder = Path(os.environ["SPARK_CONF_DIR"])
    assert folder.parent == cache / "spark-conf"
    assert {file.name for file in folder.iterdir()} == FILES == {file.name for file in SPARK.iterdir()}
    defaults = (folder / "spark-defaults.conf").read_text(encoding="utf-8")
    assert f" {cache}/jars/{DELTA}/delta-spark" in defaults
    before = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    (folder / "spark-env.sh").write_text("exit 1\n", encoding="utf-8")
    monkeypatch.delenv("SPARK_CONF_DIR")
    spark_conf.provide_spark_conf()
    assert os.environ["SPARK_CONF_DIR"] == str(folder)
    after = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert {name for name in FILES if before[name] != after[name]} == {"spark-env.sh"}
    assert (folder / "spark-env.sh").read_text(encoding="utf-8") == (SPARK / "spark-env.sh").read_text(encoding="utf-8")


def test_another_release_has_another_folder(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spark_conf.provide_spark_conf()
    monkeypatch.setattr(spark_conf, "SPARK", shutil.copytree(SPARK, tmp_path / "other"))
    with (tmp_path / "other" / "spark-env.sh").open("a") as newer:
        newer.write("# newer\n")
    monkeypatch.delenv("SPARK_CONF_DIR")
    spark_conf.provide_spark_conf()
    assert len(list((cache / "spark-conf").iterdir())) == 2


def test_what_is_for_one_machine_never_reaches_a_cluster(tmp_path: Path) -> None:
    """Its configuration names no address, memory or core, and a job refuses the other one there."""
    jar = Path("jars", "delta.jar")
    spark_conf.write_cluster_conf(tmp_path, [jar])
    assert {file.name for file in tmp_path.iterdir()} == FILES
    defaults = (tmp_path / "spark-defaults.conf").read_text(encoding="utf-8")
    settings = dict(re.findall(r"^(spark\.\S+) +(.+)$", defaults, re.MULTILINE))
    assert settings["spark.jars"] == str(jar)
    words = ("master", "driver.host", "bindAddress", "memory", "cores", "codegen", spark_conf.ONE_MACHINE)
    assert [name for name in settings if any(word in name for word in words)] == []
    conf = SparkConf(loadDefaults=False).setMaster("yarn")
    _require_cluster_conf(conf)
    with pytest.raises(ConfigError, match=r"spark\.master is yarn: .* SPARK_CONF_DIR=dist/cluster/conf"):
        _require_cluster_conf(conf.set(spark_conf.ONE_MACHINE, "true"))
    assert f"{spark_conf.ONE_MACHINE} " in (SPARK / "spark-defaults.conf").read_text(encoding="utf-8")


def test_tasks_run_in_the_driver_on_a_local_master_alone() -> None:
    """Elsewhere executors may be lost, and settings for one machine are wrong."""
    local = [None, "local", "local[*]", "local[2, 4]"]
    others = ["local-cluster[2,1,512]", "spark://host:7077", "yarn", "k8s://https://host:6443"]
    assert [master for master in local + others if in_driver(master)] == local


def test_a_folder_that_the_operator_names_is_left_alone(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", "/etc/spark")
    spark_conf.provide_spark_conf()
    assert os.environ["SPARK_CONF_DIR"] == "/etc/spark"
    assert not (cache / "spark-conf").exists()


def test_settings_are_given_before_those_of_the_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--name x pyspark-shell")
    settings = ["spark.driver.memory=3g", "spark.driver.extraJavaOptions=-Da=b -Dc='d e'"]
    spark_conf.add_settings(settings)
    words = shlex.split(os.environ["PYSPARK_SUBMIT_ARGS"])
    assert words == ["--conf", settings[0], "--conf", settings[1], "--name", "x", "pyspark-shell"]
    monkeypatch.delenv("PYSPARK_SUBMIT_ARGS")
    spark_conf.add_settings([])
    assert "PYSPARK_SUBMIT_ARGS" not in os.environ


@pytest.mark.parametrize("given", ["PYSPARK_GATEWAY_PORT", "SPARK_REMOTE", "DATABRICKS_RUNTIME_VERSION"])
def test_a_spark_that_is_there_takes_no_settings(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would be left out in silence."""
    monkeypatch.setenv(given, "1")
    with pytest.raises(ConfigError, match="--spark-conf is for a Spark that this command starts"):
        spark_conf.add_settings(["spark.driver.memory=3g"])


def test_an_interrupt_within_the_block_comes_at_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    done: list[str] = []

    def action(_redactor: object) -> int:
        with interrupts_deferred():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("block")
        done.append("never")
        return 0

    # Who starts the tests in the background has them ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert ended(action, []) == 1
        assert done == ["block"]
        assert capsys.readouterr().err == "error: interrupted\n"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert ended(action, []) == 0
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
