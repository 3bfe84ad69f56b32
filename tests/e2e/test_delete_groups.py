"""Dead groups are deleted from real brokers, by plan; live groups are kept, and deleted groups can be restored.

The tests are one story of one plan, in this order: it is applied by a principal that may not delete all, by a run that
dies in the middle of a wave, as a broker does, and by one that ends; then it is undone. The history is a real census
after a planted one, whose rows are those of a census before records were added to the topic.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
from pyspark.sql import DataFrame

from e2e.operator import Operator, Ran, plain
from emulator.deleting import Died
from harness import small_lake, workload
from harness.broker import Listener
from harness.kafka_cluster import PLAINTEXT, KafkaCluster
from harness.oracle import ask
from harness.proxy import CountingProxy, Request
from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS
from kafka_census.declarations.deletions import DELETION_CHECKS, DELETION_PLAN_GROUPS, DELETION_PLANS, DELETIONS
from kafka_census.declarations.table import Table
from kafka_census.deletion import waves
from kafka_census.lake.lake import Lake
from kafka_census.lake.store import append
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT

DELETE_GROUPS, OFFSET_COMMIT = 42, 8
LOST = 2
"""The broker that dies; it is no controller."""

PASSWORD = "canary-77ab"
A_REQUEST = 10
"""The number of groups of a request to a broker here; a wave is one request to each of the two."""
WAVE, SECOND, THIRD, LEFT = 2 * A_REQUEST, 8, 8, 4
"""The number of groups of a wave, of the two that follow, and of those for which the limit leaves no room."""

ODD = ("denied-1", "denied-2", "joins", "left", "mover", "noted")
GONE = {"left", "noted"}
STALE = tuple(f"stale-{number:02d}" for number in range(WAVE - len(ODD) + SECOND + THIRD + LEFT))
"""The groups of which nothing is to be told: the last ones of a plan, by their names."""

IN_WAVE = STALE[: WAVE - len(ODD)]
IN_SECOND = STALE[len(IN_WAVE) : len(IN_WAVE) + SECOND]
DELETED = len(IN_WAVE) + len(GONE)
"""The number of groups of the first wave that are deleted."""

RULES = {
    "KAFKA_CENSUS__DELETION__EMPTY_FOR": "1s",
    "KAFKA_CENSUS__DELETION__CENSUSES": "2",
    "KAFKA_CENSUS__DELETION__PROTECT": "kept",
}


@dataclass
class Story:
    """What the tests share: the cluster, its proxy, the operator, and the plan."""

    cluster: KafkaCluster
    proxy: CountingProxy
    operator: Operator
    plan_id: str

    def run(self, step: str, *more: str, **environment: str) -> Ran:
        """Run a step of the plan; its requests are in `sent`."""
        self.proxy.clear()
        return self.operator.run(f"delete_groups {step}", "--plan", self.plan_id, *more, **RULES | environment)

    def apply(self, most: int) -> Ran:
        """Apply the plan as the principal `narrow`, so that at most so many of its groups are deleted."""
        own = replace(self.operator, servers=self.cluster.bootstrap("SASL"), settings=plain("narrow"))
        limit = {"CENSUS_PASSWORD": PASSWORD, "KAFKA_CENSUS__DELETION__MAX_DELETES": str(most)}
        ran = replace(self, operator=own).run("apply", "--yes", **limit)
        assert PASSWORD not in ran.out + ran.err
        return ran

    def sent(self, api_key: int) -> list[Request]:
        """The requests of our client since the last run began."""
        return [one for one in self.proxy.requests if (one.client_id, one.api_key) == ("kafka-census", api_key)]

    def audit(self, *steps: str) -> dict[str, tuple[tuple[str, int, bool], ...]]:
        """(outcome, code, sent) of each run, by group; the look of an apply comes before its outcomes."""
        found: dict[str, tuple[tuple[str, int, bool], ...]] = {}
        rows = [row for row in self.operator.stored(DELETIONS) if row["step"] in (steps or ("apply", "look"))]
        for row in sorted(rows, key=lambda row: (row["run_id"], row["step"] == "apply")):
            name, end = row["group_id"], (row["outcome"], row["error_code"], row["sent"])
            found[name] = (*found.get(name, ()), end)
        return found

    def there(self) -> set[str]:
        """The groups that Kafka's own client lists, also of a cluster that has lost a broker."""
        return {row["group_id"] for row in ask(self.cluster.admin_servers, "group")}


