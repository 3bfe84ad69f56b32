"""Racing publishers lose nothing, and readers that poll meanwhile never see half of a census.

In each round two publishers run at once: of two clusters, or, in every other round, of the same census. Meanwhile two
readers read: joined views, and deltalake without Spark. The locks between writers on a local folder are removed, as in
an object store: only Delta is left, and writes that are repeated after a conflict.
"""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from unittest.mock import patch

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

import kafka_census
from kafka_census.census.publish import promote as promoting
from kafka_census.census.publish.promote import promote
from kafka_census.declarations.audit import PUBLICATIONS
from kafka_census.declarations.census import Census
from kafka_census.lake import commit_retry, store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.tables.scram_users.columns import SCRAM_USERS
from kafka_census.terminal.progress import NullProgress
from spark.fake_lake import census, passing
from spark.planted_tables import staged_row

ROUNDS = 3
MOST_FILES = 1
"""The number of files from which `publications` is compacted here, so that compaction happens during the race, too."""

TABLES = (QUOTAS, SCRAM_USERS)
NAMES = [table.name for table in TABLES]
JOINED = " UNION ALL ".join(
    f"SELECT cluster_id, census_id, '{name}' AS name, count(*) AS rows FROM current_{name} GROUP BY ALL"
    for name in NAMES
)


def pair(number: int) -> tuple[Census, Census]:
    first = replace(census(2 * number), cluster_id="one")
    other = replace(census(2 * number + 1), cluster_id="two")
    return (first, other) if number % 2 else (first, first)


CENSUSES = sorted({one for number in range(ROUNDS) for one in pair(number)}, key=lambda one: one.census_id)
COUNTS = {one.census_id: 1 + index % 3 for index, one in enumerate(CENSUSES)}
"""The number of rows of a census, the same in both tables: 1, 2 or 3 in turn."""


@dataclass
class Hammer:
    """A reader that polls until the publishers have ended.

    pause  seconds between polls, so that the publishers make progress, too
    """

    look: Callable[[], list[tuple[str, str, str, int]]]
    pause: float
    over: threading.Event
    looks: int = 0
    wrong: list[str] = field(default_factory=list)
    last: dict[str, str] = field(default_factory=dict)

    def run(self) -> None:
        """Read, and note every violation; once more when the publishers have ended."""
        while not self.wrong:
            last = self.over.wait(self.pause)
            try:
                self.judge(self.look())
            except Exception as error:  # noqa: BLE001 - reported by the test
                self.wrong.append(str(error))
            self.looks += 1
            if last:
                return

    def judge(self, rows: list[tuple[str, str, str, int]]) -> None:
        """Each cluster has one whole census, the same in both tables, and never an older one than before."""
        for cluster in {row[0] for row in rows} | set(self.last):
            seen = sorted((name, census_id, count) for at, census_id, name, count in rows if at == cluster)
            newest = max((census_id for _, census_id, _ in seen), default="")
            if seen != [(name, newest, COUNTS.get(newest)) for name in NAMES] or newest < self.last.get(cluster, ""):
                self.wrong.append(f"{cluster}: {seen} after {self.last.get(cluster)}")
            self.last[cluster] = newest


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return Lake(root=str(tmp_path_factory.mktemp("racing") / "lake"))


@pytest.fixture(scope="module")
def raced(spark: SparkSession, lake: Lake) -> tuple[Hammer, ...]:
    """All rounds are done; returns the readers with their notes."""
    over = threading.Event()

    def publish(one: Census) -> None:
        count = COUNTS[one.census_id]
        for table in TABLES:
            rows = [staged_row(table, one, one.cluster_id)] * count
            store.replace_census(local_frame(spark, rows, table.schema), lake, table, one.census_id)
        promote(spark, lake, one, passing(count, count, tables=TABLES), NullProgress())

    def by_views() -> list[tuple[str, str, str, int]]:
        return [tuple(row) for row in spark.sql(JOINED).collect()]

    def without_spark() -> list[tuple[str, str, str, int]]:
        tables = zip(NAMES, kafka_census.current(str(lake.root), *NAMES), strict=True)
        rows = [(name, row) for name, dataset in tables for row in dataset.to_table().to_pylist()]
        keys = [(row["cluster_id"], row["census_id"], name) for name, row in rows]
        return [(*key, keys.count(key)) for key in dict.fromkeys(keys)]

    hammers = (Hammer(by_views, 0.5, over), Hammer(without_spark, 0.25, over))
    with (
        patch.object(commit_retry, "_turn", lambda *_: nullcontext()),
        patch.object(promoting, "MOST_FILES", MOST_FILES),
    ):
        # The first round creates the tables, so that there are views to poll.
        at_once([lambda one=one: publish(one) for one in pair(0)])
        kafka_census.register(spark, str(lake.root))
        readers = [threading.Thread(target=hammer.run) for hammer in hammers]
        for reader in readers:
            reader.start()
        try:
            for number in range(1, ROUNDS):
                at_once([lambda one=one: publish(one) for one in pair(number)])
        finally:
            over.set()
            for reader in readers:
                reader.join()
    return hammers


def at_once(jobs: list[Callable[[], None]]) -> None:
    with ThreadPoolExecutor(len(jobs)) as pool:
        for started in [pool.submit(job) for job in jobs]:
            started.result()


@pytest.mark.usefixtures("raced")
def test_racing_publishers_lose_nothing_and_write_nothing_twice(lake: Lake) -> None:
    published = DeltaTable(lake.path("audit", PUBLICATIONS.name))
    rows = published.to_pyarrow_table(columns=["census_id", "table_name"]).to_pylist()
    assert Counter(tuple(row.values()) for row in rows) == {
        (one.census_id, name): 1 for one in CENSUSES for name in NAMES
    }
    assert len(published.file_uris()) <= MOST_FILES + 2 < len(CENSUSES)
    for table in TABLES:
        written = DeltaTable(lake.path(table.layer, table.name)).to_pyarrow_table(columns=["census_id"])
        assert Counter(written["census_id"].to_pylist()) == COUNTS


def test_readers_never_saw_a_part_of_a_census(raced: tuple[Hammer, ...]) -> None:
    for hammer in raced:
        assert hammer.wrong == []
        assert hammer.looks > 2
        assert hammer.last["one"] == pair(ROUNDS - 1)[0].census_id
