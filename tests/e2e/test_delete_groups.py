"""Dead groups are deleted from real brokers, by plan; live groups are kept, and deleted groups can be restored.

The tests are one story, in this order: a small plan, applied by a principal that may not delete all, and undone; then
thousands of deletions by a process that is killed, then while a broker is killed. The history is a real census after a
planted one, whose rows are those of a census before records were added to the topic.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from confluent_kafka import Consumer, TopicPartition
from deltalake import DeltaTable

from e2e.operator import Operator, Ran, plain
from harness import workload
from harness.broker import Listener
from harness.kafka_cluster import PLAINTEXT, KafkaCluster
from harness.oracle import ask
from harness.proxy import CountingProxy, Request
from harness.small_lake import append
from harness.submitted import await_moment, kill_all, submit, write_spark_conf
from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS
from kafka_census.declarations.deletions import DELETION_CHECKS, DELETION_PLAN_GROUPS, DELETION_PLANS, DELETIONS
from kafka_census.declarations.table import Table
from kafka_census.lake.lake import Lake
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT

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
        return max(row["plan_id"] for row in self.rows(DELETION_PLANS))

    def run(self, step: str, plan_id: str, *more: str, **environment: str) -> Ran:
        """Run a step of that plan; its requests are in `sent`."""
        self.proxy.clear()
        return self.operator.run(f"delete_groups {step}", "--plan", plan_id, *more, **RULES | environment)

    def sent(self, api_key: int) -> list[Request]:
        """The requests of our client since the last run began."""
        return [one for one in self.proxy.requests if (one.client_id, one.api_key) == ("kafka-census", api_key)]

    def rows(self, table: Table, plan_id: str | None = None) -> list[dict[str, Any]]:
        """The rows of an audit table, of one plan or of all."""
        of_plan = [("plan_id", "=", plan_id)] if plan_id else None
        found = DeltaTable(Lake(self.operator.lake).path(table.layer, table.name)).to_pyarrow_table(filters=of_plan)
        rows: list[dict[str, Any]] = found.to_pylist()
        return rows

    def audit(self, plan_id: str, *steps: str) -> dict[str, list[tuple[str, int, bool]]]:
        """(outcome, code, sent) of each run, by group; the look of an apply comes before its outcomes."""
        found: dict[str, list[tuple[str, int, bool]]] = {}
        rows = [row for row in self.rows(DELETIONS, plan_id) if row["step"] in (steps or ("apply", "look"))]
        for row in sorted(rows, key=lambda row: (row["run_id"], row["step"] == "apply")):
            found.setdefault(row["group_id"], []).append((row["outcome"], row["error_code"], row["sent"]))
        return found

    def there(self) -> set[str]:
        """The groups that Kafka's own client lists, also of a cluster that has lost a broker."""
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
    root, started = Path(operator.lake), datetime.now(UTC) - timedelta(hours=1)
    ids = {"census_id": f"{started:%Y%m%dT%H%M%S}000Z-000001", "cluster_id": cluster_id}
    known = ids | {"observed_at": started, "verdict": "undecided", "deletable": False, "commits_only": True}
    known |= {"empty_since": started, "offsets_unchanged_since": started, "censuses_empty": 1, "evidence": ["empty"]}
    known |= {"committed_partitions": 1, "partitions_gone": 0, "end_offsets": 0, "censuses_left_behind": 0}
    hashed = [f"xxhash64('orders', 0, CAST({offset} AS BIGINT)) AS _{offset}" for offset in set(offsets.values())]
    hashes = operator.spark.sql(f"SELECT {', '.join(hashed)}").collect()[0]
    rows = [known | {"group_id": name, "offsets_fingerprint": hashes[f"_{at}"]} for name, at in offsets.items()]
    append(root, DELETABLE_GROUPS, rows, ["census_id"])
    of_test = ids | {"cluster": "test"}
    append(root, CENSUS_RUNS, [of_test | {"event": "published", "at": started, "tables": [DELETABLE_GROUPS.name]}])
    reported = of_test | {"table_name": DELETABLE_GROUPS.name, "is_complete": True, "visibility": "proven"}
    append(root, PUBLICATIONS, [reported | {"row_count": len(offsets), "warnings": 0, "published_at": started}])


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
    rows = {row["group_id"]: row for row in story.rows(DELETION_PLAN_GROUPS, small)}
    planned = {name for name, row in rows.items() if row["action"] == "delete"}
    assert planned == {*FEW, "noted"}
    assert {rows[name]["because"] for name in DEAD} == {"protected"}
    assert "alive" not in rows
    left = rows["left"]
    assert (left["risk"], left["group_state"], left["committed_partitions"]) == (3, "Empty", 1)
    assert (left["evidence"], left["censuses_empty"]) == (["empty", "left_behind"], 2)
    found = {row["key"]: row["node_id"] for row in ask(story.cluster.admin_servers, "group_coordinator")}
    assert {name: rows[name]["coordinator"] for name in planned} == {name: found[name] for name in planned}


