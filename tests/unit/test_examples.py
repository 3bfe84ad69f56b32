"""Every file of examples/: what it starts is a command that there is, with settings that a census needs.

The names of Spark's settings are held against those of Spark in tests/spark/test_session_settings.py.
"""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from configparser import ConfigParser, SectionProxy
from pathlib import Path

import pytest
import yaml

from harness.spark_cluster import ENCRYPTED
from kafka_census.cli.command import parser
from kafka_census.defaults import CENSUS, SPARK_CLUSTER
from kafka_census.jars.checksums import checksums
from kafka_census.jars.delta import delta_set
from kafka_census.jars.ivy import cache_folder

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
BY_SUBMIT = ("standalone/census.sh", "yarn/census.sh", "airflow/census_dag.py")
"""They give spark-submit the folder of dist/cluster/conf."""
BY_THEMSELVES = ("emr/step.json", "dataproc/census.sh", "kubernetes/census.yaml")
"""They set all that a census cannot do without."""
ONE_MACHINE = ("cron/kafka-census", "systemd/kafka-census.service", "airflow/one_machine_dag.py")
STARTED = (*BY_SUBMIT, *BY_THEMSELVES, *ONE_MACHINE)
MADE = {"environment.tar.gz", "kafka-census.py", *checksums(delta_set())}
"""What `make dist` writes, and examples name; a test on a cluster of Spark's runs it."""


def text(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


def commands(of: str) -> Iterator[list[str]]:
    """The words of ours in a file of any format, where they stand in one line."""
    for found in re.findall(r'\b(?:run|maintain)"?,? "?--config.*', of):
        yield re.findall(r"[\w./-]+", re.split(r" \d?>>|\]", found)[0])


def section(name: str) -> SectionProxy:
    """The service, whose specifiers are those of the system's manager (systemd.unit(5))."""
    unit = ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(text("systemd/kafka-census.service").replace("%C", "/var/cache").replace("%S", "/var/lib"))
    return unit[name]


def test_docs_name_every_example() -> None:
    files = {str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*") if path.is_file()}
    assert files == {*STARTED, "emr/census.sh", "kubernetes/Dockerfile", "systemd/kafka-census.timer"}
    page = (ROOT / "docs" / "spark-cluster.md").read_text(encoding="utf-8")
    assert [name for name in files if f"examples/{name}" not in page] == []


@pytest.mark.parametrize("name", STARTED)
def test_an_example_starts_a_census_or_its_upkeep(name: str) -> None:
    lines = [*commands(text(name))]
    assert len(lines) == (2 if name.startswith("cron") else 1)
    for words in lines:
        assert parser(words[:1]).parse_args(words).config.endswith("census.yaml")
    if name.endswith(".sh"):
        subprocess.run(["sh", "-n", EXAMPLES / name], check=True)


@pytest.mark.parametrize("name", [*BY_SUBMIT, *BY_THEMSELVES])
def test_an_example_for_a_cluster_names_what_dist_writes_and_encrypts(name: str) -> None:
    """Secrets travel inside tasks."""
    settings = dict(re.findall(r'\b(spark(?:\.\w+)+)["\s]*[=:]\s*"?([\w.-]+)', text(name)))
    assert settings.items() >= dict.fromkeys(ENCRYPTED, "true").items()
    named = set(re.findall(r"[\w.-]+(?:\.tar\.gz|\.jar)\b|kafka-census\.py", text(name)))
    assert "kafka-census.py" in named
    # EMR has the other one.
    assert named - {"command-runner.jar"} <= MADE
    if name in BY_THEMSELVES:
        defaults = (SPARK_CLUSTER / "spark-defaults.conf").read_text(encoding="utf-8")
        assert settings.items() >= set(re.findall(r"^(spark\.(?:sql|locality)\.\S+) +(\S+)$", defaults, re.MULTILINE))


def test_the_image_holds_what_dist_writes_where_the_operator_looks_for_it() -> None:
    copied = dict(re.findall(r"^(?:COPY|ADD) (\S+) (\S+)$", text("kubernetes/Dockerfile"), re.MULTILINE))
    assert set(copied) == {"kafka-census.py", "jars/", "environment.tar.gz"}
    applied = text("kubernetes/census.yaml")
    assert f"local://{copied['kafka-census.py']}kafka-census.py" in applied
    assert f"{copied['environment.tar.gz']}bin/python" in applied


@pytest.mark.parametrize("kind", ["service", "timer"])
def test_systemd_understands_a_unit_without_a_warning(tmp_path: Path, kind: str) -> None:
    """In a root that has both units and the program."""
    program = shlex.split(section("Service")["ExecStart"])[0]
    installed, command = tmp_path / "etc" / "systemd" / "system", tmp_path / program.lstrip("/")
    shutil.copytree(EXAMPLES / "systemd", installed)
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\n", encoding="utf-8")
    command.chmod(0o755)
    verify = ["systemd-analyze", "verify", "--recursive-errors=no", f"--root={tmp_path}", f"kafka-census.{kind}"]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_systemd_s_service_may_write_where_the_command_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cache, a lake below the current folder, and temporary files: tests/spark/test_installed.py finds no other."""
    service = section("Service")
    name, _, value = service["Environment"].partition("=")
    monkeypatch.delenv("KAFKA_CENSUS_CACHE", raising=False)
    monkeypatch.setenv(name, value)
    lake = Path(service["WorkingDirectory"]) / yaml.safe_load(CENSUS.read_text(encoding="utf-8"))["lake"]["root"]
    writable = (Path("/var/cache", service["CacheDirectory"]), Path("/var/lib", service["StateDirectory"]))
    assert [service[key] for key in ("ProtectSystem", "ProtectHome", "PrivateTmp")] == ["strict", "true", "true"]
    for written in (cache_folder(), lake):
        assert any(written.is_relative_to(folder) for folder in writable), written
