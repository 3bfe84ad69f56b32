"""What is tried is what is installed: ranges, pins and the docstrings of the private modules name the same releases."""

import ast
import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from setuptools.config.setupcfg import read_configuration

from harness.with_pyspark import RELEASES
from kafka_census.jars.jar_sets import DELTA

ROOT = Path(__file__).parents[3]
PRIVATE = ROOT / "pipelines" / "kafka_census" / "private"
LINES = {"kafka-python": "3.0", "great-expectations": "1.24", "pyspark": "4.2", "delta-spark": "4.4"}
"""The newest lines of releases that the census is tried on: a range allows no newer one."""
TRIED = {
    PRIVATE / "kafka_python.py": "kafka-python",
    PRIVATE / "pyspark.py": "pyspark",
    PRIVATE / "py4j.py": "py4j",
    ROOT / "pipelines" / "kafka_messages" / "decoding.py": "kafka-python",
}


@pytest.fixture(scope="module")
def pins() -> dict[str, str]:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==(\S+)", lock, re.MULTILINE))


@pytest.mark.parametrize("library", LINES)
def test_a_range_allows_the_line_of_releases_that_is_locked(pins: dict[str, str], library: str) -> None:
    options = read_configuration(ROOT / "setup.cfg")["options"]
    needs = [*options["install_requires"], *(need for extra in options["extras_require"].values() for need in extra)]
    ranges = [need.specifier for need in map(Requirement, needs) if need.name == library]
    assert ranges
    major, minor = map(int, LINES[library].split("."))
    for allowed in ranges:
        assert [*allowed.filter([pins[library], f"{major}.{minor + 1}.0", f"{major + 1}.0.0"])] == [pins[library]]


@pytest.mark.parametrize("file", TRIED, ids=lambda file: file.stem)
def test_a_private_module_was_tried_on_what_is_locked(pins: dict[str, str], file: Path) -> None:
    """Whoever moves a pin tries the module's names, and says so."""
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    library = TRIED[file]
    others = RELEASES if library == "pyspark" else ()
    assert [one for one in (*others, pins[library]) if not re.search(rf"\b{re.escape(one)}\b", docstring)] == []


def test_every_line_of_spark_that_has_jars_of_delta_is_tried_and_documented(pins: dict[str, str]) -> None:
    tried = sorted((*RELEASES, pins["pyspark"]))
    assert [release.rpartition(".")[0] for release in tried] == [*DELTA]
    page = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")
    assert [release for release in tried if f"| {release} |" not in page] == []


def test_no_other_module_overrides_a_private_method() -> None:
    """ruff finds private names of other objects (SLF001), and not those that a class has from its base."""
    found = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in (ROOT / "pipelines").rglob("*.py")
        if file.parent != PRIVATE
        for name in re.findall(r"super\(\)\._[a-z]\w*", file.read_text(encoding="utf-8"))
    ]
    assert found == []