def test_what_lives_is_kept_and_what_is_refused_is_reported(story: Story, small: str) -> None:
    """A member joined, offsets moved, DELETE is not granted: the others are deleted, and a later run does the rest."""
    servers = story.cluster.admin_servers
    operator = replace(story.operator, servers=story.cluster.bootstrap("SASL"), settings=plain("narrow"))
    narrow = replace(story, operator=operator)
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
    rows = story.rows(DELETIONS, small)
    assert {(row["operator"].partition("@")[1], row["kafka_user"], row["cluster"]) for row in rows} == {
        ("@", "narrow", "test")
    }
    assert PASSWORD not in f"{ran.out}{ran.err}{again.out}{again.err}"


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
    # The plan does not delete a restored group again.
    again = story.run("apply", small, "--yes")
    assert (again.code, story.sent(DELETE_GROUPS)) == (0, [])
    assert "nothing was left to do" in again.out


@pytest.fixture(scope="module")
def large(story: Story) -> str:
    return story.plan("noted", *FEW)


def commits(story: Story) -> int:
    return len(list(Path(story.operator.lake, "audit", DELETIONS.name, "_delta_log").glob("*.json")))


def test_a_run_that_is_killed_has_saved_what_it_sent(story: Story, large: str, tmp_path: Path) -> None:
    """kill -9 during a request of at most 500 groups; all groups of its wave are announced, with their offsets."""
    most = WAVE + 300
    conf = write_spark_conf(tmp_path / "spark")
    config = str(story.operator.config)
    story.proxy.clear()
    before = commits(story)
    with patch.dict(os.environ, RULES | {"KAFKA_CENSUS__DELETION__MAX_DELETES": str(most)}):
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
    checks = [row for row in story.rows(DELETION_CHECKS, large) if row["outcome"] == "delete"]
    assert {row["group_id"] for row in checks if len(row["offsets"]) == 1} == set(DEAD[:most])


def test_the_next_run_keeps_to_max_deletes_while_a_broker_dies(story: Story, large: str) -> None:
    """It looks first at the groups without an outcome; missing answers are reported, and another run resolves them.

    The groups of the broker get other coordinators.
    """
    most, lost = WAVE + 600, 3
    limit = {"KAFKA_CENSUS__DELETION__MAX_DELETES": str(most)}
    killed = story.audit(large)

    def kill(request: Request) -> None:
        if request.api_key == DELETE_GROUPS and lost in story.cluster.alive:
            story.cluster.kill_broker(lost)

    story.proxy.watch = kill
    try:
        first = story.run("apply", large, "--yes", **limit)
    finally:
        story.proxy.watch = None
    assert lost not in story.cluster.alive
    assert first.code in (0, 3), first.err[-3000:]
    assert '"event": "deleted"' in first.err
    looked = {outcomes[0] for name, outcomes in story.audit(large).items() if name in DEAD[WAVE : WAVE + 300]}
    # Some groups of the interrupted wave were deleted; the others still existed.
    assert ("gone", 69, True) in looked <= {("gone", 69, True), ("still_there", 0, False)}
    last = story.run("apply", large, "--yes", **limit)
    assert (last.code, last.error) == (0, ""), last.err[-3000:]
    assert f"{len(DEAD) - most:,} were not tried: deletion.max_deletes is {most:,}" in last.out
    audit = story.audit(large)
    assert {name: audit[name] for name in killed} == killed
    ended = Counter(name for name, runs in audit.items() for outcome, _, _ in runs if outcome in ("deleted", "gone"))
    assert (len(ended), set(ended.values())) == (most, {1})
    assert story.there().intersection(DEAD) == set(DEAD) - set(ended)
