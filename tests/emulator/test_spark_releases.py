"""Every supported release of Spark takes a census of all tables, and goes on in a lake that another has written.

That of requirements.lock does so in every other test as well. Each runs the SQL of each table in the process of its
census; the last and oldest one also runs the notebooks, plans a deletion and maintains the lake.
"""

import json
import pickle
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark
import pytest
import yaml
from pyspark.sql import Row

from emulator.commanding import running
from emulator.large_census import published
from harness.both_engines import comparable
from harness.connect_lake import QUICK, configured
from harness.known_world import KnownWorld
from harness.with_pyspark import RELEASES, ROOT, WithPySpark, release
from harness.world_truth import TRUE_TABLES, differences, published_rows, true_rows
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.changes.columns import CHANGES
from kafka_emulator.scenario_file import read
from kafka_emulator.world import World

pytestmark = pytest.mark.timeout(1800)
"""Three censuses of all tables, each with a JVM of its own, and perhaps an installation, all in one fixture."""

LOCKED = pyspark.__version__
TURNS = ("4.1.1", LOCKED, "4.0.1")
"""The releases that take the censuses of the lake, one after the other: after an older one, and after a newer one."""

NOTEBOOKS = sorted((ROOT / "notebooks").glob("0*.py"))
SELECT = f"""
import kafka_census
dbutils.widgets.text("lake", "")
kafka_census.register(spark, dbutils.widgets.get("lake"))
display(spark.sql("SELECT version()"))
for name in {[table.name for table in TABLES]}:
    display(spark.sql(f"SELECT * FROM current_{{name}}"))
"""


@dataclass(frozen=True)
class Census:
    """A census, and what its release of Spark said of it.

    spark      that release, by Spark's SQL
    known      the world that it saw
    rows       what is published of each table, read without Spark
    frames     what Spark's SQL shows of each table, in their order
    notebooks  the frames of each
    """

    spark: str
    known: KnownWorld
    is_complete: bool
    rows: Mapping[str, list[dict[str, Any]]]
    frames: list[list[Row]]
    notebooks: list[list[list[Row]]]


@pytest.fixture(scope="module")
def censuses(tmp_path_factory: pytest.TempPathFactory) -> list[Census]:
    """Every other census sees a partition without a leader."""
    folder = tmp_path_factory.mktemp("releases")
    calm = yaml.safe_load((ROOT / "emulator/kafka_emulator/scenarios/calm.yaml").read_text(encoding="utf-8"))
    worlds = [folder / "calm.yaml", folder / "lost.yaml"]
    worlds[0].write_text(json.dumps(calm), encoding="utf-8")
    (single,) = (topic for topic in calm["topics"]["declared"] if topic["name"] == "single")
    single["states"] = [{"partition": 0, "leader": -1, "isr": []}]
    worlds[1].write_text(json.dumps(calm), encoding="utf-8")
    (folder / "every_table.py").write_text(SELECT, encoding="utf-8")
    return [
        census(folder, spark, worlds[number % 2], last=number == len(TURNS) - 1) for number, spark in enumerate(TURNS)
    ]


def census(folder: Path, spark: str, world: Path, *, last: bool) -> Census:
    """A census by this release, and what it does with the lake, in one process."""
    root = folder / "lake"
    packages = Path(*pyspark.__path__).parent if spark == LOCKED else release(spark)
    by = WithPySpark(packages, folder)
    with running("--scenario", str(world)) as (_, servers):
        words = configured(by, "census", {"root": str(root)}, servers, collect=QUICK)
        upkeep = [["delete_groups", "plan", *words], ["maintain", *words, "--apply"]]
        shown = (folder / "every_table.py", *(NOTEBOOKS if last else ()))
        notebooks = [["notebook", str(path), f"lake={root}"] for path in shown]
        ended, _ = by.jobs([["census", *words], *notebooks, *(upkeep if last else ())])
    told = [one["out"] for one in ended if one["name"] == "notebook"]
    frames: list[list[list[Row]]] = [pickle.loads(b64decode(out)) for out in told]  # noqa: S301 - of our own process
    publications = PublishedLake(str(root)).publications.to_table().to_pylist()
    newest = max(row["census_id"] for row in publications)
    complete = {row["table_name"] for row in publications if row["census_id"] == newest and row["is_complete"]}
    known, rows = KnownWorld(World(read(world))), published(str(root))
    ((version,),), *tables = frames[0]
    return Census(version.split()[0], known, complete == {table.name for table in TABLES}, rows, tables, frames[1:])


@pytest.fixture(params=range(len(TURNS)), ids=lambda number: f"{number}-{TURNS[number]}")
def number(request: pytest.FixtureRequest) -> int:
    place: int = request.param
    return place


def test_all_tables_are_published_and_are_what_is_so(censuses: list[Census], number: int) -> None:
    found = censuses[number]
    assert (found.spark, found.is_complete) == (TURNS[number], True)
    wrong = {
        table.name: differences(published_rows(table, found.rows[table.name]), true_rows(table, found.known))
        for table in TRUE_TABLES
    }
    assert {name: lines for name, lines in wrong.items() if lines} == {}


def test_its_changes_are_since_the_census_of_another_release(censuses: list[Census], number: int) -> None:
    rows = censuses[number].rows[CHANGES.name]
    assert [
        (row["key"], row["before"] == "OFFLINE")
        for row in rows
        if row["column_name"] == "status" and "OFFLINE" in (row["before"], row["after"])
    ] == [("single-0", number % 2 == 0)] * (number > 0)
    assert bool(rows) == (number > 0)


def test_its_sql_shows_what_is_published(censuses: list[Census], number: int) -> None:
    found = censuses[number]
    for table, frame in zip(TABLES, found.frames, strict=True):
        assert comparable(row.asDict() for row in frame) == comparable(found.rows[table.name]), table.name


def test_the_notebooks_show_rows(censuses: list[Census]) -> None:
    """What they show is held against the truth by spark/test_serverless.py."""
    shown = zip(NOTEBOOKS, censuses[-1].notebooks, strict=True)
    assert [path.name for path, frames in shown if not any(frames)] == []


@pytest.mark.parametrize("spark", RELEASES)
def test_the_private_names_are_there(spark: str, tmp_path: Path) -> None:
    """By the tests of kafka_census.private that need Spark."""
    tests = str(ROOT / "tests" / "spark" / "private")
    ran = WithPySpark(release(spark), tmp_path).run("-m", "pytest", "-q", "-c", str(ROOT / "setup.cfg"), tests)
    assert ran.returncode == 0, ran.stdout[-3000:]