@pytest.fixture(scope="module")
def story(operator: Callable[..., Operator]) -> Iterator[Story]:
    """Dead groups and some others; after the planted census the topic and the group `alive` advanced."""
    with (
        patch.object(waves, "GROUPS_A_REQUEST", A_REQUEST),
        CountingProxy() as proxy,
        KafkaCluster(
            brokers=2,
            broker_only=(LOST,),
            listeners=(PLAINTEXT, Listener("SASL", "SASL_PLAINTEXT", ("PLAIN",))),
            users={"narrow": PASSWORD},
            authorizer=True,
            properties={"offsets.topic.replication.factor": 2, "offsets.topic.num.partitions": 12},
            proxies=proxy,
        ) as cluster,
    ):
        servers = cluster.admin_servers
        workload.create_topic(servers, "orders", 2, 2)
        workload.produce(servers, "orders", 20_000)
        groups = {"kept", *ODD, *STALE} - {"noted"}
        workload.commit_offsets(servers, groups, "orders", offset=1)
        workload.commit_offset(servers, "noted", "orders", 3, leader_epoch=0)
        made = replace(
            operator(cluster.bootstrap_servers, "deletions"), tables=(GROUP_COORDINATOR_PLACEMENT, DELETABLE_GROUPS)
        )
        plant(made, cluster.cluster_id, dict.fromkeys([*groups, "alive"], 1) | {"noted": 3})
        workload.commit_offsets(servers, ["alive"], "orders", offset=2)
        for job in (("census", "--no-report"), ("delete_groups plan",)):
            made.done(*job, **RULES)
        (plan,) = made.stored(DELETION_PLANS)
        yield Story(cluster, proxy, made, plan["plan_id"])


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
    small_lake.append(root, DELETABLE_GROUPS, rows, ["census_id"])
    of_test = ids | {"cluster": "test"}
    run = of_test | {"event": "published", "at": started, "tables": [DELETABLE_GROUPS.name]}
    small_lake.append(root, CENSUS_RUNS, [run])
    reported = of_test | {"table_name": DELETABLE_GROUPS.name, "is_complete": True, "visibility": "proven"}
    reported |= {"row_count": len(offsets), "warnings": 0, "published_at": started}
    small_lake.append(root, PUBLICATIONS, [reported])


def test_a_plan_has_what_is_dead_and_says_why_the_rest_is_kept(story: Story) -> None:
    """One whose consumer never joins it, as by assign(), always looks empty: it is no candidate, its offsets moved."""
    rows = {row["group_id"]: row for row in story.operator.stored(DELETION_PLAN_GROUPS)}
    planned = {name for name, row in rows.items() if row["action"] == "delete"}
    assert planned == {*ODD, *STALE}
    assert rows["kept"]["because"] == "protected"
    assert "alive" not in rows
    left = rows["left"]
    assert (left["risk"], left["group_state"], left["committed_partitions"]) == (3, "Empty", 1)
    assert (left["evidence"], left["censuses_empty"]) == (["empty", "left_behind"], 2)
    found = {row["key"]: row["node_id"] for row in ask(story.cluster.admin_servers, "group_coordinator")}
    assert {name: rows[name]["coordinator"] for name in planned} == {name: found[name] for name in planned}


def dies(frame: DataFrame, lake: Lake, table: Table, app_id: str) -> None:
    """Where the outcomes of the second wave are noted: its requests are sent, and nothing is written."""
    if app_id.endswith("/deletions/1"):
        frame.collect()
        raise Died
    append(frame, lake, table, app_id)


