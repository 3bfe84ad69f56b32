"""What a job loads that only computes: nothing of the wire."""

import subprocess
import sys

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
    f"kafka_census.protocol{module}" for module in ("", ".aws", ".kerberos", ".redaction", ".settings", ".tokens")
}
"""Values of the configuration and what hides its secrets, which know nothing of Kafka's client."""

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
    """Not by starting, not by the session's Data Source, not by any module of its half."""
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
    told = (
        "import importlib, pkgutil, sys, kafka_census.cli.doctor, kafka_census.doctor as package\n"
        "for found in pkgutil.walk_packages(package.__path__, 'kafka_census.doctor.'):\n"
        "    importlib.import_module(found.name)\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print(*sorted(loaded & {'pyspark', 'pyarrow', 'deltalake', 'pandas'}))"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_a_job_that_starts_does_not_wait_for_great_expectations() -> None:
    """It is imported by a thread of its own while the JVM starts, and takes as long."""
    told = "import sys, kafka_census.workflows.job; print('great_expectations' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout.strip(), done.stderr) == ("False", "")
