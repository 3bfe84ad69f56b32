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

EVERYTHING_OF = f"""
import importlib, pkgutil, sys
import kafka_census.workflows.job, kafka_census.data_source, kafka_census.lake.run_lock
for half in {COMPUTING}:
    package = importlib.import_module(f"kafka_census.{{half}}")
    for found in pkgutil.walk_packages(package.__path__, f"{{package.__name__}}."):
        importlib.import_module(found.name)
print(*sorted(sys.modules))
"""


def test_a_job_that_only_computes_never_loads_the_wire() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EVERYTHING_OF], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert {f"kafka_census.{half}" for half in COMPUTING} < set(loaded)
    assert [name for name in loaded if name in WIRE or name.startswith(tuple(f"{one}." for one in WIRE))] == []
    collecting = {name for name in loaded if name.startswith(("kafka_census.protocol", "kafka_census.landing"))}
    assert collecting == SETTINGS


def test_the_doctor_loads_neither_spark_nor_what_reads_a_lake() -> None:
    """Its command names the tables and reads the configuration, and imports what it needs when it runs."""
    reported = (
        "import importlib, pkgutil, sys, kafka_census.cli.doctor, kafka_census.doctor as package\n"
        "for found in pkgutil.walk_packages(package.__path__, 'kafka_census.doctor.'):\n"
        "    importlib.import_module(found.name)\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print(*sorted(loaded & {'pyspark', 'pyarrow', 'deltalake', 'pandas'}))"
    )
    done = subprocess.run([sys.executable, "-c", reported], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_a_job_that_starts_does_not_wait_for_great_expectations() -> None:
    """It is imported by a thread of its own while the JVM starts, and takes as long."""
    reported = "import sys, kafka_census.workflows.job; print('great_expectations' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", reported], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout.strip(), done.stderr) == ("False", "")


def test_only_what_has_a_jvm_imports_what_connects_client_has_not() -> None:
    """pyspark-client has neither a SparkContext nor py4j; these modules are imported where there is a JVM."""
    found = {name for name, each in _nodes() if any(map(_needs_a_jvm, _imported(each)))}
    assert found == {"class_archive.py", "spark_interrupts.py", "spark_jvm.py", "spark_lookups.py"}


@pytest.mark.parametrize(
    "line",
    [
        "import py4j",
        "import py4j.protocol as protocol",
        "from py4j.protocol import Py4JError",
        "import pyspark.context",
        "from pyspark import SparkContext",
        "from pyspark import broadcast",
        "from pyspark.broadcast import Broadcast",
        "from pyspark.core.status import StatusTracker",
        "from pyspark.rdd import RDD",
        "from pyspark.sql import SparkSession, SQLContext",
        "from pyspark.sql.classic.dataframe import DataFrame",
    ],
)
def test_an_import_that_needs_a_jvm_is_seen(line: str) -> None:
    (node,) = ast.parse(line).body
    assert any(map(_needs_a_jvm, _imported(node)))


@pytest.mark.parametrize("line", ["from pyspark.sql import SparkSession, functions", "import pyspark.errors"])
def test_an_import_that_needs_no_jvm_is_not(line: str) -> None:
    (node,) = ast.parse(line).body
    assert not any(map(_needs_a_jvm, _imported(node)))


def test_settings_of_spark_are_read_and_set_in_one_place() -> None:
    """Which knows that a platform may refuse them."""
    found = {
        name
        for name, each in _nodes()
        if isinstance(each, ast.Attribute)
        and each.attr in ("get", "set", "unset", "getAll")
        and isinstance(each.value, ast.Attribute)
        and each.value.attr == "conf"
    }
    assert found == {"spark_settings.py"}


def _nodes() -> Iterator[tuple[str, ast.AST]]:
    """The nodes of the syntax trees of all modules of the package, each with the path of its module."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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
