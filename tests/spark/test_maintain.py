"""Maintenance of a real lake: rows that stay, rows that are removed, and crashes that change neither."""

import io
import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from harness import small_lake
from kafka_census.census import run as workflow
from kafka_census.census.work import Work
from kafka_census.clock import Clock
from kafka_census.config import load
from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS, ROUTES
from kafka_census.declarations.census import Census
from kafka_census.declarations.table import Table
from kafka_census.errors import ConfigError, CorruptLake, LockHeld
from kafka_census.lake.run_lock import hold
from kafka_census.lake.runs import Runs
from kafka_census.landing.fetch.schema import landed_table
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG as TABLE
from kafka_census.terminal.log import Redactor
from kafka_census.terminal.progress import NullProgress
from kafka_census.upkeep import run as upkeep
from kafka_census.upkeep.maintenance import maintain

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


LAST_OF_TWO = ids(300, cluster="two")


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


@dataclass(frozen=True)
class Keeper:
    """`kafka-census maintain` on a copy of a lake, and what is in the copy, read without Spark."""

    work: Work
    root: Path

    def __call__(self, *, hours: float = 0, **asked: Any) -> str:
        """Maintain `hours` hours after NOW, by these fields of the work; returns the output."""
        at, out = Tomorrow(NOW + timedelta(hours=hours)), io.StringIO()
        runs = Runs(self.work.spark, self.work.config.lake, at)
        upkeep.run_maintain(replace(self.work, clock=at, runs=runs, out=out, **asked))
        return out.getvalue()

    def delta(self, table: Table) -> DeltaTable:
        """A table, without Spark."""
        return DeltaTable(str(self.root / table.folder))

    def versions(self) -> dict[str, int]:
        """The number of commits of each table."""
        return {table.folder: self.delta(table).version() for table in EVERY}

    def rows(self, table: Table, cluster: str) -> list[tuple[str, ...]]:
        """The census of each row of a cluster, and its event, where it has one."""
        columns = ["cluster_id", "census_id", *(["event"] if table == CENSUS_RUNS else [])]
        rows = self.delta(table).to_pyarrow_table(columns=columns).to_pylist()
        return sorted(tuple(row.values())[1:] for row in rows if row["cluster_id"] == f"id-{cluster}")

    def census_ids(self, table: Table, cluster: str = "one") -> list[str]:
        """The censuses of a cluster that have rows in a table, as often as they have."""
        return [row[0] for row in self.rows(table, cluster)]

    def everything(self, cluster: str) -> set[tuple[str, ...]]:
        """The censuses of a cluster with rows in each table, and with each event, each once."""
        return {(table.folder, *row) for table in EVERY for row in self.rows(table, cluster)}

    def seen(self) -> tuple[list[str], list[str]]:
        """The censuses in `current_*` and `history_*`."""
        lake = PublishedLake(str(self.root))
        current, history = (found(TABLE.name).to_table()["census_id"] for found in (lake.current, lake.history))
        return sorted(current.to_pylist()), sorted(history.to_pylist())


Keep = Callable[..., Keeper]


@pytest.fixture(scope="module")
def keep(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keep]:
    """Makes keepers, each of a copy of the planted lake or of another; few tables, which are not optimized."""
    folder = tmp_path_factory.mktemp("maintain")
    (folder / "census.yaml").write_text(CONF, encoding="utf-8")
    plant(folder / "planted")

    def copied(name: str, of_lake: str = "planted") -> Keeper:
        root = shutil.copytree(folder / of_lake, folder / name)
        config = load(str(folder / "census.yaml"), {"KAFKA_CENSUS__LAKE__ROOT": str(root)})
        common = (spark, config, "", Clock(), NullProgress(), io.StringIO())
        return Keeper(Work(*common, runs=Runs(spark, config.lake, Clock()), apply=True), root)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(upkeep, "_every_table", lambda: EVERY)
        patched.setattr(upkeep, "tend", lambda *_: None)
        yield copied


@pytest.fixture(scope="module")
def untouched(keep: Keep) -> Keeper:
    """A keeper of a lake that no test changes."""
    return keep("untouched")


@dataclass(frozen=True)
class Maintained:
    """A lake after maintenance, which at first met a census of cluster one; it is only read."""

    keeper: Keeper
    busy: str
    one: set[tuple[str, ...]]
    two: set[tuple[str, ...]]
    output: str