def test_what_lives_is_kept_and_a_run_that_dies_has_saved_what_it_sent(story: Story) -> None:
    """A member joined, offsets moved, DELETE is not granted; the others of the first wave are deleted.

    A broker dies at the requests of the second one, and the run before their outcomes are noted: its groups are
    announced, with their offsets. (kill -9 of a job: test_spark_submit.py.)
    """
    servers = story.cluster.admin_servers
    workload.allow(servers, "narrow", "DESCRIBE", "topic", "*")
    workload.allow(servers, "narrow", "DESCRIBE", "group", "*")
    for group in ("joins", "mover", *GONE):
        workload.allow(servers, "narrow", "DELETE", "group", group)
    workload.allow(servers, "narrow", "DELETE", "group", "stale-", prefix=True)
    workload.commit_offsets(servers, ["mover"], "orders", offset=2)

    def kill(request: Request) -> None:
        is_second = request.api_key == DELETE_GROUPS and any(name.encode() in request.body for name in IN_SECOND)
        if is_second and LOST in story.cluster.alive:
            story.cluster.kill_broker(LOST)

    with (
        workload.LiveGroups(servers, "orders", ["joins"], story.cluster.folder / "joins"),
        patch.object(waves.store, "append", dies),
        patch.object(story.proxy, "watch", kill),
        pytest.raises(Died),
    ):
        story.apply(DELETED + SECOND)
    assert LOST not in story.cluster.alive
    assert story.audit() == {
        **dict.fromkeys([*GONE, *IN_WAVE], (("deleted", 0, True),)),
        "joins": (("kept", 68, False),),
        "mover": (("kept", 0, False),),
        "denied-1": (("refused", 30, True),),
        "denied-2": (("refused", 30, True),),
    }
    checks = [row for row in story.operator.stored(DELETION_CHECKS) if row["outcome"] == "delete"]
    announced = {row["group_id"] for row in checks if len(row["offsets"]) == 1}
    assert announced == {"denied-1", "denied-2", *GONE, *IN_WAVE, *IN_SECOND}


def test_the_next_run_follows_groups_to_other_coordinators_and_keeps_to_max_deletes(story: Story) -> None:
    """It looks first at the groups without an outcome: those that the dead broker did not delete are deleted now."""
    before, there = story.audit(), story.there()
    most = DELETED + SECOND + THIRD
    ran = story.apply(most)
    assert ran.code == 3, ran.err[-3000:]
    assert ran.error == (
        f"error: 2 groups of plan {story.plan_id} are not deleted: 2 GROUP_AUTHORIZATION_FAILED (audit/deletions has "
        "each); where a group is refused, grant DELETE and DESCRIBE of it, then run this again"
    )
    assert f"{LEFT} were not tried: deletion.max_deletes is {most}" in ran.out
    audit = story.audit()
    assert {name for name, ends in before.items() if audit[name] != ends} == {"denied-1", "denied-2"}
    assert audit["denied-1"][-1] == audit["denied-2"][-1] == ("refused", 30, True)
    tried_again = (("still_there", 0, False), ("deleted", 0, True))
    ends = {name: tried_again if name in there else (("gone", 69, True),) for name in IN_SECOND}
    assert {name: audit[name] for name in IN_SECOND} == ends
    ended = Counter(name for name, runs in audit.items() for outcome, _, _ in runs if outcome in ("deleted", "gone"))
    assert (ended.keys(), set(ended.values())) == ({*GONE, *STALE[:-LEFT]}, {1})
    assert story.there() == {"alive", "kept", *ODD, *STALE} - ended.keys()
    rows = story.operator.stored(DELETIONS)
    marks = {(row["operator"].partition("@")[1], row["kafka_user"], row["cluster"]) for row in rows}
    assert marks == {("@", "narrow", "test")}


def test_undo_gives_back_what_is_still_absent(story: Story) -> None:
    """Offset, leader epoch and metadata as Kafka's own client saw them before; groups that exist again are kept."""
    servers = story.cluster.admin_servers
    gone = {*GONE, *STALE[:-LEFT]}
    workload.commit_offset(servers, "left", "orders", 9)
    reported = story.run("undo")
    assert f"would restore the offsets of {len(gone)} groups" in " ".join(reported.out.split())
    assert story.proxy.requests == []
    undone = story.run("undo", "--yes")
    assert (undone.code, undone.error) == (0, ""), undone.err[-3000:]
    now = {
        row["group_id"]: (row["committed_offset"], row["leader_epoch"], row["metadata"])
        for row in ask(servers, "group_offset")
    }
    as_before = dict.fromkeys(STALE, (1, None, ""))
    assert {name: now[name] for name in (*GONE, *STALE)} == as_before | {"left": (9, None, ""), "noted": (3, 0, "")}
    restored = dict.fromkeys(gone, (("restored", 0, True),))
    assert story.audit("undo") == restored | {"left": (("kept", 0, False),)}
    assert len(story.sent(OFFSET_COMMIT)) == len(gone) - 1
