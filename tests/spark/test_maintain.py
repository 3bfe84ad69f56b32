"""Maintenance of a real lake: rows that stay, rows that are removed, and crashes that change neither."""

import io
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import kafka_census
from harness import small_lake
from kafka_census.census import Census
from kafka_census.clock import Clock
from kafka_census.config import load
from kafka_census.errors import ConfigError, CorruptLake, LockHeld
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.lake.run_lock import hold
from kafka_census.lake.runs import Runs
from kafka_census.log import Redactor
from kafka_census.maintenance import maintain
from kafka_census.progress import NullProgress
from kafka_census.source.schema import landed_table
from kafka_census.tables.audit import CENSUS_RUNS, PUBLICATIONS, ROUTES
from kafka_census.tables.reassignment_backlog import REASSIGNMENT_BACKLOG as TABLE
from kafka_census.tables.table import Table
from kafka_census.workflows import census as workflow
from kafka_census.workflows import upkeep
from kafka_census.workflows.work import CensusWork, UpkeepWork

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PAGES = landed_table()
EVERY = (TABLE, PAGES, ROUTES, PUBLICATIONS, CENSUS_RUNS)
CONF = """
lake: {root: lake}
retention: {landed: 1d, every: 2d, daily: 5d, grace: 12h}
clusters:
  one: {bootstrap_servers: [127.0.0.1:9092]}
  two: {bootstrap_servers: [127.0.0.1:9092]}
"""

# Hours before NOW, which is noon: 47 and 60 are on one day, 61 and 62 on the day before.
PUBLISHED = (1, 30, 47, 60, 61, 62, 150)
REFUSED, CRASHED, FRESH_CRASH = 50, 55, 2
STAY = (1, 30, 47, 61)
"""Published censuses that are young, or the last of their day."""


def made(hours: int, cluster: str = "one") -> Census:
    started = NOW - timedelta(hours=hours)
    return Census(f"{started:%Y%m%dT%H%M%S}000Z-{hours:06d}", f"id-{cluster}", cluster, started, (TABLE.name,))


def ids(*hours: int, cluster: str = "one") -> list[str]:
    return sorted(made(each, cluster).census_id for each in hours)


@dataclass
class Tomorrow(Clock):
    """A clock that tests set."""

    time: datetime = NOW

    def now(self) -> datetime:
        """The time to which it was set."""
        return self.time


def plant(root: Path) -> None:
    """Cluster one as above; cluster two has a single census, which is older than every retention period."""
    all_of_one = (*PUBLISHED, REFUSED, CRASHED, FRESH_CRASH)
    everything = [*(made(hours) for hours in all_of_one), made(300, "two")]
    seen = [*(made(hours) for hours in PUBLISHED), made(300, "two")]
    event = {made(REFUSED): "refused", made(CRASHED): "failed", made(FRESH_CRASH): "failed"}
    small_lake.append(root, TABLE, [of(one, observed_at=NOW) for one in everything], ["census_id"])
    pages = [of(one, rpc="DescribeQuorum", items_describe_quorum=[]) for one in everything]
    small_lake.append(root, PAGES, pages, PAGES.partitioned_by)
    owed = {"rpc": "r", "scope": "s", "broker_id": 1, "alive": True, "host": "h", "port": 1}
    small_lake.append(root, ROUTES, [of(one, **owed) for one in everything])
    runs = [
        of(one, cluster=one.cluster, event=word, at=at, tables=[TABLE.name])
        for one in everything
        for word, at in (
            ("started", one.started_at),
            (event.get(one, "published"), one.started_at + timedelta(seconds=1)),
        )
    ]
    small_lake.append(root, CENSUS_RUNS, runs)
    published = {"table_name": TABLE.name, "is_complete": True, "row_count": 1, "warnings": 0}
    reported = [of(one, cluster=one.cluster, published_at=one.started_at, **published) for one in seen]
    small_lake.append(root, PUBLICATIONS, reported)


def of(one: Census, **columns: Any) -> dict[str, Any]:
    """A row of a census."""
    return {"census_id": one.census_id, "cluster_id": one.cluster_id} | columns


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("maintain") / "lake"
    plant(folder)
    return folder


