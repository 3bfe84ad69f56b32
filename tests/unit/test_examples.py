"""Every file of examples/: what it starts is a command that there is, with options that there are.

The names of Spark's settings are held against those of Spark in tests/spark/test_setting_names.py.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml

from kafka_census.defaults import CENSUS
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


@pytest.mark.parametrize("name", RULES)
def test_an_example_starts_what_there_is(tmp_path: Path, name: str) -> None:
    RULES[name](tmp_path, EXAMPLES / name)


def test_every_example_has_a_rule_and_is_reported_of() -> None:
    files = {str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*") if path.is_file()}
    page = (ROOT / "docs" / "spark-cluster.md").read_text(encoding="utf-8")
    assert files == {*RULES, "emr/step.json"}
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
