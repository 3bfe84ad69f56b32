"""A plan rests on every complete census of its window, and is refused if it was changed."""

import io
import json
import shutil
from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from harness.damage import forget
from harness.deleting import Edit, rows_edited
from kafka_census.census.work import Work
from kafka_census.clock import Clock
from kafka_census.config import load
from kafka_census.declarations.audit import PUBLICATIONS
from kafka_census.declarations.census import Census
from kafka_census.declarations.deletions import DELETION_PLAN_GROUPS, DELETION_PLANS
from kafka_census.deletion import history
from kafka_census.deletion import run as deletion
from kafka_census.deletion.plans import DeletionAudit, with_header
from kafka_census.deletion.rules import DeletionRules, protecting
from kafka_census.errors import ConfigError, CorruptLake, WrongCluster
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.lake.runs import Runs
from kafka_census.spark.settings import set_within
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.terminal.progress import NullProgress
from spark.report_lake import append, ids_of, publication
from spark.test_maintain import NOW, Tomorrow, made

CONF = """
lake: {root: lake}
deletion: {empty_for: 2d, censuses: 3, protect: ["connect-*", "a?b.c"], expires_after: 6h}
clusters:
  one: {bootstrap_servers: [127.0.0.1:9092]}
  two: {bootstrap_servers: [127.0.0.1:9092]}
"""
OTHER_ID = "20991121T184500123Z-9f3a1c"
COMPLETE = (100, 50, 49, 20, 1)
"""Hours before NOW. Two days before the last one is 49: the window begins there, and has three censuses."""

INCOMPLETE = 30


def seen(group_id: str, hours: float, **columns: Any) -> dict[str, Any]:
    """A group in a census: left behind, unless `columns` say otherwise."""
    census = made(hours)
    row = ids_of(census) | {"observed_at": census.started_at}
    row |= {"group_id": group_id, "verdict": "deletable", "deletable": True, "evidence": ["empty", "left_behind"]}
    row |= {"group_type": "classic", "group_state": "Empty", "members": 0, "protocol_type": "consumer"}
    row |= {"commits_only": False, "empty_since": made(100).started_at, "offsets_fingerprint": 7}
    return row | {"committed_partitions": 2, "partitions_gone": 0} | columns


def everywhere(group_id: str, *, but: int | None = None, **columns: Any) -> list[dict[str, Any]]:
    """The group in all censuses, including the incomplete one; `columns` apply to one of them, or to all."""
    return [seen(group_id, hours, **(columns if but in (None, hours) else {})) for hours in (*COMPLETE, INCOMPLETE)]


def expired(group_id: str, before: list[int], after: list[int]) -> list[dict[str, Any]]:
    """The group with fewer offsets (by their hashes) in the last census than in earlier ones."""
    rows = everywhere(group_id, offset_hashes=before, offsets_fingerprint=8, committed_partitions=len(before))
    last = {"offset_hashes": after, "offsets_fingerprint": 9, "committed_partitions": len(after)}
    return [row | (last if row["census_id"] == made(1).census_id else {}) for row in rows]


IN_USE = {"verdict": "in_use", "deletable": False, "evidence": []}
GROUPS = [
    *everywhere("left"),
    *everywhere("Connect-1"),
    *everywhere("connect-1\nx"),
    *everywhere("axb.c"),
    *everywhere("axbxc", commits_only=True),
    *everywhere("gone", evidence=["empty", "topics_gone"], partitions_gone=2),
    *everywhere("none", evidence=["empty", "no_offsets"], committed_partitions=0, offsets_fingerprint=0),
    *everywhere("share", group_type="share"),
    *everywhere("used", but=1, **IN_USE),
    *everywhere("used before", but=100, **IN_USE),
    *everywhere("used meanwhile", but=20, **IN_USE),
    *everywhere("not read", but=20, verdict="unknown", deletable=False),
    *everywhere("moved", but=20, verdict="in_use", deletable=False, offsets_fingerprint=8),
    *everywhere("moved unseen", but=49, offsets_fingerprint=8),
    *expired("expired unseen", [5, 6], [5]),
    *expired("moved and expired", [6, 7], [5]),
    *everywhere("used in the incomplete one", but=INCOMPLETE, **IN_USE),
    *everywhere("undecided at first", but=49, verdict="undecided", deletable=False, evidence=["empty"]),
    *[row for row in everywhere("absent meanwhile") if row["census_id"] != made(20).census_id],
]


TABLES = (DELETABLE_GROUPS, CONSUMER_LAG, GROUP_COORDINATOR_PLACEMENT)


def published(census: Census, *, complete: bool = True) -> list[dict[str, Any]]:
    reported = {"is_complete": complete, "published_at": census.started_at}
    return [publication(census, table, 1, ()) | reported for table in TABLES]


