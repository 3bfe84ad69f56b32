"""Dead groups are deleted from real brokers, by plan; what lives is left, and what was deleted can come back.

The tests are one story, in this order: a plan; a small one applied by a principal that may not delete
all; 5,000 deletions and their undo; a plan applied by a process that is killed, then while a broker is.
"""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

import pytest
from confluent_kafka import Consumer, TopicPartition
from pyspark.sql import functions as F

from e2e.operator import Operator, Ran
from harness import workload
from harness.broker import Listener
from harness.kafka_cluster import PLAINTEXT, KafkaCluster
from harness.oracle import ask
from harness.proxy import CountingProxy, Request
from harness.submitted import driver_of, submit, write_spark_conf
from kafka_census.tables.consumer_lag import CONSUMER_LAG
from kafka_census.tables.deletable_groups import DELETABLE_GROUPS
from kafka_census.tables.deletions import DELETION_CHECKS, DELETION_PLAN_GROUPS, DELETION_PLANS, DELETIONS
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT

DELETE_GROUPS, OFFSET_COMMIT = 42, 8
PASSWORD = "canary-77ab"
NARROW = {
    "security_protocol": "SASL_PLAINTEXT",
    "sasl": {"mechanism": "PLAIN", "username": "narrow", "password": {"env": "CENSUS_PASSWORD"}},
}
DEAD = tuple(f"dead-{number:04d}" for number in range(5000))
FEW = ("left", "joins", "mover", "denied-1", "denied-2")
RULES = {
    "KAFKA_CENSUS__DELETION__EMPTY_FOR": "1s",
    "KAFKA_CENSUS__DELETION__CENSUSES": "2",
    "KAFKA_CENSUS__DELETION__MAX_DELETES": "10000",
}
WAVE = 1500
"""Groups of a wave: 500 for each of three brokers."""


@dataclass
class Story:
    """What the tests share: the cluster, its proxy, the operator, and the last plan."""

    cluster: KafkaCluster
    proxy: CountingProxy
    operator: Operator

    def plan(self, *protect: str) -> str:
        """Make a plan; its id."""
        protected = {"KAFKA_CENSUS__DELETION__PROTECT": ",".join(protect)} if protect else {}
        ran = self.operator.run("delete_groups plan", **RULES, **protected)
        assert (ran.code, ran.error) == (0, ""), ran.err[-3000:]
        return str(self.operator.rows(DELETION_PLANS).agg(F.max("plan_id")).collect()[0][0])

    def run(self, step: str, plan_id: str, *more: str, **environment: str) -> Ran:
        """Run a step of that plan; what it asked is in `sent`."""
        self.proxy.clear()
        return self.operator.run(f"delete_groups {step}", "--plan", plan_id, *more, **RULES | environment)

    def sent(self, api_key: int) -> list[Request]:
        """What our client sent since the last run began."""
        return [one for one in self.proxy.requests if (one.client_id, one.api_key) == ("kafka-census", api_key)]

    def audit(self, plan_id: str, step: str = "apply") -> dict[str, list[tuple[str, int, bool]]]:
        """By group: (outcome, code, whether it was sent), run by run."""
        rows = self.operator.rows(DELETIONS).where((F.col("plan_id") == plan_id) & (F.col("step") == step))
        found: dict[str, list[tuple[str, int, bool]]] = {}
        for row in rows.orderBy("run_id").collect():
            found.setdefault(row.group_id, []).append((row.outcome, row.error_code, row.sent))
        return found

    def there(self) -> set[str]:
        """The groups that Kafka's own client lists."""
        return {row["group_id"] for row in ask(self.cluster.admin_servers, "group")}


@pytest.fixture(scope="module")
def story(operator: Callable[..., Operator]) -> Iterator[Story]:
    """Thousands of dead groups and some others, in two censuses; the topic went on in between, and so did `alive`."""
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
        workload.commit_offsets(servers, [*FEW, *DEAD], "orders", offset=1)
        workload.commit_offset(servers, "noted", "orders", 3, leader_epoch=0)
        workload.read_from_start(servers, "share-left", "orders")
        made = replace(
            operator(cluster.bootstrap_servers, "deletions"),
            tables=(GROUP_COORDINATOR_PLACEMENT, CONSUMER_LAG, DELETABLE_GROUPS),
        )
        for offset in (1, 2):
            assigned(servers, "alive", offset)
            ran = made.run("census", "--no-report")
            assert (ran.code, ran.error) == (0, ""), ran.err[-3000:]
            workload.produce(servers, "orders", 20_000)
        yield Story(cluster, proxy, made)