@pytest.fixture(scope="module")
def maintained(keep: Keep) -> Maintained:
    keeper = keep("maintained")
    with hold(keeper.work.config.lake, ["one"], "census of a test"), pytest.raises(LockHeld) as caught:
        keeper()
    return Maintained(keeper, str(caught.value), keeper.everything("one"), keeper.everything("two"), keeper())


def test_a_dry_run_tells_and_changes_nothing(untouched: Keeper) -> None:
    before = untouched.versions()
    first, second = map(json.loads, untouched(apply=False, as_json=True).splitlines())
    assert (first["clusters"], first["visible"], first["retire"]) == (["one"], 7, ids(150, 62, 60))
    share = next(each for each in first["tables"] if each["table"] == "published/reassignment_backlog")
    assert (share["censuses"], share["rows"], first["applied"]) == (2, 2, False)
    assert second["clusters"] == ["two"]
    lines = untouched(apply=False, cluster="two").splitlines()
    assert lines[-1] == "dry run: nothing was changed; --apply does it"
    with pytest.raises(
        ConfigError, match=r"^cluster 'three' has no census in this lake; survey it first: kafka-census run$"
    ):
        untouched(cluster="three")
    assert untouched.versions() == before


def test_a_cluster_that_is_surveyed_is_left_alone(untouched: Keeper, maintained: Maintained) -> None:
    assert re.fullmatch(r".*cluster 'one' is in use by process .*\(census of a test\).*", maintained.busy)
    assert maintained.one == untouched.everything("one")
    assert maintained.two != untouched.everything("two")


def test_what_is_old_goes_step_by_step(keep: Keep, maintained: Maintained) -> None:
    """Hidden at once, removed after the grace period; the last of a cluster stays, however old it is."""
    lines, keeper = maintained.output.splitlines(), maintained.keeper
    assert max(map(len, lines)) <= 80
    assert f"3 to be retired: {ids(150)[0]} to {ids(60)[0]}" in " ".join(" ".join(lines).split())
    visible = (sorted([*ids(1), *LAST_OF_TWO]), sorted([*ids(*STAY), *LAST_OF_TWO]))
    assert keeper.seen() == visible
    # Rows of a hidden census stay for earlier readers; rows that never were visible are removed.
    assert keeper.census_ids(TABLE) == ids(*PUBLISHED, FRESH_CRASH)
    assert keeper.census_ids(PAGES) == ids(1, 2)
    assert keeper.census_ids(ROUTES) == ids(*PUBLISHED, REFUSED, CRASHED, FRESH_CRASH)
    later = keep("later", "maintained")
    later(hours=13)
    # An unpublished census stays as long as its pages.
    assert later.census_ids(TABLE) == ids(*STAY, FRESH_CRASH)
    assert later.census_ids(ROUTES) == ids(*STAY, 60, 62, REFUSED, CRASHED, FRESH_CRASH)
    assert later.census_ids(TABLE, "two") == later.census_ids(ROUTES, "two") == LAST_OF_TWO
    assert later.seen() == visible
    oldest = later.work.runs.find(["one"], ids(150)[0])
    assert oldest
    assert (oldest.reached, set(oldest.events)) == ("published", {"started", "published", "retired", "cleared"})
    common = (later.work.spark, later.work.config, "one", Clock(), NullProgress(), io.StringIO())
    again = Work(*common, runs=later.work.runs, redactor=Redactor(), census_id=oldest.census.census_id)
    with pytest.raises(ConfigError, match=r"was retired by kafka-census maintain; start a new one$"):
        workflow.run_publish(again)


