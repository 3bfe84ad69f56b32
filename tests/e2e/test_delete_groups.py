"""Dead groups are deleted from real brokers, by plan; live groups are kept, and deleted groups can be restored.

The tests are one story, in this order: a small plan, applied by a principal that may not delete all, and undone; 2,400
deletions by a process that is killed, then while a broker is killed. The history is a real census after a planted one,
whose rows are those of a census before records were added to the topic.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
from confluent_kafka import Consumer, TopicPartition
from pyspark.sql import functions as F

from e2e.operator import Operator, Ran, plain
from harness import workload
from harness.broker import Listener
from harness.kafka_cluster import PLAINTEXT, KafkaCluster
from harness.oracle import ask
from harness.proxy import CountingProxy, Request
from harness.submitted import await_moment, kill_all, submit, write_spark_conf
from kafka_census.census import Census
from kafka_census.clock import Clock
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.lake.runs import Runs
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.deletable_groups import DELETABLE_GROUPS
from kafka_census.tables.deletions import DELETION_CHECKS, DELETION_PLAN_GROUPS, DELETION_PLANS, DELETIONS
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT

DELETE_GROUPS, OFFSET_COMMIT = 42, 8
PASSWORD = "canary-77ab"
DEAD = tuple(f"dead-{number:04d}" for number in range(2400))
"""The groups of which a killed run deletes some."""

FEW = ("left", "joins", "mover", "denied-1", "denied-2")
RULES = {
    "KAFKA_CENSUS__DELETION__EMPTY_FOR": "1s",
    "KAFKA_CENSUS__DELETION__CENSUSES": "2",
    "KAFKA_CENSUS__DELETION__MAX_DELETES": "10000",
}
WAVE = 1500
"""The number of groups of a wave: 500 for each of three brokers."""


@dataclass
class Story:
    """What the tests share: the cluster, its proxy, the operator, and the last plan."""

    cluster: KafkaCluster
    proxy: CountingProxy
    operator: Operator

    def plan(self, *protect: str) -> str:
        """Make a plan; returns its id."""
        ran = self.operator.run("delete_groups plan", **RULES, KAFKA_CENSUS__DELETION__PROTECT=",".join(protect))
        assert (ran.code, ran.error) == (0, ""), ran.err[-3000:]
        return str(self.operator.rows(DELETION_PLANS).agg(F.max("plan_id")).collect()[0][0])

    def run(self, step: str, plan_id: str, *more: str, **environment: str) -> Ran:
        """Run a step of that plan; its requests are in `sent`."""
        self.proxy.clear()
        return self.operator.run(f"delete_groups {step}", "--plan", plan_id, *more, **RULES | environment)

    def sent(self, api_key: int) -> list[Request]:
        """The requests of our client since the last run began."""
        return [one for one in self.proxy.requests if (one.client_id, one.api_key) == ("kafka-census", api_key)]

    def audit(self, plan_id: str, step: str = "apply") -> dict[str, list[tuple[str, int, bool]]]:
        """(outcome, code, sent) of each run, by group; the look of an apply comes before its outcomes."""
        steps = ("apply", "look") if step == "apply" else (step,)
        rows = self.operator.rows(DELETIONS).where((F.col("plan_id") == plan_id) & F.col("step").isin(*steps))
        found: dict[str, list[tuple[str, int, bool]]] = {}
        for row in rows.orderBy("run_id", F.desc("step")).collect():
            found.setdefault(row.group_id, []).append((row.outcome, row.error_code, row.sent))
        return found

    def there(self) -> set[str]:
        """The groups that Kafka's own client lists."""
        return {row["group_id"] for row in ask(self.cluster.admin_servers, "group")}


