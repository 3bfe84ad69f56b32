"""What is on a class path is what was released, byte by byte; Spark's configuration, and Ctrl-C while Spark starts."""

import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
from pyspark import SparkConf

from kafka_census.cli.ending import ended
from kafka_census.defaults import SPARK
from kafka_census.errors import ConfigError
from kafka_census.jars import checksums as jar_checksums
from kafka_census.jars import ivy as jars
from kafka_census.jars import spark_conf
from kafka_census.jars.delta import delta_set
from kafka_census.jars.ivy import NotResolved, TamperedWith
from kafka_census.jars.jar_sets import DELTA, JAR_SETS, JarSet
from kafka_census.spark.interrupts import interrupts_deferred
from kafka_census.spark.jvm import _require_cluster_conf
from kafka_census.spark.started_by import in_driver

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "jars.md"
GOOD = {"a-1.jar": b"the jar a", "b-1.jar": b"the jar b"}
FAKE_IVY = "import pathlib, sys; [pathlib.Path(sys.argv[1], name).write_text(text) for name, text in {!r}.items()]"


@pytest.fixture
def ivy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """What Ivy brings for the only set there is, `toy`; its checksums are those of GOOD."""
    brings = dict(GOOD)

    def command(_jar_set: JarSet, into: Path, _cache_at: Path) -> list[str]:
        files = {name: content.decode() for name, content in brings.items()}
        return [sys.executable, "-c", FAKE_IVY.format(files), str(into)]

    lines = [f"{hashlib.sha256(content).hexdigest()}  toy/{name}\n" for name, content in GOOD.items()]
    (tmp_path / "jars.sha256").write_text("".join(lines), encoding="utf-8")
    monkeypatch.setattr(jar_checksums, "FILE", tmp_path / "jars.sha256")
    monkeypatch.setattr(jars, "JAR_SETS", (JarSet("toy", ()),))
    monkeypatch.setattr(jars, "_ivy_command", command)
    monkeypatch.setattr(jars, "_PAUSES", (0,))
    monkeypatch.setenv("KAFKA_CENSUS_CACHE", str(tmp_path / "cache"))
    return brings


