"""Maintenance of a real lake: rows that stay, rows that are removed, and crashes that change neither.

The tests take one lake from one state to the next, in their order.
"""

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
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
from spark.report_lake import event, ids_of, publication

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


def made(hours: float, cluster: str = "one") -> Census:
    started = NOW - timedelta(hours=hours)
    return Census(f"{started:%Y%m%dT%H%M%S}000Z-{int(hours):06d}", f"id-{cluster}", cluster, started, (TABLE.name,))


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
    ended = {made(REFUSED): "refused", made(CRASHED): "failed", made(FRESH_CRASH): "failed"}
    small_lake.append(root, TABLE, [ids_of(one) | {"observed_at": NOW} for one in everything], ["census_id"])
    pages = [ids_of(one) | {"rpc": "DescribeQuorum", "items_describe_quorum": []} for one in everything]
    small_lake.append(root, PAGES, pages, PAGES.partitioned_by)
    owed = {"rpc": "r", "scope": "s", "broker_id": 1, "alive": True, "host": "h", "port": 1}
    small_lake.append(root, ROUTES, [ids_of(one) | owed for one in everything])
    runs = [
        event(one, word) | {"at": at}
        for one in everything
        for word, at in (
            ("started", one.started_at),
            (ended.get(one, "published"), one.started_at + timedelta(seconds=1)),
        )
    ]
    small_lake.append(root, CENSUS_RUNS, runs)
    reported = [publication(one, TABLE, 1, ()) | {"published_at": one.started_at} for one in seen]
    small_lake.append(root, PUBLICATIONS, reported)


@dataclass
class Keeper:
    """`kafka-census maintain` on a lake, and what is in the lake, read without Spark.

    out  what the last run printed
    """

    work: Work
    root: Path
    out: io.StringIO = field(default_factory=io.StringIO)

    def __call__(self, *, hours: float = 0, **asked: Any) -> str:
        """Maintain `hours` hours after NOW, by these fields of the work; returns the output."""
        at, self.out = Tomorrow(NOW + timedelta(hours=hours)), io.StringIO()
        runs = Runs(self.work.spark, self.work.config.lake, at)
        upkeep.run_maintain(replace(self.work, clock=at, runs=runs, out=self.out, **asked))
        return self.out.getvalue()

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

    def with_event(self, event: str) -> list[str]:
        """The censuses of cluster one that have an event, each once."""
        return sorted({census_id for census_id, of in self.rows(CENSUS_RUNS, "one") if of == event})

    def everything(self, cluster: str) -> dict[str, list[tuple[str, ...]]]:
        """The rows of a cluster in each table."""
        return {table.folder: self.rows(table, cluster) for table in EVERY}

    def seen(self) -> tuple[list[str], list[str]]:
        """The censuses in `current_*` and `history_*`."""
        lake = PublishedLake(str(self.root))
        current, history = (found(TABLE.name).to_table()["census_id"] for found in (lake.current, lake.history))
        return sorted(current.to_pylist()), sorted(history.to_pylist())


@pytest.fixture(scope="module")
def keep(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keeper]:
    """Keeps the planted lake: few tables, which are not optimized."""
    folder = tmp_path_factory.mktemp("maintain")
    (folder / "census.yaml").write_text(CONF, encoding="utf-8")
    plant(root := folder / "lake")
    config = load(str(folder / "census.yaml"), {"KAFKA_CENSUS__LAKE__ROOT": str(root)})
    common = (spark, config, "", Clock(), NullProgress(), io.StringIO())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(upkeep, "_every_table", lambda: EVERY)
        patched.setattr(upkeep, "tend", lambda *_: None)
        yield Keeper(Work(*common, runs=Runs(spark, config.lake, Clock()), apply=True), root)