@pytest.fixture(scope="module")
def story(operator: Callable[..., Operator]) -> Iterator[Story]:
    """Thousands of dead groups and some others; after the planted census the topic and the group `alive` advanced."""
    properties = {"offsets.topic.replication.factor": 3, "offsets.topic.num.partitions": 12}
    with (
        CountingProxy() as proxy,
        KafkaCluster(
            brokers=3,
            listeners=(PLAINTEXT, Listener("SASL", "SASL_PLAINTEXT", ("PLAIN",))),
            users={"narrow": PASSWORD},
            authorizer=True,
            properties=properties,
            proxies=proxy,
        ) as cluster,
    ):
        servers = cluster.admin_servers
        workload.create_topic(servers, "orders", 2, 3)
        workload.produce(servers, "orders", 20_000)
        groups = [*FEW, *DEAD]
        workload.commit_offsets(servers, groups, "orders", offset=1)
        workload.commit_offset(servers, "noted", "orders", 3, leader_epoch=0)
        made = replace(
            operator(cluster.bootstrap_servers, "deletions"), tables=(GROUP_COORDINATOR_PLACEMENT, DELETABLE_GROUPS)
        )
        plant(made, cluster.cluster_id, dict.fromkeys([*groups, "alive"], 1) | {"noted": 3})
        assigned(servers, "alive", 2)
        ran = made.run("census", "--no-report")
        assert (ran.code, ran.error) == (0, ""), ran.err[-3000:]
        yield Story(cluster, proxy, made)


def plant(operator: Operator, cluster_id: str, offsets: Mapping[str, int]) -> None:
    """Write a census of an hour ago: each group was empty, with one offset of `orders`, which was empty then."""
    lake = Lake(operator.lake)
    started = datetime.now(UTC) - timedelta(hours=1)
    ids = {"census_id": f"{started:%Y%m%dT%H%M%S}000Z-000001", "cluster_id": cluster_id}
    fingerprint = F.xxhash64(F.lit("orders"), F.lit(0), F.col("offset"))
    known = ids | {"observed_at": started, "verdict": "undecided", "deletable": False, "commits_only": True}
    known |= {"empty_since": started, "offsets_unchanged_since": started, "censuses_empty": 1}
    known |= {"committed_partitions": 1, "partitions_gone": 0, "end_offsets": 0, "censuses_left_behind": 0}
    rows = operator.spark.createDataFrame(list(offsets.items()), "group_id string, offset bigint").withColumns(
        {name: F.lit(value) for name, value in known.items()}
        | {"offsets_fingerprint": fingerprint, "evidence": F.array(F.lit("empty"))}
    )
    columns = [
        (F.col(field.name) if field.name in rows.columns else F.lit(None)).cast(field.dataType).alias(field.name)
        for field in DELETABLE_GROUPS.schema.fields
    ]
    store.append(rows.select(*columns), lake, DELETABLE_GROUPS, "planted/groups")
    tables = tuple(table.name for table in operator.tables)
    census = Census(ids["census_id"], cluster_id, "test", started, tables)
    Runs(operator.spark, lake, Clock()).note(census, "published")
    reported = ids | {"cluster": "test", "table_name": DELETABLE_GROUPS.name, "is_complete": True, "missing": []}
    reported |= {"visibility": "proven", "row_count": len(offsets), "warnings": 0, "published_at": started}
    values = [tuple(reported.get(name) for name in PUBLICATIONS.columns)]
    store.append(local_frame(operator.spark, values, PUBLICATIONS.schema), lake, PUBLICATIONS, "planted/published")


def assigned(servers: str, group: str, offset: int) -> None:
    consumer = Consumer({"bootstrap.servers": servers, "group.id": group, "enable.auto.commit": False})
    try:
        consumer.assign([TopicPartition("orders", 0, offset)])
        consumer.commit(offsets=[TopicPartition("orders", 0, offset)], asynchronous=False)
    finally:
        consumer.close()


@pytest.fixture(scope="module")
def small(story: Story) -> str:
    return story.plan("dead-*")


def test_a_plan_has_what_is_dead_and_says_why_the_rest_is_kept(story: Story, small: str) -> None:
    """A live assign() consumer, which always looks empty, is no candidate: its offsets moved."""
    rows = {
        row.group_id: row
        for row in story.operator.rows(DELETION_PLAN_GROUPS).where(F.col("plan_id") == small).collect()
    }
    planned = {name for name, row in rows.items() if row.action == "delete"}
    assert planned == {*FEW, "noted"}
    assert {rows[name].because for name in DEAD} == {"protected"}
    assert "alive" not in rows
    left = rows["left"]
    assert (left.risk, left.group_state, left.committed_partitions) == (3, "Empty", 1)
    assert (left.evidence, left.censuses_empty) == (["empty", "left_behind"], 2)
    found = {row["key"]: row["node_id"] for row in ask(story.cluster.admin_servers, "group_coordinator")}
    assert {name: rows[name].coordinator for name in planned} == {name: found[name] for name in planned}


