"""What is lost while every other broker works: a disk, a broker that was decommissioned, a controller.

Of two brokers and three controllers, half of the internal partitions have their only replica on broker 2, on one of its
two disks. A disk's groups and transactions are in no listing then, without any error. A broker without replicas that
was stopped owes nothing, and is reported once after it is unregistered. Of a dead controller the new leader has not
heard.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from e2e.listing import await_partitions, partitions, rows_of
from e2e.operator import PUBLISH_INCOMPLETE, Operator, Ran
from harness import workload
from harness.broker import INTERNAL
from harness.kafka_cluster import KafkaCluster
from harness.oracle import command_line
from kafka_census.alerts import textfile
from kafka_census.declarations.audit import PUBLICATIONS, ROUTES, VERDICTS
from kafka_census.declarations.table import Table
from kafka_census.declarations.walks import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.config_drift.columns import CONFIG_DRIFT
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS

GONE = 2
BEFORE, HIT, HEALED, STOPPED, UNREGISTERED = range(5)
"""The censuses, in order."""

GROUPS = [f"group-{number:02}" for number in range(24)]
OF_THE_DISK = (
    GROUP_COORDINATOR_PLACEMENT,
    TRANSACTION_COORDINATOR_PLACEMENT,
    DELETABLE_GROUPS,
    UNDER_MIN_ISR_PARTITIONS,
    LOG_DIR_USAGE,
)
"""The tables of the first three censuses; `log_dir_usage` is made of `brokers`, which is in all of them."""

TROUBLE = "offline,under_min_isr,unreachable,under_replicated,voters_behind,incomplete,not_known"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Losses:
    """Five censuses in one lake.

    lost     the partitions on the disk, by internal topic
    refused  the result of the second census under the default policy, before it was published explicitly
    ids      the ids of the censuses
    copies   the number of replicas on the disk that are not the only ones
    figures  the figures for Prometheus after each of the first three censuses, by the end of their names
    dead     the controller that was the leader
    last     the result of the last census, which looks for voters that are behind
    """

    lost: Mapping[str, list[int]]
    refused: Ran
    ids: list[str]
    copies: int
    figures: list[Mapping[str, float]]
    dead: int
    last: Ran
    census: Operator

    def of(self, table: Table, *censuses: int) -> list[Row]:
        """The rows of some of the censuses, in their order."""
        ids = [self.ids[number] for number in censuses]
        rows = [row for row in self.census.stored(table) if row["census_id"] in ids]
        return sorted(rows, key=lambda row: str(row["census_id"]))


@pytest.fixture(scope="module")
def lost(operator: Callable[..., Operator]) -> Losses:
    """Take the censuses; all but the second are published under the default policy."""
    quick = {"replica.high.watermark.checkpoint.interval.ms": 500}
    with KafkaCluster(brokers=2, controllers=3, heap="256m", log_dirs=2, properties=quick) as cluster:
        servers = cluster.admin_servers
        as_made = {"cleanup_policy": "compact", "compression_type": "producer"}
        workload.create_topic(servers, "orders", assignment=[[1]])
        workload.create_topic(servers, OFFSETS_TOPIC, assignment=[[1], [GONE]] * 4, **as_made)
        workload.create_topic(servers, TRANSACTIONS_TOPIC, assignment=[[GONE]] * 4, **as_made)
        workload.create_topic(servers, "copied", assignment=[[1, GONE]] * 6)
        workload.commit_offsets(servers, GROUPS, "orders")
        census = replace(operator(cluster.bootstrap_servers, "losses"), tables=(*OF_THE_DISK, QUORUM))
        figures = [published(census, "--fail-on", TROUBLE)]

        data = cluster.brokers[GONE].folder / "data1"
        on_it = {
            topic: sorted(int(folder.name.rpartition("-")[2]) for folder in data.glob(f"{topic}-*"))
            for topic in (OFFSETS_TOPIC, TRANSACTIONS_TOPIC)
        }
        copies = len([*data.glob("copied-*")])
        away = data.rename(data.with_name("away"))
        until_led(servers, on_it, led=False)
        census.tables = OF_THE_DISK
        refused = taken(census)
        figures.append(reported_figures(census))
        assert census.run("publish", **PUBLISH_INCOMPLETE).code == 0
        cluster.stop_broker(GONE)
        away.rename(data)
        cluster.start_broker(GONE)
        until_led(servers, on_it, led=True)
        await_partitions(servers, lambda _, one: len(one.isrs) == len(one.replicas))
        figures.append(published(census))

        empty(servers)
        cluster.stop_broker(GONE)
        census.tables = (*OF_THE_DISK, CONFIG_DRIFT)
        published(census)
        alive = cluster.brokers[1].address(INTERNAL)
        command_line(alive, "org.apache.kafka.tools.ClusterTool", "--id", str(GONE), step="unregister")
        dead = leader(alive)
        assert dead in cluster.controllers
        cluster.kill_controller(dead)
        deadline = time.monotonic() + 60
        while leader(alive) in (dead, -1):
            assert time.monotonic() < deadline, "no other controller is elected"
            time.sleep(0.1)
        census.tables = (LOG_DIR_USAGE, CONFIG_DRIFT, QUORUM)
        last = census.run("census", "--fail-on", "voters_behind")
    ids = sorted({row["census_id"] for row in census.stored(PUBLICATIONS)})
    return Losses(on_it, refused, ids, copies, figures, dead, last, census)


def taken(census: Operator, *arguments: str) -> Ran:
    """A census under the default policy, which refuses missing reads and writes its figures."""
    folder = {"KAFKA_CENSUS__ALERTS__PROMETHEUS_FOLDER": str(census.folder)}
    return census.run("census", "--no-report", *arguments, **folder)


def published(census: Operator, *arguments: str) -> Mapping[str, float]:
    ran = taken(census, *arguments)
    assert (ran.code, ran.error) == (0, "")
    return reported_figures(census)


def reported_figures(census: Operator) -> Mapping[str, float]:
    """The figures of the last census, without what all names begin with."""
    read = textfile.read(textfile.path_of(str(census.folder), "test"))
    return {name.removeprefix("kafka_census_"): figure for name, figure in read.items()}


def leader(server: str) -> int:
    """The active controller; -1 while there is none."""
    return next((row["leader_id"] for row in rows_of(server, "DescribeQuorum", "quorum")), None) or -1


def empty(servers: str) -> None:
    """Move the replicas of a broker away, as an operator would who decommissions it."""
    held = [where for where, one in partitions(servers).items() if GONE in one.replicas]
    assert held
    workload.reassign(servers, {where: [1] for where in held})
    await_partitions(servers, lambda _, one: GONE not in one.replicas)


def until_led(servers: str, lost: Mapping[str, list[int]], *, led: bool) -> None:
    on_it = {(topic, number) for topic, numbers in lost.items() for number in numbers}
    await_partitions(servers, lambda at, one: at not in on_it or (one.leader != -1) == led)


def reported(lost: Losses, topic: str, what: str) -> str:
    named = ", ".join(map(str, lost.lost[topic]))
    if len(lost.lost[topic]) == 1:
        return f"partition {named} of {topic} has no leader: its {what} are in no answer"
    return f"partitions {named} of {topic} have no leader: their {what} are in no answer"


def test_the_lost_disk_raises_alerts_that_end_with_its_return(lost: Losses) -> None:
    """Every broker is alive: the disk itself and the replicas that lack their copies on it are the only symptoms."""
    names = ("log_dir_offline", "under_replicated", "offline")
    on_it = sum(map(len, lost.lost.values()))
    assert lost.copies > 0
    assert [tuple(figures[name] for name in names) for figures in lost.figures] == [
        (0, 0, 0),
        (1, lost.copies, on_it),
        (0, 0, 0),
    ]


def test_the_partitions_are_missing_reads_of_what_lists_their_groups_and_transactions(lost: Losses) -> None:
    assert all(lost.lost.values())
    assert lost.refused.code == 3
    reasons = {
        "ListGroups": reported(lost, OFFSETS_TOPIC, "groups"),
        "ListTransactions": reported(lost, TRANSACTIONS_TOPIC, "transactions"),
    }
    assert reasons["ListGroups"] in lost.refused.error
    hurt = {row["table_name"]: row for row in lost.of(PUBLICATIONS, HIT)}
    missing = {
        name: {(one["rpc"], one["broker_id"], one["error"], one["reason"]) for one in row["missing"]}
        for name, row in hurt.items()
    }
    of = {rpc: {(rpc, None, "LEADER_NOT_AVAILABLE", reason)} for rpc, reason in reasons.items()}
    lacking = {
        GROUP_COORDINATOR_PLACEMENT.name: of["ListGroups"],
        TRANSACTION_COORDINATOR_PLACEMENT.name: of["ListTransactions"],
        DELETABLE_GROUPS.name: of["ListGroups"],
    }
    assert missing == {name: set() for name in hurt} | lacking
    assert {name for name, row in hurt.items() if not row["is_complete"]} == set(lacking)


def test_groups_that_could_not_be_listed_keep_their_history(lost: Losses) -> None:
    first, hurt, healed = (
        {row["group_id"]: row for row in lost.of(DELETABLE_GROUPS, number)} for number in (BEFORE, HIT, HEALED)
    )
    listed = {row["group_id"] for row in lost.of(GROUP_COORDINATOR_PLACEMENT, HIT)}
    unlisted = set(GROUPS) - listed
    assert unlisted
    assert listed < set(GROUPS) == hurt.keys()
    for name in unlisted:
        row = hurt[name]
        assert row["verdict"] == "unknown"
        assert row["reason"] == f"it could not be listed: {reported(lost, OFFSETS_TOPIC, 'groups')}"
        assert (row["empty_since"], row["censuses_empty"]) == (first[name]["empty_since"], 1)
    for name in GROUPS:
        assert healed[name]["empty_since"] == first[name]["empty_since"]
        assert healed[name]["censuses_empty"] == (2 if name in unlisted else 3)


def warned(lost: Losses, rule: str) -> list[Row]:
    rows = lost.of(VERDICTS, BEFORE, HEALED, STOPPED, UNREGISTERED)
    found = [row for row in rows if (row["rule"], row["outcome"]) == (rule, "warn")]
    return [row for row in found if f"broker_id={GONE}" in row["failing_keys"]]


def test_a_stopped_broker_without_replicas_owes_no_page_and_its_rows_say_what_to_do(lost: Losses) -> None:
    """It is fenced, and nothing is missing."""
    rows = lost.of(PUBLICATIONS, BEFORE, HEALED, STOPPED, UNREGISTERED)
    assert {(row["is_complete"], len(row["missing"])) for row in rows} == {(True, 0)}
    owed = [row for row in lost.of(ROUTES, *range(len(lost.ids))) if row["broker_id"] == GONE]
    assert {row["census_id"] for row in owed} == {lost.ids[BEFORE], lost.ids[HIT], lost.ids[HEALED]}
    reason = (
        f"broker {GONE} was not asked: it is fenced and holds no replica; if it was decommissioned: kafka-cluster.sh "
        f"unregister --bootstrap-server HOST:PORT --id {GONE}"
    )
    [dirs] = [row for row in lost.of(LOG_DIR_USAGE, STOPPED) if row["broker_id"] == GONE]
    assert (dirs["state"], dirs["reason"]) == ("not_read", reason)
    unread = [row for row in lost.of(CONFIG_DRIFT, STOPPED) if row["kind"] == "not_read"]
    assert [(row["resource_type"], row["resource_name"], row["reason"]) for row in unread] == [
        ("broker", str(GONE), reason)
    ]
    [fenced] = warned(lost, "fenced_broker_has_replicas")
    assert (fenced["census_id"], fenced["failing_keys"]) == (lost.ids[STOPPED], [f"broker_id={GONE}"])
    assert "kafka-cluster.sh unregister" in fenced["message"]


def test_a_broker_that_is_gone_is_a_row_and_a_warning(lost: Losses) -> None:
    """In the census directly after the last one that knew the broker; no row is as if it had not answered."""
    assert GONE not in {row["broker_id"] for row in lost.of(LOG_DIR_USAGE, UNREGISTERED)}
    assert "not_read" not in {row["kind"] for row in lost.of(CONFIG_DRIFT, UNREGISTERED)}
    rows = [row for row in lost.of(BROKERS, *range(len(lost.ids))) if row["broker_id"] == GONE]
    states = ("alive", "alive", "alive", "fenced", "gone")
    assert [(row["census_id"], row["state"]) for row in rows] == list(zip(lost.ids, states, strict=True))
    [gone] = warned(lost, "broker_is_still_seen")
    assert gone["census_id"] == lost.ids[UNREGISTERED]
    assert "not seen any more" in gone["message"]


def test_a_dead_controller_is_reported_and_fails_a_run_that_asks_for_it(lost: Losses) -> None:
    """One line names the voter, and the exit code is that of a problem."""
    voters = {row["replica_id"]: row for row in lost.of(QUORUM, UNREGISTERED) if row["role"] == "voter"}
    told = [voters[lost.dead][name] for name in ("caught_up", "log_end_offset", "reason")]
    assert told == [None, None, "the leader has not heard from it"]
    assert f"1 voter of the metadata quorum is not known to be caught up: {lost.dead}" in lost.last.out
    assert "nothing is wrong" not in lost.last.out
    assert (lost.last.code, lost.last.error.rpartition(": ")[2]) == (4, "1 voters_behind")