@pytest.mark.parametrize(
    ("name", "put", "says"),
    [
        ("a-1.jar", lambda jar: jar.write_bytes(b"planted"), "a-1.jar is not the jar that was released"),
        ("a-1.jar", lambda jar: jar.unlink(), "a-1.jar is missing"),
        ("notes.txt", lambda jar: jar.write_bytes(b"planted"), "notes.txt does not belong there"),
        # To read a pipe would wait for ever; what a link leads to may change.
        ("a-1.jar", lambda jar: (jar.unlink(), os.mkfifo(jar)), "a-1.jar is not the jar that was released"),
        ("a-1.jar", lambda jar: jar.symlink_to(jar.rename(jar.parents[3] / "moved")), "a-1.jar is not the jar"),
    ],
)
@pytest.mark.usefixtures("ivy")
def test_a_set_is_fetched_once_and_refused_where_it_was_changed_in_the_cache(
    name: str, put: Callable[[Path], object], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    jar_folder = jars.folder("toy")
    assert jars.jars("toy") == [jar_folder / "a-1.jar", jar_folder / "b-1.jar"]
    assert capsys.readouterr().err.count("fetching") == 1
    jars._verify.cache_clear()
    put(jar_folder / name)
    with pytest.raises(TamperedWith) as caught:
        jars.jars("toy")
    assert str(caught.value).startswith(f"jars: {says}")
    assert str(caught.value).endswith(f": {jar_folder}; delete that folder, and they are fetched again")
    shutil.rmtree(jar_folder)
    assert len(jars.jars("toy")) == 2


@pytest.mark.parametrize(
    ("brings", "error", "says"),
    [
        ({**GOOD, "b-1.jar": b"another"}, TamperedWith, r"it was fetched for toy; delete .*/cache/ivy"),
        ({}, NotResolved, r"toy could not be fetched; is there a network\? Ivy's log: .*ivy-toy\.log"),
    ],
)
def test_what_was_fetched_and_is_not_what_was_released_is_no_set(
    ivy: dict[str, bytes], tmp_path: Path, brings: dict[str, bytes], error: type[Exception], says: str
) -> None:
    """By the same look as what is in the cache."""
    ivy.clear()
    ivy.update(brings)
    with pytest.raises(error, match=says):
        jars.folder("toy")
    assert list((tmp_path / "cache" / "jars").glob("[!.]*")) == []


@pytest.mark.usefixtures("ivy")
def test_a_set_without_checksums_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "jars.sha256").write_text("0  other/x.jar\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"jars\.sha256 has no checksums of toy; run: make jars-lock"):
        jars.folder("toy")
    jars.JAR_SETS += (JarSet("other", ()),)
    jars.lock(["toy"])
    lines = (tmp_path / "jars.sha256").read_text(encoding="utf-8").splitlines()
    assert [line.split()[1] for line in lines] == ["other/x.jar", "toy/a-1.jar", "toy/b-1.jar"]
    assert len(jars.jars("toy")) == 2


def test_an_unwritable_cache_is_one_line_with_what_to_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    command = [sys.executable, "-m", "kafka_census.jars", "delta"]
    environment = os.environ | {"KAFKA_CENSUS_CACHE": str(tmp_path / "file" / "cache")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"jars: the cache {tmp_path}/file/cache cannot be used" in done.stderr
    assert "set KAFKA_CENSUS_CACHE to a folder that can" in done.stderr
    # And what to set where there is no home for a cache.
    monkeypatch.delenv("KAFKA_CENSUS_CACHE", raising=False)
    monkeypatch.setattr(Path, "home", Mock(side_effect=RuntimeError("Could not determine home directory.")))
    with pytest.raises(ConfigError, match="this user has no home; set KAFKA_CENSUS_CACHE"):
        jars.cache_folder()


def test_every_set_has_its_checksums_and_the_docs_list_those_of_the_product() -> None:
    assert jar_checksums.known_sets() == {jar_set.name for jar_set in JAR_SETS}
    row = re.compile(r"^\| `(.+?)` \| (\S+) \| (.+?) \| `([0-9a-f]{64})` \|$", re.MULTILINE)
    listed = row.findall(PAGE.read_text(encoding="utf-8"))
    expected = {
        (f"{group}:{module}", at, jar_checksums.checksums(jar_set.name)[f"{module}-{at}.jar"])
        for jar_set in JAR_SETS
        if jar_set.name in DELTA.values()
        for group, module, at in jar_set.artifacts
    }
    assert len(listed) == len(expected) == len(DELTA) + 1
    assert {(name, version, digest) for name, version, _, digest in listed} == expected
    assert all(licence == "Apache-2.0" for *_, licence, _ in listed)


@pytest.fixture
def spark_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have a Spark with this jar."""
    (tmp_path / "jars").mkdir()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    return lambda jar: (tmp_path / "jars" / jar).touch()


def test_delta_is_of_the_line_of_the_spark_that_is_here(spark_with: Callable[[str], None]) -> None:
    spark_with("spark-core_2.13-4.0.2-amzn-0.jar")
    assert delta_set() == DELTA["4.0"]


@pytest.mark.parametrize(("core", "found"), [("2.13-4.3.0", "Spark 4.3"), ("2.12-4.1.1", "Spark without Scala 2.13")])
def test_a_spark_whose_delta_is_not_known_is_refused(spark_with: Callable[[str], None], core: str, found: str) -> None:
    spark_with(f"spark-core_{core}.jar")
    with pytest.raises(ConfigError, match=rf"^jars: \S+ is of {found}, and Delta's jars are known for 4\.0, [^\n]*$"):
        delta_set()


FILES = {"log4j2.properties", "spark-defaults.conf", "spark-env.sh"}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that has Delta's jars; nobody has said where Spark's configuration is."""
    (tmp_path / "jars").symlink_to(jars.folder(delta_set()).parent)
    monkeypatch.setenv("KAFKA_CENSUS_CACHE", str(tmp_path))
    # Set first, so that it is as before in the end, whatever is tested.
    monkeypatch.setenv("SPARK_CONF_DIR", "")
    monkeypatch.delenv("SPARK_CONF_DIR")
    return tmp_path


def test_the_packaged_configuration_is_made_once_in_the_cache_where_none_is_named(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spark_conf.provide_spark_conf()
    folder = Path(os.environ["SPARK_CONF_DIR"])
    assert folder.parent == cache / "spark-conf"
    assert {file.name for file in folder.iterdir()} == FILES == {file.name for file in SPARK.iterdir()}
    defaults = (folder / "spark-defaults.conf").read_text(encoding="utf-8")
    assert f" {cache}/jars/{delta_set()}/delta-spark" in defaults
    before = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    (folder / "spark-env.sh").write_text("exit 1\n", encoding="utf-8")
    monkeypatch.delenv("SPARK_CONF_DIR")
    spark_conf.provide_spark_conf()
    assert os.environ["SPARK_CONF_DIR"] == str(folder)
    after = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert {name for name in FILES if before[name] != after[name]} == {"spark-env.sh"}
    assert (folder / "spark-env.sh").read_text(encoding="utf-8") == (SPARK / "spark-env.sh").read_text(encoding="utf-8")
    # Another release has another folder.
    monkeypatch.setattr(spark_conf, "SPARK", shutil.copytree(SPARK, cache / "other"))
    with (cache / "other" / "spark-env.sh").open("a") as newer:
        newer.write("# newer\n")
    monkeypatch.delenv("SPARK_CONF_DIR")
    spark_conf.provide_spark_conf()
    assert len(list((cache / "spark-conf").iterdir())) == 2
    # One that the operator names is left alone.
    monkeypatch.setenv("SPARK_CONF_DIR", "/etc/spark")
    spark_conf.provide_spark_conf()
    assert os.environ["SPARK_CONF_DIR"] == "/etc/spark"


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
    local = [None, "local", "local[*]", "local[2, 4]"]
    others = ["local-cluster[2,1,512]", "spark://host:7077", "yarn"]
    assert [master for master in local + others if in_driver(master)] == local


def test_settings_are_given_before_those_of_the_operator_to_a_spark_that_we_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that is there would leave them out in silence."""
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--name x pyspark-shell")
    settings = ["spark.driver.memory=3g", "spark.driver.extraJavaOptions=-Da=b -Dc='d e'"]
    spark_conf.add_settings(settings)
    words = shlex.split(os.environ["PYSPARK_SUBMIT_ARGS"])
    assert words == ["--conf", settings[0], "--conf", settings[1], "--name", "x", "pyspark-shell"]
    monkeypatch.delenv("PYSPARK_SUBMIT_ARGS")
    spark_conf.add_settings([])
    assert "PYSPARK_SUBMIT_ARGS" not in os.environ
    for given in ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE", "DATABRICKS_RUNTIME_VERSION"):
        monkeypatch.setenv(given, "1")
        with pytest.raises(ConfigError, match="--spark-conf is for a Spark that this command starts"):
            spark_conf.add_settings(["spark.driver.memory=3g"])
        monkeypatch.delenv(given)


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