def test_without_yes_nothing_is_sent(story: Story, small: str) -> None:
    ran = story.run("apply", small)
    assert (ran.code, ran.error) == (0, "")
    assert "would delete 6 groups" in ran.out
    assert "nothing was sent; --yes does it" in ran.out
    assert story.proxy.requests == []


def narrowed(story: Story) -> Story:
    operator = replace(story.operator, servers=story.cluster.bootstrap("SASL"), settings=plain("narrow"))
    return replace(story, operator=operator)


def test_what_lives_is_kept_and_what_is_refused_is_reported(story: Story, small: str) -> None:
    """A member joined, offsets moved, DELETE is not granted: the others are deleted, and a later run does the rest."""
    servers, narrow = story.cluster.admin_servers, narrowed(story)
    workload.allow(servers, "narrow", "DESCRIBE", "topic", "*")
    workload.allow(servers, "narrow", "DESCRIBE", "group", "*")
    for group in ("left", "joins", "mover", "noted"):
        workload.allow(servers, "narrow", "DELETE", "group", group)
    secret = {"CENSUS_PASSWORD": PASSWORD}
    assigned(servers, "mover", 2)
    with workload.LiveGroups(servers, "orders", ["joins"], story.cluster.folder / "joins"):
        ran = narrow.run("apply", small, "--yes", **secret)
    assert ran.code == 3
    assert ran.error == (
        f"error: 2 groups of plan {small} are not deleted: 2 GROUP_AUTHORIZATION_FAILED (audit/deletions has each); "
        "where a group is refused, grant DELETE and DESCRIBE of it, then run this again"
    )
    first = {
        "left": [("deleted", 0, True)],
        "noted": [("deleted", 0, True)],
        "joins": [("kept", 68, False)],
        "mover": [("kept", 0, False)],
        "denied-1": [("refused", 30, True)],
        "denied-2": [("refused", 30, True)],
    }
    assert story.audit(small) == first
    assert {"left", "noted"}.isdisjoint(story.there())
    for group in ("denied-1", "denied-2"):
        workload.allow(servers, "narrow", "DELETE", "group", group)
    again = narrow.run("apply", small, "--yes", **secret)
    assert (again.code, again.error) == (0, "")
    named = [name for one in story.sent(DELETE_GROUPS) for name in (*FEW, "noted") if name.encode() in one.body]
    assert sorted(named) == ["denied-1", "denied-2"]
    denied = [("refused", 30, True), ("deleted", 0, True)]
    assert story.audit(small) == first | {"denied-1": denied, "denied-2": denied}
    third = narrow.run("apply", small, "--yes", **secret)
    assert (third.code, story.sent(DELETE_GROUPS)) == (0, [])
    assert "nothing was left to do" in third.out
    audit = story.operator.rows(DELETIONS).where(F.col("plan_id") == small)
    who = {(row.operator.partition("@")[1], row.kafka_user, row.cluster) for row in audit.collect()}
    assert who == {("@", "narrow", "test")}
    assert PASSWORD not in f"{ran.out}{ran.err}{again.out}{again.err}{third.out}{third.err}"


def test_undo_gives_back_what_is_still_absent(story: Story, small: str) -> None:
    """Offset, leader epoch and metadata as Kafka's own client saw them before; groups that exist again are kept."""
    servers = story.cluster.admin_servers
    workload.commit_offset(servers, "left", "orders", 9)
    reported = story.run("undo", small)
    assert "would restore the offsets of 4 groups" in " ".join(reported.out.split())
    assert story.proxy.requests == []
    undone = story.run("undo", small, "--yes")
    assert (undone.code, undone.error) == (0, ""), undone.err[-3000:]
    now = {row["group_id"]: row for row in ask(servers, "group_offset")}
    assert {name: (now[name]["committed_offset"], now[name]["leader_epoch"], now[name]["metadata"])
            for name in ("left", "noted", "denied-1", "denied-2")} == {
        "left": (9, None, ""), "noted": (3, 0, ""), "denied-1": (1, None, ""), "denied-2": (1, None, "")
    }  # fmt: skip
    restored = [("restored", 0, True)]
    assert story.audit(small, "undo") == {
        "left": [("kept", 0, False)], "noted": restored, "denied-1": restored, "denied-2": restored
    }  # fmt: skip
    assert len(story.sent(OFFSET_COMMIT)) == 3
    again = story.run("undo", small, "--yes")
    assert (again.code, story.sent(OFFSET_COMMIT)) == (0, [])
    # The plan does not delete a restored group again.
    assert story.run("apply", small, "--yes").code == 0
    assert story.sent(DELETE_GROUPS) == []