def test_a_dry_run_tells_and_changes_nothing(keep: Keeper) -> None:
    before = keep.versions()
    first, second = map(json.loads, keep(apply=False, as_json=True).splitlines())
    assert (first["clusters"], first["visible"], first["retire"]) == (["one"], 7, ids(150, 62, 60))
    share = next(each for each in first["tables"] if each["table"] == "published/reassignment_backlog")
    assert (share["censuses"], share["rows"], first["applied"]) == (2, 2, False)
    assert second["clusters"] == ["two"]
    dry = "dry run: nothing was changed; --apply does it"
    assert keep(apply=False, cluster="two").splitlines()[-1] == dry
    by_id = keep(apply=False, cluster="one", retire=tuple(ids(1)))
    assert f"1 to be retired: {ids(1)[0]}" in by_id
    assert by_id.splitlines()[-1] == dry
    with pytest.raises(
        ConfigError, match=r"^cluster 'three' has no census in this lake; survey it first: .* run --cluster three$"
    ):
        keep(cluster="three")
    assert keep.versions() == before


def test_only_a_published_census_of_the_cluster_is_retired_and_no_other_named_beside_it(keep: Keeper) -> None:
    versions = keep.versions()
    for cluster, census_id, line in (
        ("", ids(1)[0], "--retire needs --cluster"),
        ("two", ids(1)[0], f"cluster 'two' has no published census {ids(30)[0]} in this lake"),
        ("one", ids(50)[0], f"cluster 'one' has no published census {ids(50)[0]} in this lake"),
        ("one", "' OR '1'='1", "has no published census ' OR '1'='1 in this lake"),
    ):
        with pytest.raises(ConfigError, match=line):
            keep(cluster=cluster, retire=(*ids(30), census_id))
    assert keep.versions() == versions


def test_a_cluster_that_is_surveyed_is_left_alone(keep: Keeper) -> None:
    one, two = keep.everything("one"), keep.everything("two")
    line = r"cluster 'one' is in use by process .*\(census of a test\)"
    with hold(keep.work.config.lake, ["one"], "census of a test"), pytest.raises(LockHeld, match=line):
        keep()
    assert keep.everything("one") == one
    assert keep.everything("two") != two


