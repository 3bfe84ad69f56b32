"""Every file of examples/: what it starts is a command that there is, with options that there are.

The names of Spark's settings are held against those of Spark in tests/spark/test_setting_names.py.
"""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml

from kafka_census.defaults import CENSUS
from kafka_census.errors import ConfigError
from kafka_census.jars import cache_folder
from unit.on_clusters import by_airflow, by_the_operator, in_an_image, on_dataproc, on_emr, submitting
from unit.on_one_machine import by_cron, by_systemd, section

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

RULES: Mapping[str, Callable[[Path, Path], None]] = {
    "standalone/census.sh": submitting,
    "yarn/census.sh": submitting,
    "emr/census.sh": on_emr,
    "dataproc/census.sh": on_dataproc,
    "kubernetes/census.yaml": by_the_operator,
    "kubernetes/Dockerfile": in_an_image,
    "airflow/census_dag.py": by_airflow,
    "cron/kafka-census": by_cron,
    "systemd/kafka-census.service": by_systemd,
    "systemd/kafka-census.timer": by_systemd,
}

READ_BY_ANOTHER = {"emr/step.json": "emr/census.sh"}
"""A file that is no program, and the example that hands it in."""

MISSPELLED = [
    ("standalone/census.sh", "--total-executor-cores", "--total-executors-cores"),
    ("yarn/census.sh", "--num-executors", "--num-executor"),
    ("yarn/census.sh", "--no-report", "--no-reports"),
    ("emr/census.sh", "--cluster-id", "--cluster"),
    ("emr/step.json", "--archives", "--archive"),
    ("emr/step.json", "ActionOnFailure", "ActionOnFail"),
    ("emr/step.json", "CONTINUE", "CONTINUES"),
    ("dataproc/census.sh", "--files", "--file"),
    ("kubernetes/census.yaml", "onFailureRetries", "onFailureRetry"),
    ("kubernetes/census.yaml", "instances: 4", 'instances: "4"'),
    ("kubernetes/Dockerfile", "jars/ ", "jar/ "),
    ("airflow/census_dag.py", "num_executors=", "num_executor="),
    ("airflow/census_dag.py", "dagrun_timeout=", "dag_timeout="),
    ("cron/kafka-census", "--apply", "--applied"),
    ("systemd/kafka-census.service", "ProtectHome", "ProtectHomes"),
    ("systemd/kafka-census.service", "Type=oneshot", "Type=once"),
    ("systemd/kafka-census.timer", "RandomizedDelaySec", "RandomizedDelaySecs"),
]


@pytest.mark.parametrize("name", RULES)
def test_an_example_starts_what_there_is(tmp_path: Path, name: str) -> None:
    """By a rule of its own."""
    RULES[name](tmp_path, EXAMPLES / name)


@pytest.mark.parametrize(("name", "right", "wrong"), MISSPELLED)
def test_a_misspelled_option_or_field_is_seen(tmp_path: Path, name: str, right: str, wrong: str) -> None:
    """In each kind of file."""
    copies = shutil.copytree(EXAMPLES, tmp_path / "examples")
    text = (copies / name).read_text(encoding="utf-8")
    assert right in text
    (copies / name).write_text(text.replace(right, wrong), encoding="utf-8")
    started = READ_BY_ANOTHER.get(name, name)
    with pytest.raises((AssertionError, ConfigError)):
        RULES[started](tmp_path, copies / started)


def test_every_example_has_a_rule_and_is_reported_of() -> None:
    """docs/spark-cluster.md names each, and says what was run."""
    files = {str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*") if path.is_file()}
    page = (ROOT / "docs" / "spark-cluster.md").read_text(encoding="utf-8")
    assert files == {*RULES, *READ_BY_ANOTHER}
    assert [name for name in files if f"examples/{name}" not in page] == []


def test_systemd_s_service_may_write_where_the_command_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cache, a lake below the current folder, and temporary files: tests/spark/test_installed.py finds no other."""
    service = section(EXAMPLES / "systemd" / "kafka-census.service", "Service")
    name, _, value = service["Environment"].partition("=")
    monkeypatch.delenv("KAFKA_CENSUS_CACHE", raising=False)
    monkeypatch.setenv(name, value)
    lake = Path(service["WorkingDirectory"]) / yaml.safe_load(CENSUS.read_text(encoding="utf-8"))["lake"]["root"]
    writable = (Path("/var/cache", service["CacheDirectory"]), Path("/var/lib", service["StateDirectory"]))
    assert [service[key] for key in ("ProtectSystem", "ProtectHome", "PrivateTmp")] == ["strict", "true", "true"]
    for written in (cache_folder(), lake):
        assert any(written.is_relative_to(folder) for folder in writable), written
