"""The wheel alone, installed and started from an empty folder.

No file of the checkout is on the path. Spark is started by the command, with the packaged configuration.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from emulator.commanding import running
from kafka_census import __version__
from kafka_census.cli.command import SUBCOMMANDS
from kafka_census.jars.ivy import cache_folder

ROOT = Path(__file__).parents[2]
TABLE = "quotas"
"""The table to survey: one with few walks, with every step still at work."""
BUILT = ("pyproject.toml", "setup.cfg", "README.md", "LICENSE", "jobs", "pipelines")
"""The files from which the wheel is built."""


@dataclass(frozen=True)
class Installed:
    """The installed command; `here` is the folder in which it is started, `home` that of its user."""

    site: Path
    here: Path
    home: Path

    def run(self, *argv: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run the command."""
        return self.start(str(self.site / "bin" / "kafka-census"), *argv, **environment)

    def start(self, *words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run any program with the installed packages, and without the environment of this test's process.

        The cache is that of this checkout, which has the jars and the archive of their classes.
        """
        ours = ("SPARK_", "PYSPARK_", "KAFKA_CENSUS_", "PYTHON")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        own = {"PYTHONPATH": str(self.site), "KAFKA_CENSUS_CACHE": str(cache_folder()), "HOME": str(self.home)}
        reported = {**own, **environment}
        return subprocess.run(
            words, cwd=self.here, env=inherited | reported, capture_output=True, text=True, timeout=600, check=False
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, which pip makes of this checkout's sdist; its dependencies are taken from this environment."""
    source, site = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    for name in BUILT:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    sdist = "from setuptools import build_meta; build_meta.build_sdist('dist')"
    subprocess.run([sys.executable, "-c", sdist], cwd=source, check=True, capture_output=True)
    (archive,) = (source / "dist").glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--target", str(site), str(archive)], check=True)
    return Installed(site, tmp_path_factory.mktemp("here"), tmp_path_factory.mktemp("home"))


def files(packages: Path) -> set[str]:
    """What a package consists of, without pages for developers and what Python adds."""
    found = (path for path in packages.rglob("*") if path.is_file() and path.suffix not in (".md", ".pyc"))
    return {str(path.relative_to(packages)) for path in found}


def test_the_wheel_brings_all_files_and_the_command(installed: Installed) -> None:
    for package in ("kafka_census", "kafka_messages"):
        assert files(installed.site / package) == files(ROOT / "pipelines" / package)
    where = installed.start(sys.executable, "-c", "import kafka_census; print(kafka_census.__file__)").stdout
    assert where == f"{installed.site}/kafka_census/__init__.py\n"
    assert installed.start(sys.executable, "-m", "kafka_census", "--version").stdout == f"kafka-census {__version__}\n"
    assert (installed.site / "bin" / "kafka-census.py").is_file()
    reported = installed.run("--help")
    assert (reported.returncode, reported.stderr) == (0, "")
    assert [name for name in SUBCOMMANDS if f"    {name}" not in reported.stdout] == []


def test_one_command_makes_a_census_and_its_report(installed: Installed) -> None:
    """In an empty folder, without a file: results on stdout, the log on stderr, the lake beside; exit 0.

    The JVM has the packaged settings, and those of `--spark-conf` over them: 512 MB are enough, since the initial heap
    of the configuration is not above the maximum heap. It compiles little, because it ends soon.
    """
    with running("--scenario", "calm", "--brokers", "2", "--groups", "20", "--partitions", "40") as (_, servers):
        environment = {
            "KAFKA_CENSUS__TABLES": TABLE,
            "SPARK_PRINT_LAUNCH_COMMAND": "1",
            "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1",
        }
        brokers = ("--bootstrap-server", ",".join(servers))
        shown = installed.run("config", "show", *brokers, **environment)
        census = installed.run("run", *brokers, "--spark-conf", "spark.driver.memory=512m", **environment)
    assert "  --bootstrap-server\n" in shown.stdout
    assert census.returncode == 0, census.stderr
    launched = next(line for line in census.stderr.splitlines() if line.startswith("Spark Command: "))
    assert "-Xmx512m" in launched
    assert "-XX:+UseSerialGC" in launched
    log = [json.loads(line) for line in census.stderr.splitlines() if line.startswith("{")]
    assert [event["event"] for event in log][-1] == "published"
    assert not any(line.startswith("{") for line in census.stdout.splitlines())
    printed = installed.run("report", "--bootstrap-server", brokers[1], **environment)
    assert TABLE in printed.stdout
    first, age, *others = printed.stdout.splitlines()
    assert [first, *others] == census.stdout.splitlines()
    assert age.startswith("Published ")
    asked = installed.run("sql", "--format", "csv", "-e", "SELECT cluster FROM publications")
    assert asked.stdout == "cluster\nkafka\n", asked.stderr
    assert [path.name for path in installed.here.iterdir()] == ["kafka-census-lake"]
    assert list(installed.home.iterdir()) == []