@pytest.fixture(scope="module")
def large(story: Story) -> str:
    return story.plan("noted", *FEW)


def commits(story: Story) -> int:
    return len(list(Path(story.operator.lake, "audit", DELETIONS.name, "_delta_log").glob("*.json")))


def test_a_run_that_is_killed_goes_on_and_keeps_to_max_deletes(story: Story, large: str, tmp_path: Path) -> None:
    """kill -9 during a request of at most 500 groups; the next run looks at the groups without an outcome."""
    most = WAVE + 300
    conf = write_spark_conf(tmp_path / "spark")
    limits = RULES | {"KAFKA_CENSUS__DELETION__MAX_DELETES": str(most)}
    config = str(story.operator.config)
    story.proxy.clear()
    before = commits(story)
    with patch.dict(os.environ, limits):
        run = submit(conf, "delete_groups", "apply", "--config", config, "--cluster", "test", "--plan", large, "--yes")
    # The first wave is in the audit, and the second is being deleted.
    await_moment(lambda: commits(story) > before, run)
    so_far = len(story.sent(DELETE_GROUPS))
    await_moment(lambda: len(story.sent(DELETE_GROUPS)) > so_far, run)
    kill_all(run)
    sizes = [one.body.count(b"dead-") for one in story.sent(DELETE_GROUPS)]
    assert (max(sizes) <= 500, len(sizes) <= 2 * 3 * 2) == (True, True)
    killed = story.audit(large)
    assert Counter(one for outcomes in killed.values() for one in outcomes) == {("deleted", 0, True): WAVE}
    ran = story.run("apply", large, "--yes", **limits)
    assert (ran.code, ran.error) == (0, ""), ran.err[-3000:]
    assert f"{len(DEAD) - most:,} were not tried: deletion.max_deletes is {most:,}" in ran.out
    audit = story.audit(large)
    assert len(audit) == most
    # Some groups of the interrupted wave were deleted; the others still existed, and were deleted then.
    deleted, gone, there = ("deleted", 0, True), ("gone", 69, True), ("still_there", 0, False)
    assert {tuple(outcomes) for outcomes in audit.values()} - {(there, deleted)} == {(deleted,), (gone,)}
    assert set(audit).isdisjoint(story.there())
    assert set(DEAD) - set(audit) <= story.there()
    checks = story.operator.rows(DELETION_CHECKS).where((F.col("plan_id") == large) & (F.col("outcome") == "delete"))
    saved = checks.where(F.size("offsets") == 1).select("group_id").distinct().count()
    assert saved == most


def test_a_broker_that_dies_meanwhile_loses_nothing(story: Story, large: str) -> None:
    """Its groups get other coordinators; missing answers are reported, and a second run resolves them."""
    lost = 3

    def kill(request: Request) -> None:
        if request.api_key == DELETE_GROUPS and lost in story.cluster.alive:
            story.cluster.kill_broker(lost)

    story.proxy.watch = kill
    try:
        first = story.run("apply", large, "--yes")
    finally:
        story.proxy.watch = None
    assert lost not in story.cluster.alive
    assert first.code in (0, 3), first.err[-3000:]
    assert '"event": "deleted"' in first.err
    last = story.run("apply", large, "--yes")
    assert (last.code, last.error) == (0, ""), last.err[-3000:]
    assert story.there().isdisjoint(DEAD)
    ends = {name: outcomes[-1][0] for name, outcomes in story.audit(large).items()}
    assert set(ends) == set(DEAD)
    assert set(ends.values()) <= {"deleted", "gone"}
    settled: Sequence[str] = [
        outcome
        for outcomes in story.audit(large).values()
        for outcome, _, _ in outcomes
        if outcome in ("deleted", "gone")
    ]
    assert len(settled) == len(DEAD)