def assigned(servers: str, group: str, offset: int) -> None:
    """A consumer that has assigned its partition itself commits."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": group, "enable.auto.commit": False})
    try:
        consumer.assign([TopicPartition("orders", 0, offset)])
        consumer.commit(offsets=[TopicPartition("orders", 0, offset)], asynchronous=False)
    finally:
        consumer.close()


@pytest.fixture(scope="module")
def small(story: Story) -> str:
    """A plan of the few groups."""
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
    assert rows["share-left"].because == "cannot_be_restored"
    assert "alive" not in rows
    left = rows["left"]
    assert (left.risk, left.group_state, left.committed_partitions, left.topics) == (3, "Empty", 1, 1)
    assert [(one.topic, one.partition, one.committed_offset) for one in left.offsets] == [("orders", 0, 1)]
    assert left.lag > 0
    found = {row["key"]: row["node_id"] for row in ask(story.cluster.admin_servers, "group_coordinator")}
    assert {name: rows[name].coordinator for name in planned} == {name: found[name] for name in planned}


def test_without_yes_nothing_is_sent(story: Story, small: str) -> None:
    """Not even a question."""
    ran = story.run("apply", small)
    assert (ran.code, ran.error) == (0, "")
    assert "would delete 6 groups" in ran.out
    assert "nothing was sent; --yes does it" in ran.out
    assert story.proxy.requests == []


def test_another_cluster_behind_the_name_is_refused(story: Story, small: str, kafka: KafkaCluster) -> None:
    """Exit code 2, and nothing is deleted."""
    other = replace(story.operator, servers=kafka.bootstrap_servers)
    ran = other.run("delete_groups apply", "--plan", small, "--yes", **RULES)
    assert ran.code == 2
    assert f"plan {small} is for cluster id {story.cluster.cluster_id}, but {kafka.cluster_id} answers" in ran.error
    assert small not in {row.plan_id for row in story.operator.rows(DELETIONS).select("plan_id").collect()}


def narrowed(story: Story) -> Story:
    """The same as the principal `narrow`."""
    operator = replace(story.operator, servers=story.cluster.bootstrap("SASL"), settings=NARROW)
    return replace(story, operator=operator)


def test_what_lives_is_kept_and_what_is_refused_is_told(story: Story, small: str) -> None:
    """A member joined, offsets moved, DELETE is not granted: the others go, and a later run does what is left."""
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
        f"error: 2 groups of plan {small} are not deleted: 2 GROUP_AUTHORIZATION_FAILED (books/deletions has each); "
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


def test_five_thousand_are_deleted_in_one_run_and_come_back(story: Story) -> None:
    """At most 500 a request, progress meanwhile; offsets are what Kafka's own client saw before; a new life is left."""
    servers = story.cluster.admin_servers
    workload.commit_offset(servers, "noted", "orders", 3, leader_epoch=0)
    before = offsets_of(servers)
    plan_id = story.plan("joins", "mover", "denied-*", "left")
    ran = story.run("apply", plan_id, "--yes")
    assert (ran.code, ran.error) == (0, ""), ran.err[-3000:]
    assert f"{len(DEAD) + 1:,}  deleted" in ran.out
    assert Counter(one for outcomes in story.audit(plan_id).values() for one in outcomes) == {
        ("deleted", 0, True): len(DEAD) + 1
    }
    assert story.there().isdisjoint(DEAD)
    requests = story.sent(DELETE_GROUPS)
    assert max(one.body.count(b"dead-") for one in requests) <= 500
    assert len(requests) <= 2 * 3 * -(-len(DEAD) // WAVE)
    assert ran.err.count('"event": "deleted"') == -(-(len(DEAD) + 1) // WAVE)

    told = story.run("undo", plan_id)
    assert f"restore the offsets of {len(DEAD) + 1:,} groups" in " ".join(told.out.split())
    assert story.proxy.requests == []
    workload.commit_offsets(servers, [DEAD[0]], "orders", offset=9)
    undone = story.run("undo", plan_id, "--yes")
    assert (undone.code, undone.error) == (0, ""), undone.err[-3000:]
    after = offsets_of(servers)
    assert [row["committed_offset"] for row in after.pop(DEAD[0])] == [9]
    del before[DEAD[0]]
    assert {name: after[name] for name in (*DEAD[1:], "noted")} == {name: before[name] for name in (*DEAD[1:], "noted")}
    audit = story.audit(plan_id, "undo")
    assert audit.pop(DEAD[0]) == [("kept", 0, False)]
    assert Counter(one for outcomes in audit.values() for one in outcomes) == {("restored", 0, True): len(DEAD)}
    sent = len(story.sent(OFFSET_COMMIT))
    assert sent == len(DEAD)
    again = story.run("undo", plan_id, "--yes")
    assert (again.code, story.sent(OFFSET_COMMIT)) == (0, [])
    assert story.run("apply", plan_id, "--yes").code == 0
    assert story.sent(DELETE_GROUPS) == []


def offsets_of(servers: str) -> dict[str, list[dict[str, object]]]:
    """What Kafka's own client says of committed offsets, by group."""
    found: dict[str, list[dict[str, object]]] = {}
    for row in ask(servers, "group_offset"):
        found.setdefault(row["group_id"], []).append(dict(row))
    return found


@pytest.fixture(scope="module")
def large(story: Story) -> str:
    """A plan of all dead groups but the one that has offsets of its own by now."""
    return story.plan(DEAD[0], "noted", *FEW)


def test_a_run_that_is_killed_goes_on_and_keeps_to_max_deletes(story: Story, large: str, tmp_path: Path) -> None:
    """kill -9 while a coordinator is just asked to delete; the next run knows what it does not know."""
    most = 2 * WAVE + 100
    conf = write_spark_conf(tmp_path / "spark")
    limits = RULES | {"KAFKA_CENSUS__DELETION__MAX_DELETES": str(most)}
    config = str(story.operator.config)
    story.proxy.clear()
    with patch.dict(os.environ, limits):
        run = submit(conf, "delete_groups", "apply", "--config", config, "--cluster", "test", "--plan", large, "--yes")
    deadline = time.monotonic() + 120
    # A wave has six requests at most: the seventh is of the second one.
    while len(story.sent(DELETE_GROUPS)) < 7:
        assert run.poll() is None, run.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    os.kill(driver_of(run.pid, "delete_groups"), signal.SIGKILL)
    os.kill(run.pid, signal.SIGKILL)
    run.communicate(timeout=60)
    killed = story.audit(large)
    assert 0 < len(killed) < most
    ran = story.run("apply", large, "--yes", **limits)
    assert (ran.code, ran.error) == (0, ""), ran.err[-3000:]
    assert f"{len(DEAD) - 1 - most:,} were not tried: deletion.max_deletes is {most:,}" in ran.out
    audit = story.audit(large)
    assert len(audit) == most
    assert {len(outcomes) for outcomes in audit.values()} == {1}
    assert {outcomes[0] for outcomes in audit.values()} == {("deleted", 0, True), ("gone", 69, True)}
    assert set(audit).isdisjoint(story.there())
    assert set(DEAD) - set(audit) <= story.there()
    checks = story.operator.rows(DELETION_CHECKS).where((F.col("plan_id") == large) & (F.col("outcome") == "delete"))
    saved = checks.where(F.size("offsets") == 1).select("group_id").distinct().count()
    assert saved == most


def test_a_broker_that_dies_meanwhile_loses_nothing(story: Story, large: str) -> None:
    """Its groups get other coordinators; what was not answered is told, and a second run knows."""
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
    last = story.run("apply", large, "--yes")
    assert (last.code, last.error) == (0, ""), last.err[-3000:]
    assert set(DEAD) & story.there() == {DEAD[0]}
    ends = {name: outcomes[-1][0] for name, outcomes in story.audit(large).items()}
    assert set(ends) == set(DEAD[1:])
    assert set(ends.values()) <= {"deleted", "gone"}
    settled: Sequence[str] = [
        outcome
        for outcomes in story.audit(large).values()
        for outcome, _, _ in outcomes
        if outcome in ("deleted", "gone")
    ]
    assert len(settled) == len(DEAD) - 1