Plan = tuple[str, dict[str, Row], str]
"""Its id, its rows by group, and what was printed."""


@dataclass
class Planner:
    """Makes plans in a lake, at a given time."""

    work: Work
    out: io.StringIO

    def __call__(self, hours: float = 0, cluster: str = "one") -> Plan:
        """Make a plan `hours` hours after NOW."""
        deletion.run_plan(self._at(hours, cluster=cluster))
        text = self.out.getvalue()
        plan_id = text.splitlines()[1].split()[1].rstrip(":")
        rows = store.read(self.work.spark, self.lake, DELETION_PLAN_GROUPS).where(F.col("plan_id") == plan_id)
        return plan_id, {row.group_id: row for row in rows.collect()}, text

    def apply(self, plan_id: str, hours: float = 0, **changes: Any) -> str:
        """Apply a plan without --yes `hours` hours after NOW; returns the output."""
        deletion.run_apply(self._at(hours, plan_id=plan_id, **changes))
        return self.out.getvalue()

    def _at(self, hours: float, **changes: Any) -> Work:
        self.out.truncate(self.out.seek(0))
        return replace(self.work, clock=Tomorrow(NOW + timedelta(hours=hours)), **changes)

    def plans(self) -> dict[str, Row]:
        """All plans, by id."""
        return {row.plan_id: row for row in store.read(self.work.spark, self.lake, DELETION_PLANS).collect()}

    @property
    def lake(self) -> Lake:
        """Its lake."""
        return self.work.config.lake