def test_a_run_that_is_cut_off_anywhere_is_made_up_for(
    keep: Keep, untouched: Keeper, maintained: Maintained, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between any two writes, run after run, until no write is left: the state is as after one run.

    Of the cluster that was named, and as before of the other.
    """
    pieces = keep("pieces")
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
    assert pieces.everything("one") == maintained.keeper.everything("one")
    assert pieces.everything("two") == untouched.everything("two")


def test_a_census_is_retired_by_its_id(keep: Keep, untouched: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the last one, for a census with a wrong clock. Dry by default; `current_*` returns to the one before it.

    A retirement that was cut off is made up for.
    """
    (last, before, other), keeper = ids(1, 30, 47)[::-1], keep("by-id")
    versions = keeper.versions()
    reported = untouched(cluster="one", retire=(last,), apply=False)
    assert f"1 to be retired: {last}" in reported
    assert "dry run: nothing was changed" in reported
    assert untouched.versions() == versions
    keeper(cluster="one", retire=(last,))
    assert keeper.seen() == (sorted([before, *LAST_OF_TWO]), sorted([*ids(*PUBLISHED[1:]), *LAST_OF_TWO]))
    run = keeper.work.runs.find(["one"], last)
    assert run
    assert run.events[-1] == "retired"
    # Nothing else was done, and rows that a reader may be reading stay until the end of the grace period.
    changed = {name for name, version in keeper.versions().items() if version != versions[name]}
    assert changed == {"audit/census_runs", "audit/publications"}

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(maintain, "commit", killed)
        with pytest.raises(KeyboardInterrupt):
            keeper(cluster="one", retire=(other,))
    assert other in keeper.census_ids(PUBLICATIONS)
    keeper(cluster="one", hours=13)
    assert other not in keeper.census_ids(PUBLICATIONS)
    assert last not in keeper.census_ids(TABLE)


def test_only_a_published_census_of_the_cluster_is_retired_and_no_other_named_beside_it(untouched: Keeper) -> None:
    versions = untouched.versions()
    for cluster, census_id, line in (
        ("", ids(1)[0], "--retire needs --cluster"),
        ("two", ids(1)[0], f"cluster 'two' has no published census {ids(30)[0]} in this lake"),
        ("one", ids(50)[0], f"cluster 'one' has no published census {ids(50)[0]} in this lake"),
        ("one", "' OR '1'='1", "has no published census ' OR '1'='1 in this lake"),
    ):
        with pytest.raises(ConfigError, match=line):
            untouched(cluster=cluster, retire=(*ids(30), census_id))
    assert untouched.versions() == versions


def test_nothing_is_deleted_while_publications_lack_a_census(keep: Keep) -> None:
    """It must not count as invisible."""
    keeper = keep("lost")
    keeper.delta(PUBLICATIONS).delete(f"census_id = '{ids(30)[0]}'")
    versions = keeper.versions()
    with pytest.raises(CorruptLake, match=f"does not have census {ids(30)[0]} .of 1 such., which"):
        keeper(hours=24)
    assert keeper.versions() == versions


def test_a_census_id_that_is_none_does_not_become_a_part_of_sql(keep: Keep) -> None:
    """A forged row could make maintain delete all rows: it is reported before anything is deleted."""
    keeper, page = keep("forged"), {"rpc": "r", "census_id": "2000') OR ('1'='1", "cluster_id": "id-one"}
    small_lake.append(keeper.root, PAGES, [page], PAGES.partitioned_by)
    versions = keeper.versions()
    with pytest.raises(CorruptLake, match=r"landing/pages holds the census id .*, which is none"):
        keeper()
    assert keeper.versions() == versions


def test_optimizing_puts_small_files_together_and_keeps_what_is_read(spark: SparkSession, keep: Keep) -> None:
    """Audit tables become one file, pages stay separate; a vacuum of Delta's seven days keeps yesterday's files."""
    keeper = keep("tended")
    events = keeper.census_ids(CENSUS_RUNS)
    keeper.work.runs.note(made(1), "resumed")
    maintain.tend(spark, keeper.work.config.lake, (CENSUS_RUNS, PAGES), NullProgress())
    tended = ["VACUUM END", "VACUUM START", "OPTIMIZE", "SET TBLPROPERTIES"]
    for table, last in ((CENSUS_RUNS, tended), (PAGES, ["VACUUM END", "VACUUM START", "SET TBLPROPERTIES"])):
        assert [each["operation"] for each in keeper.delta(table).history(len(last))] == last
    assert len(keeper.delta(CENSUS_RUNS).file_uris()) == 1
    assert keeper.census_ids(CENSUS_RUNS) == sorted([*events, *ids(1)])
    before = DeltaTable(str(keeper.root / CENSUS_RUNS.folder), version=0).to_pyarrow_table()
    assert before["cluster_id"].to_pylist().count("id-one") == len(events)