def test_a_run_that_is_cut_off_anywhere_is_made_up_for(keep: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between any two writes, run after run, until no write is left: what is old is hidden at once.

    Rows of a hidden census stay for earlier readers, rows that never were visible are removed; of the cluster that was
    named.
    """
    left, crashes, two = 0, 0, keep.everything("two")

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
    # A retirement is noted again until it is done: the second run may write twice, each other run once.
    for allowed in (1, 2, *[1] * 10):
        left = allowed
        try:
            keep(cluster="one")
        except KeyboardInterrupt:
            crashes += 1
            lines = keep.out.getvalue().splitlines()
            assert max(map(len, lines)) <= 80
            if crashes == 1:
                assert f"3 to be retired: {ids(150)[0]} to {ids(60)[0]}" in " ".join(" ".join(lines).split())
        else:
            break
    assert crashes == 4
    assert keep.everything("two") == two
    assert keep.seen() == (sorted([*ids(1), *LAST_OF_TWO]), sorted([*ids(*STAY), *LAST_OF_TWO]))
    assert keep.census_ids(PUBLICATIONS) == ids(*STAY)
    assert keep.census_ids(TABLE) == ids(*PUBLISHED, FRESH_CRASH)
    assert keep.census_ids(PAGES) == ids(1, 2)
    assert keep.census_ids(ROUTES) == keep.with_event("started") == ids(*PUBLISHED, REFUSED, CRASHED, FRESH_CRASH)
    assert keep.with_event("retired") == ids(60, 62, 150)
    assert keep.with_event("cleared") == ids(*PUBLISHED[1:], REFUSED, CRASHED)


def test_a_census_is_retired_by_its_id(keep: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the last one, for a census with a wrong clock: `current_*` returns to the one before it."""
    (last, before, other), versions = ids(1, 30, 47)[::-1], keep.versions()
    keep(cluster="one", retire=(last,))
    assert keep.seen() == (sorted([before, *LAST_OF_TWO]), sorted([*ids(*STAY[1:]), *LAST_OF_TWO]))
    assert keep.with_event("retired") == ids(1, 60, 62, 150)
    # Nothing else was done, and rows that a reader may be reading stay until the end of the grace period.
    changed = {name for name, version in keep.versions().items() if version != versions[name]}
    assert changed == {"audit/census_runs", "audit/publications"}

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(maintain, "commit", killed)
    with pytest.raises(KeyboardInterrupt):
        keep(cluster="one", retire=(other,))
    assert other in keep.census_ids(PUBLICATIONS)


def test_what_was_hidden_is_removed_after_the_grace_period(keep: Keeper) -> None:
    """The retirement that was cut off is made up for; the last census of a cluster stays, however old it is."""
    keep(hours=13)
    assert keep.census_ids(PUBLICATIONS) == ids(30, 61)
    # The retirement of 47 was cut off: it is hidden only now.
    assert keep.census_ids(TABLE) == ids(30, 47, 61, FRESH_CRASH)
    # An unpublished census stays as long as its pages.
    assert keep.census_ids(ROUTES) == ids(*STAY, 60, 62, REFUSED, CRASHED, FRESH_CRASH)
    assert keep.census_ids(TABLE, "two") == keep.census_ids(ROUTES, "two") == LAST_OF_TWO
    assert keep.seen() == (sorted([*ids(30), *LAST_OF_TWO]), sorted([*ids(30, 61), *LAST_OF_TWO]))
    oldest = keep.work.runs.find(["one"], ids(150)[0])
    assert oldest
    assert (oldest.reached, set(oldest.events)) == ("published", {"started", "published", "retired", "cleared"})
    common = (keep.work.spark, keep.work.config, "one", Clock(), NullProgress(), io.StringIO())
    again = Work(*common, runs=keep.work.runs, redactor=Redactor(), census_id=oldest.census.census_id)
    with pytest.raises(ConfigError, match=r"was retired by kafka-census maintain; start a new one$"):
        workflow.run_publish(again)


def test_optimizing_puts_small_files_together_and_keeps_what_is_read(keep: Keeper) -> None:
    """Audit tables become one file, pages stay separate; a vacuum of Delta's seven days keeps yesterday's files."""
    events, yesterday = keep.rows(CENSUS_RUNS, "one"), keep.delta(CENSUS_RUNS)
    assert len(yesterday.file_uris()) > 1
    maintain.tend(keep.work.spark, keep.work.config.lake, (CENSUS_RUNS, PAGES), NullProgress())
    tended = ["VACUUM END", "VACUUM START", "OPTIMIZE", "SET TBLPROPERTIES"]
    for table, last in ((CENSUS_RUNS, tended), (PAGES, ["VACUUM END", "VACUUM START", "SET TBLPROPERTIES"])):
        assert [each["operation"] for each in keep.delta(table).history(len(last))] == last
    assert len(keep.delta(CENSUS_RUNS).file_uris()) == 1
    assert keep.rows(CENSUS_RUNS, "one") == events
    before = yesterday.to_pyarrow_table()
    assert before["cluster_id"].to_pylist().count("id-one") == len(events)


def test_nothing_is_deleted_while_the_lake_is_not_whole(keep: Keeper) -> None:
    """A published census that publications lack must not count as invisible.

    A forged id, which is none, could make maintain delete all rows.
    """
    page = {"rpc": "r", "census_id": "2000') OR ('1'='1", "cluster_id": "id-one"}
    small_lake.append(keep.root, PAGES, [page], PAGES.partitioned_by)
    versions = keep.versions()
    with pytest.raises(CorruptLake, match=r"landing/pages holds the census id .*, which is none"):
        keep(hours=24)
    assert keep.versions() == versions
    keep.delta(PUBLICATIONS).delete(f"census_id = '{ids(30)[0]}'")
    versions = keep.versions()
    with pytest.raises(CorruptLake, match=f"does not have census {ids(30)[0]} .of 1 such., which"):
        keep(hours=24)
    assert keep.versions() == versions