@pytest.fixture(scope="module")
def planner(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Planner:
    folder = tmp_path_factory.mktemp("plans")
    path = folder / "census.yaml"
    path.write_text(CONF, encoding="utf-8")
    config = load(path, {"KAFKA_CENSUS__LAKE__ROOT": str(folder / "lake")})
    lake = config.lake
    complete = {made(hours): hours != INCOMPLETE for hours in (*COMPLETE, INCOMPLETE)}
    complete |= {made(hours, "two"): True for hours in (3, 2)}
    reported = [row for census, whole in complete.items() for row in published(census, complete=whole)]
    young = [seen("left", hours, census_id=made(hours, "two").census_id, cluster_id="id-two") for hours in (3, 2)]
    last = {"census_id": made(1).census_id, "cluster_id": "id-one", "group_id": "left"}
    offsets = [("t", 1, 5, 10), ("t", 0, 4, 20), ("u", 0, None, None)]
    lag = [
        last | {"topic": topic, "partition": partition, "committed_offset": offset, "lag": lag}
        for topic, partition, offset, lag in offsets
    ]
    placed = [last | {"found_coordinator": 3}]
    tables = {DELETABLE_GROUPS: GROUPS + young, CONSUMER_LAG: lag, GROUP_COORDINATOR_PLACEMENT: placed}
    counts = Counter((table.name, row["census_id"]) for table, rows in tables.items() for row in rows)
    counted = [row | {"row_count": counts[row["table_name"], row["census_id"]]} for row in reported]
    for table, rows in (tables | {PUBLICATIONS: counted}).items():
        append(lake, table, rows)
    out = io.StringIO()
    runs = Runs(spark, config.lake, Clock())
    return Planner(Work(spark, config, "one", Clock(), NullProgress(), out, runs=runs, limit=15), out)


@pytest.fixture(scope="module")
def plan(planner: Planner) -> Plan:
    return planner()


def test_a_group_must_be_empty_with_its_offsets_in_every_complete_census_of_the_window(
    planner: Planner, plan: Plan
) -> None:
    """Facts from before the window, or from an incomplete census, do not count; an unread or absent group does."""
    plan_id, rows, _ = plan
    assert {name: (row.action, row.because, row.risk) for name, row in rows.items()} == {
        **dict.fromkeys(("left", "Connect-1", "used before", "used in the incomplete one"), ("delete", None, 2)),
        **dict.fromkeys(("undecided at first", "expired unseen"), ("delete", None, 2)),
        "axbxc": ("delete", None, 3),
        "gone": ("delete", None, 1),
        "none": ("delete", None, 0),
        **dict.fromkeys(("connect-1\nx", "axb.c"), ("keep", "protected", 2)),
        "share": ("keep", "cannot_be_restored", 2),
        **dict.fromkeys(("used meanwhile", "not read", "moved", "moved unseen"), ("keep", "not_long_enough", 2)),
        **dict.fromkeys(("moved and expired", "absent meanwhile"), ("keep", "not_long_enough", 2)),
    }
    assert rows["axb.c"].reason == "protected by a?b.c"
    assert rows["not read"].reason == (
        "empty with these offsets in 2 of 3 complete censuses since 2026-11-19 11:00Z; it must be so in all of 2d and "
        "3 complete censuses"
    )
    left = rows["left"]
    assert (left.reason, left.censuses_empty, left.coordinator, left.topics, left.lag) == (None, 3, 3, 1, 30)
    assert [tuple(one) for one in left.offsets] == [("t", 0, 4, 20), ("t", 1, 5, 10)]
    assert (rows["gone"].coordinator, rows["gone"].offsets, rows["gone"].lag) == (None, [], None)
    header = planner.plans()[plan_id]
    assert (header.census_id, header.first_census_id, header.censuses) == (made(1).census_id, made(49).census_id, 3)
    assert (header.groups, header.to_delete, header.protect) == (18, 9, ["connect-*", "a?b.c"])


def test_a_plan_is_printed_the_riskiest_first_within_80_columns(plan: Plan, planner: Planner) -> None:
    plan_id, _, text = plan
    lines = text.splitlines()
    options = f"--config {planner.work.config.name} --cluster one --plan {plan_id} --yes"
    command = f"  kafka-census delete-groups apply {options}"
    assert [line for line in lines if len(line) > 80 and line != command] == []
    assert command in lines
    assert "          6  kept: not empty with these offsets for long enough" in lines
    shown = [line for line in lines if line.startswith(("commits only", "left behind", "topics gone", "no offsets"))]
    kinds = ["commits only", *["left behind"] * 6, "topics gone", "no offsets"]
    assert [line.split("  ")[0] for line in shown] == kinds
    assert "connect" not in "".join(shown)
    assert any("left behind" in line and "4d 3h" in line and "30" in line for line in shown)


def test_a_short_history_plans_nothing(planner: Planner) -> None:
    _, rows, text = planner(cluster="two")
    assert {name: (row.action, row.because) for name, row in rows.items()} == {"left": ("keep", "not_long_enough")}
    since = "complete censuses go back to 2026-11-21 09:00Z"
    assert rows["left"].reason == f"{since} only; 2d and 3 complete censuses are needed"
    assert f"Nothing can be deleted yet: {since}" in text


def test_no_plan_rests_on_a_census_of_the_future_an_old_one_or_none(planner: Planner) -> None:
    before = len(planner.plans())
    for hours, cluster, line in (
        # The time that a group is empty is counted back from the last census: a clock ahead would make it look longer.
        (-1.5, "one", r"a clock that is ahead of this machine's.*--retire 20261121T110000000Z-"),
        (5.1, "one", r"older than deletion\.expires_after; survey it first: kafka-census run"),
        (0, "three", "cluster 'three' has no complete published census with deletable_groups"),
    ):
        with pytest.raises(ConfigError, match=line):
            planner(hours, cluster)
    assert len(planner.plans()) == before


def test_a_plan_is_applied_to_its_own_cluster_by_the_current_patterns(planner: Planner, plan: Plan) -> None:
    """Not by those of the plan; a plan that cannot be applied is refused with the reason."""
    config = planner.work.config
    section = config.deletion.model_copy(update={"protect": ("axb*", "none")})
    reported = planner.apply(plan[0], as_json=True, config=replace(config, deletion=section))
    counts = {"waiting": 7, "protected": 2, "deleted": 0, "unknown": 0, "most": 1000}
    assert json.loads(reported) == {"plan_id": plan[0], "sent": False, **counts}
    for line, plan_id, changes in (
        ("is for cluster 'one', not for 'two'", plan[0], {"cluster": "two"}),
        (f"there is no plan {OTHER_ID} in this lake", OTHER_ID, {}),
        ("'x' is no plan id", "x", {}),
    ):
        with pytest.raises(ConfigError, match=line):
            planner.apply(plan_id, **changes)


def test_an_edited_plan_is_refused(planner: Planner, plan: Plan) -> None:
    plan_id, _, _ = plan

    def refused(groups: Edit = list, header: Edit = list, plan_id: str = plan_id) -> None:
        with (
            rows_edited(planner.lake, DELETION_PLAN_GROUPS, plan[0], groups),
            rows_edited(planner.lake, DELETION_PLANS, plan[0], header),
            pytest.raises(ConfigError, match=r"was edited since it was made, or an older release made it; protect"),
        ):
            planner.apply(plan_id)

    def as_well(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [*rows, *(row | {"plan_id": OTHER_ID} for row in rows)]

    def left(rows: list[dict[str, Any]], **columns: Any) -> list[dict[str, Any]]:
        return [row | columns for row in rows if row["group_id"] == "left"]

    refused(as_well, as_well, OTHER_ID)
    refused(header=lambda rows: [row | {"expires_at": row["expires_at"] + timedelta(days=9)} for row in rows])
    refused(lambda rows: [row for row in rows if row["group_id"] != "left"] + left(rows, offsets_fingerprint=8))
    # Exclusive or: two equal rows leave a hash over rows as it was.
    refused(
        lambda rows: [*rows, *2 * left(rows, group_id="more")],
        lambda rows: [row | {"groups": row["groups"] + 2} for row in rows],
    )
    refused(lambda rows: [row for row in rows if row["group_id"] != "share"])
    assert "would delete 9 groups" in planner.apply(plan_id)


def test_the_hash_of_a_plan_has_every_column_of_its_row(spark: SparkSession) -> None:
    empty = {"array": [], "timestamp": NOW, "string": "", "bigint": 0, "int": 0}
    other = {"array": [""], "timestamp": NOW + timedelta(days=9), "string": "a", "bigint": 1, "int": 1}
    types = {field.name: field.dataType.simpleString().partition("<")[0] for field in DELETION_PLANS.schema.fields}
    names = [name for name in types if name != "digest"]
    right = {name: empty[kind] for name, kind in types.items()}
    rows = [tuple((right | {name: other[types[name]] for name in more}).values()) for more in ([], *zip(names))]
    hashes = local_frame(spark, rows, DELETION_PLANS.schema).select(with_header()).collect()
    assert len(set(hashes)) == len(names) + 1


def test_a_plan_is_the_same_in_every_session(planner: Planner, plan: Plan) -> None:
    """Applied in another time zone, with another format of JSON; it expires at the same moment."""
    other = {"spark.sql.session.timeZone": "Asia/Kathmandu", "spark.sql.jsonGenerator.ignoreNullFields": "false"}
    with set_within(planner.work.spark, other):
        assert "would delete 9 groups" in planner.apply(plan[0], hours=4.9)
        with pytest.raises(
            ConfigError, match=r"expired at 2026-11-21 17:00Z: its census is of 2026-11-21 11:00Z; make a"
        ):
            planner.apply(plan[0], hours=5)


def test_a_pattern_is_for_the_whole_group_id_and_only_star_and_question_mark_are_special(spark: SparkSession) -> None:
    fits = {
        "*": {"", "a", "a\nb", "a.b", "axb", "a.b\n", "xa.b", "[x]", "x", "é", "\n", "ab"},
        "a.b": {"a.b"},
        "[x]": {"[x]"},
        "?": {"a", "x", "é", "\n"},
    }
    frame = spark.createDataFrame([(one,) for one in fits["*"]], "group_id string")
    found = frame.select("group_id", *[F.col("group_id").rlike(protecting(one)).alias(one) for one in fits]).collect()
    assert {pattern: {row.group_id for row in found if row[pattern]} for pattern in fits} == fits


def test_a_census_whose_rows_are_lost_is_no_evidence(spark: SparkSession, planner: Planner, tmp_path: Path) -> None:
    """A group without rows would look as if it had no offsets to restore, or no members."""
    rules = DeletionRules(**planner.work.config.deletion.model_dump())
    for table in (DELETABLE_GROUPS, CONSUMER_LAG):
        copy = Lake(root=str(shutil.copytree(str(planner.lake.root), tmp_path / table.name)))
        forget(Path(copy.path("published", table.name)))
        lost = f"published/{table.name}` is lost: it is not there, and audit/publications"
        with pytest.raises(CorruptLake, match=lost):
            history.window(spark, copy, ("one",), rules)


def test_no_plan_rests_on_the_history_of_another_name(
    planner: Planner, plan: Plan, spark: SparkSession, tmp_path: Path
) -> None:
    """An id that was published under two names may be that of two clusters; a former name is one of its own."""
    lake, rules = Lake(root=str(tmp_path / "lake")), DeletionRules(**planner.work.config.deletion.model_dump())
    copied = [replace(made(hours, name), cluster_id="copied") for hours, name in ((60, "one"), (2, "two"), (1, "one"))]
    append(lake, PUBLICATIONS, [row for census in copied for row in published(census)])
    for table in TABLES:
        append(lake, table, [ids_of(one) for one in copied])
    with pytest.raises(WrongCluster, match="cluster id copied under another name, 'two'"):
        history.window(spark, lake, ("one",), rules)
    assert history.window(spark, lake, ("one", "two"), rules).census_ids == tuple(one.census_id for one in copied)
    plan_id, _, _ = plan
    assert DeletionAudit(spark, planner.lake, plan_id).plan(("new", "one")).cluster == "one"
    with pytest.raises(ConfigError, match="is for cluster 'one', not for 'new'"):
        DeletionAudit(spark, planner.lake, plan_id).plan(("new",))