@dataclass
class Keeper:
    """The work of `kafka-census maintain`, done on a copy of the lake."""

    work: UpkeepWork
    out: io.StringIO

    def __call__(self, *, apply: bool = True, hours: float = 0, cluster: str = "", retire: tuple[str, ...] = ()) -> str:
        """Maintain `hours` hours after NOW; returns the output."""
        self.out.seek(0)
        self.out.truncate()
        at = Tomorrow(NOW + timedelta(hours=hours))
        runs = Runs(self.work.spark, self.lake, at)
        upkeep.run_maintain(replace(self.work, apply=apply, cluster=cluster, clock=at, runs=runs, retire=retire))
        return self.out.getvalue()

    def publishing(self, cluster: str, census_id: str) -> CensusWork:
        """The work of publishing a census of the copy."""
        work = self.work
        common = (work.spark, work.config, cluster, work.clock, work.progress, self.out)
        return CensusWork(*common, runs=work.runs, redactor=Redactor(), census_id=census_id)

    @property
    def lake(self) -> Lake:
        """The copy."""
        return self.work.config.lake

    def census_ids(self, table: Table, cluster: str = "one") -> list[str]:
        """The censuses of a cluster that have rows in a table, as often as they have."""
        rows = store.read(self.work.spark, self.lake, table).where(f"cluster_id = 'id-{cluster}'")
        return sorted(row.census_id for row in rows.select("census_id").collect())

    def everything(self) -> list[str]:
        """The censuses with rows in each table, for both clusters, and the censuses with each event, each once."""
        found = [
            store.read(self.work.spark, self.lake, table).select(
                F.lit(f"{table.layer}/{table.name}").alias("table"),
                "cluster_id",
                "census_id",
                (F.col("event") if table == CENSUS_RUNS else F.lit("")).alias("event"),
            )
            for table in EVERY
        ]
        return sorted(" ".join(row) for row in reduce(DataFrame.unionByName, found).distinct().collect())

    def versions(self) -> dict[str, int]:
        """The number of commits of each table."""
        logs = Path(str(self.lake.root)).glob("*/*/_delta_log")
        return {str(log.parent.name) + log.parent.parent.name: len(list(log.glob("*.json"))) for log in logs}


