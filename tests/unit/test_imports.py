"""What a job loads that only computes: nothing of the wire; and what only some modules may import or call."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import kafka_census

PACKAGE = Path(kafka_census.__file__).parent

COMPUTING = ("lake", "pages", "transforms", "staging", "quality", "publish", "report")
WIRE = (
    "kafka",
    "kafka_messages",
    "kafka_census.rpc",
    "kafka_census.paging",
    "kafka_census.source",
    "kafka_census.deletion.writing",
)
SETTINGS = {
    f"kafka_census.protocol{module}"
    for module in ("", ".allowed_hosts", ".aws", ".kerberos", ".redaction", ".settings", ".tokens")
}
"""Values of the configuration and what hides its secrets, which know nothing of Kafka's client."""

OF_A_JVM = {
    "py4j",
    "pyspark.core",
    "pyspark.java_gateway",
    "pyspark.sql.classic",
    "pyspark.sql.HiveContext",
    "pyspark.sql.SQLContext",
    *(f"pyspark.{module}" for module in ("broadcast", "context", "files", "rdd", "status")),
    *(f"pyspark.{name}" for name in ("Broadcast", "RDD", "SparkConf", "SparkContext", "SparkFiles", "StatusTracker")),
}
"""What PySpark has where it has its core, and old names of that."""

STEPS = f"""
import importlib, pkgutil, sys

def load(*packages):
    for name in packages:
        package = importlib.import_module(f"kafka_census.{{name}}")
        for found in pkgutil.walk_packages(package.__path__, f"{{package.__name__}}."):
            importlib.import_module(found.name)

import kafka_census.cli.doctor
load("doctor")
print(*sorted(sys.modules))
for name in [name for name in sys.modules if name.partition(".")[0] in ("kafka", "kafka_census", "kafka_messages")]:
    del sys.modules[name]
import kafka_census.workflows.job
print(*sorted(sys.modules))
import kafka_census.data_source, kafka_census.lake.run_lock
load(*{COMPUTING})
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


def test_a_job_that_starts_does_not_wait_for_great_expectations(loaded: list[set[str]]) -> None:
    """It is imported by a thread of its own while the JVM starts, and takes as long."""
    assert "pyspark" in loaded[1]
    assert "great_expectations" not in loaded[1]


def test_a_job_that_only_computes_never_loads_the_wire(loaded: list[set[str]]) -> None:
    assert {f"kafka_census.{half}" for half in COMPUTING} < loaded[2]
    assert [name for name in loaded[2] if name in WIRE or name.startswith(tuple(f"{one}." for one in WIRE))] == []
    collecting = {name for name in loaded[2] if name.startswith(("kafka_census.protocol", "kafka_census.landing"))}
    assert collecting == SETTINGS


def test_only_what_has_a_jvm_imports_what_connects_client_has_not() -> None:
    """pyspark-client has neither a SparkContext nor py4j; these modules are imported where there is a JVM."""
    found = {name for name, each in _nodes("pyspark", "py4j") if any(map(_needs_a_jvm, _imported(each)))}
    assert found == {"class_archive.py", "spark_interrupts.py", "spark_jvm.py", "spark_lookups.py"}


def test_settings_of_spark_are_read_and_set_in_one_place() -> None:
    found = {
        name
        for name, each in _nodes(".conf")
        if isinstance(each, ast.Attribute)
        and each.attr in ("get", "set", "unset", "getAll")
        and isinstance(each.value, ast.Attribute)
        and each.value.attr == "conf"
    }
    assert found == {"spark_settings.py"}


def _nodes(*words: str) -> Iterator[tuple[str, ast.AST]]:
    """The nodes of the syntax trees of all modules of ours with one of these words, each with its path."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            for node in ast.walk(ast.parse(text)):
                yield str(path.relative_to(PACKAGE)), node


def _imported(node: ast.AST) -> list[str]:
    """The full names of what a statement imports; none of any other node."""
    if isinstance(node, ast.Import):
        return [one.name for one in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{one.name}" for one in node.names]
    return []


def _needs_a_jvm(name: str) -> bool:
    return name.startswith(tuple(f"{root}." for root in OF_A_JVM)) or name in OF_A_JVM
