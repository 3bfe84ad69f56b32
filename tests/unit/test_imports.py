"""What the doctor and a job load: a job that only computes, nothing of the wire."""

import subprocess
import sys

import pytest

WIRE = ("kafka", "kafka_messages")
WIRE += tuple(f"kafka_census.{name}" for name in ("kafka.rpc", "kafka.paging", "landing.fetch", "deletion.writing"))

STEPS = """
import importlib, pkgutil, sys
import kafka_census.cli.doctor, kafka_census.upkeep.doctor
for found in pkgutil.walk_packages(kafka_census.upkeep.doctor.__path__, "kafka_census.upkeep.doctor."):
    importlib.import_module(found.name)
print(*sorted(sys.modules))
for name in [name for name in sys.modules if name.partition(".")[0] in ("kafka", "kafka_census", "kafka_messages")]:
    del sys.modules[name]
import kafka_census.cli.job, kafka_census.census.gate.gate, kafka_census.tables.suites
import kafka_census.data_source, kafka_census.lake.run_lock
print(*sorted(sys.modules))
"""


@pytest.fixture(scope="module")
def loaded() -> list[set[str]]:
    done = subprocess.run([sys.executable, "-c", STEPS], capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return [set(line.split()) for line in done.stdout.splitlines()]


def test_the_doctor_loads_neither_spark_nor_what_reads_a_lake(loaded: list[set[str]]) -> None:
    """Its command names the tables and reads the configuration, and imports what it needs when it runs."""
    assert {name.partition(".")[0] for name in loaded[0]}.isdisjoint({"pyspark", "pyarrow", "deltalake", "pandas"})


def test_a_job_without_expectations_of_its_operator_does_not_load_great_expectations(loaded: list[set[str]]) -> None:
    """Importing it takes as long as the JVM's start."""
    assert {"pyspark", "kafka_census.census.gate.gate", "kafka_census.tables.suites"} <= loaded[1]
    assert "great_expectations" not in loaded[1]


def test_a_job_that_has_nothing_to_collect_loads_nothing_of_the_wire(loaded: list[set[str]]) -> None:
    """What it computes with cannot: an import contract of setup.cfg forbids it."""
    assert [name for name in loaded[1] if name in WIRE or name.startswith(tuple(f"{one}." for one in WIRE))] == []