@pytest.fixture
def keep(
    spark: SparkSession, planted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Keeper]:
    """Makes keepers, each of a copy of the planted lake; they maintain few tables and do not optimize them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(upkeep, "_every_table", lambda: EVERY)
    monkeypatch.setattr(upkeep, "tend", lambda *_: None)
    (tmp_path / "census.yaml").write_text(CONF, encoding="utf-8")

    def made_for(name: str) -> Keeper:
        shutil.copytree(planted, tmp_path / name)
        config = load("census.yaml", {"KAFKA_CENSUS__LAKE__ROOT": name})
        out, runs = io.StringIO(), Runs(spark, config.lake, Clock())
        return Keeper(UpkeepWork(spark, config, "", Clock(), NullProgress(), out, runs=runs), out)

    return made_for


@pytest.fixture
def keeper(keep: Callable[[str], Keeper]) -> Keeper:
    return keep("lake")


def seen(spark: SparkSession, lake: Lake) -> tuple[list[str], list[str]]:
    """The censuses in `current_*` and `history_*`."""
    fresh = spark.newSession()
    kafka_census.register(fresh, str(lake.root))
    current, history = (fresh.table(f"{view}_{TABLE.name}").select("census_id") for view in ("current", "history"))
    return sorted(row.census_id for row in current.collect()), sorted(row.census_id for row in history.collect())


def test_a_dry_run_tells_and_changes_nothing(keeper: Keeper) -> None:
    before = keeper.versions()
    lines = keeper(apply=False).splitlines()
    assert keeper.versions() == before
    assert max(map(len, lines)) <= 80
    assert f"3 to be retired: {ids(150)[0]} to {ids(60)[0]}" in " ".join(" ".join(lines).split())
    assert lines[-1] == "dry run: nothing was changed; --apply does it"
    keeper.work = replace(keeper.work, as_json=True)
    first, second = map(json.loads, keeper(apply=False).splitlines())
    assert (first["clusters"], first["visible"], first["retire"]) == (["one"], 7, ids(150, 62, 60))
    share = next(each for each in first["tables"] if each["table"] == "published/reassignment_backlog")
    assert (share["censuses"], share["rows"], first["applied"]) == (2, 2, False)
    assert second["clusters"] == ["two"]
    with pytest.raises(
        ConfigError, match=r"^cluster 'three' has no census in this lake; survey it first: kafka-census run$"
    ):
        keeper(cluster="three")


def test_what_is_old_goes_step_by_step(spark: SparkSession, keeper: Keeper) -> None:
    """Hidden at once, removed after the grace period; the last of a cluster stays, however old it is."""
    last = ids(300, cluster="two")
    keeper()
    assert seen(spark, keeper.lake) == (sorted([*ids(1), *last]), sorted([*ids(*STAY), *last]))
    # Rows of a hidden census stay for earlier readers; rows that never were visible are removed.
    assert keeper.census_ids(TABLE) == ids(*PUBLISHED, FRESH_CRASH)
    assert keeper.census_ids(PAGES) == ids(1, 2)
    assert keeper.census_ids(ROUTES) == ids(*PUBLISHED, REFUSED, CRASHED, FRESH_CRASH)
    keeper(hours=13)
    # An unpublished census stays as long as its pages.
    assert keeper.census_ids(TABLE) == ids(*STAY, FRESH_CRASH)
    assert keeper.census_ids(ROUTES) == ids(*STAY, 60, 62, REFUSED, CRASHED, FRESH_CRASH)
    assert keeper.census_ids(TABLE, "two") == keeper.census_ids(ROUTES, "two") == last
    assert seen(spark, keeper.lake) == (sorted([*ids(1), *last]), sorted([*ids(*STAY), *last]))
    oldest = keeper.work.runs.find(["one"], ids(150)[0])
    assert oldest
    assert (oldest.reached, set(oldest.events)) == ("published", {"started", "published", "retired", "cleared"})
    with pytest.raises(ConfigError, match=r"was retired by kafka-census maintain; start a new one$"):
        workflow.run_publish(keeper.publishing("one", oldest.census.census_id))


def test_a_run_that_is_cut_off_anywhere_is_made_up_for(
    keep: Callable[[str], Keeper], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between any two writes, run after run, until no write is left: the state is as after one run."""
    whole, pieces = keep("whole"), keep("pieces")
    before = whole.everything()
    whole(cluster="one")
    assert {line.split()[1] for line in {*before} ^ {*whole.everything()}} == {"id-one"}
    left = 0

    def dying(write: Callable[..., None]) -> Callable[..., None]:
        def written(*arguments: Any) -> None:
            nonlocal left
            if not left:
                raise KeyboardInterrupt
            left -= 1
            write(*arguments)

        return written

    monkeypatch.setattr(maintain, "commit", dying(maintain.commit))
    monkeypatch.setattr(upkeep, "_note", dying(upkeep._note))
    crashes = 0
    # A retirement is noted again until it is done: the second run may write twice, each other run once.
    for allowed in (1, 2, *[1] * 10):
        left = allowed
        try:
            pieces(cluster="one")
        except KeyboardInterrupt:
            crashes += 1
        else:
            break
    assert crashes == 4
    assert pieces.everything() == whole.everything()


def test_a_census_is_retired_by_its_id(spark: SparkSession, keeper: Keeper) -> None:
    """Also the last one, for a census with a wrong clock. Dry by default; `current_*` returns to the one before it."""
    (last, before), versions = ids(1, 30)[::-1], keeper.versions()
    reported = keeper(cluster="one", retire=(last,), apply=False)
    assert f"1 to be retired: {last}" in reported
    assert "dry run: nothing was changed" in reported
    assert keeper.versions() == versions
    keeper(cluster="one", retire=(last,))
    two = ids(300, cluster="two")
    assert seen(spark, keeper.lake) == (sorted([before, *two]), sorted([*ids(*PUBLISHED[1:]), *two]))
    run = keeper.work.runs.find(["one"], last)
    assert run
    assert run.events[-1] == "retired"
    # Nothing else was done, and rows that a reader may be reading stay until the end of the grace period.
    changed = {name for name, version in keeper.versions().items() if version != versions[name]}
    assert changed == {"census_runsaudit", "publicationsaudit"}
    keeper(cluster="one", hours=13)
    assert last not in keeper.census_ids(TABLE)


def test_only_a_published_census_of_the_cluster_is_retired_and_no_other_named_beside_it(keeper: Keeper) -> None:
    versions = keeper.versions()
    for cluster, census_id, line in (
        ("", ids(1)[0], "--retire needs --cluster"),
        ("two", ids(1)[0], f"cluster 'two' has no published census {ids(30)[0]} in this lake"),
        ("one", ids(50)[0], f"cluster 'one' has no published census {ids(50)[0]} in this lake"),
        ("one", "' OR '1'='1", "has no published census ' OR '1'='1 in this lake"),
    ):
        with pytest.raises(ConfigError, match=line):
            keeper(cluster=cluster, retire=(*ids(30), census_id))
    assert keeper.versions() == versions


def test_a_retirement_by_id_that_was_cut_off_is_made_up_for(keeper: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(maintain, "commit", killed)
        with pytest.raises(KeyboardInterrupt):
            keeper(cluster="one", retire=tuple(ids(1)))
    assert ids(1)[0] in keeper.census_ids(PUBLICATIONS)
    keeper(cluster="one")
    assert ids(1)[0] not in keeper.census_ids(PUBLICATIONS)


def test_nothing_is_deleted_while_publications_are_lost(spark: SparkSession, keeper: Keeper) -> None:
    """All of them or some: their censuses must not count as invisible."""
    log = Path(keeper.lake.path("audit", "publications"), "_delta_log")
    versions = keeper.versions()
    log.rename(log.with_name("lost"))
    with pytest.raises(CorruptLake, match=r"publications` is lost: it is not there, and .*census_runs` says"):
        keeper()
    log.with_name("lost").rename(log)
    spark.sql(f"DELETE FROM {keeper.lake.name('audit', 'publications')} WHERE census_id = '{ids(30)[0]}'")
    with pytest.raises(CorruptLake, match=f"does not have census {ids(30)[0]} .of 1 such., which"):
        keeper(hours=24)
    assert keeper.versions() == versions | {"publicationsaudit": versions["publicationsaudit"] + 1}


def test_a_census_id_that_is_none_does_not_become_a_part_of_sql(keeper: Keeper) -> None:
    """A forged row could make maintain delete all rows: it is reported before anything is deleted."""
    planted = "2000') OR ('1'='1"
    page = dict.fromkeys(PAGES.columns) | {"open_keys": [], "rpc": "r", "census_id": planted, "cluster_id": "id-one"}
    frame = local_frame(keeper.work.spark, [tuple(page.values())], PAGES.schema)
    store.append(frame, keeper.lake, PAGES, "planted by another")
    before, versions = keeper.everything(), keeper.versions()
    with pytest.raises(CorruptLake, match=r"landing/pages holds the census id .*, which is none"):
        keeper()
    assert (keeper.everything(), keeper.versions()) == (before, versions)


def test_a_cluster_that_is_surveyed_is_left_alone(keeper: Keeper) -> None:
    before = keeper.everything()
    with hold(keeper.lake, ["one"], "census of a test"), pytest.raises(LockHeld) as caught:
        keeper()
    assert re.fullmatch(r".*cluster 'one' is in use by process .*\(census of a test\).*", str(caught.value))
    changed = set(before) ^ set(keeper.everything())
    assert changed
    assert {line.split()[1] for line in changed} == {"id-two"}


def test_optimizing_puts_small_files_together_and_keeps_what_is_read(spark: SparkSession, keeper: Keeper) -> None:
    """Audit tables become one file, pages stay separate; a vacuum of Delta's seven days keeps yesterday's files."""
    events = keeper.census_ids(CENSUS_RUNS)
    keeper.work.runs.note(made(1), "resumed")
    maintain.tend(spark, keeper.lake, (CENSUS_RUNS, PAGES), NullProgress())
    for table, last in ((CENSUS_RUNS, ["VACUUM END", "VACUUM START", "OPTIMIZE"]), (PAGES, ["VACUUM END"])):
        history = spark.sql(f"DESCRIBE HISTORY {keeper.lake.name_of(table)}").collect()
        assert [row.operation for row in history][: len(last)] == last
    assert len(store.read(spark, keeper.lake, CENSUS_RUNS).inputFiles()) == 1
    assert keeper.census_ids(CENSUS_RUNS) == sorted([*events, *ids(1)])
    before = spark.sql(f"SELECT * FROM {keeper.lake.name('audit', 'census_runs')} VERSION AS OF 0")
    assert before.where("cluster_id = 'id-one'").count() == len(events)
