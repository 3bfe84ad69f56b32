"""Spark Connect like Databricks' serverless compute: pyspark-client alone, few settings, nothing persisted.

The client has no JVM and no py4j. Requests to brokers run in the client, computations on the server: that its census of
all tables is so is shown by emulator/test_truth_at_size.py. The notebooks run unchanged, on the names that Databricks
provides, on the lake of that world's incident (emulator/incident.py): one census of all tables, one published in the
middle of the incident, one refused.
"""

import json
import pickle
import re
import socket
from base64 import b64decode
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import Row

from emulator.commanding import running
from emulator.incident import LOST, RECOVERED, RULE, Incident
from harness.connect_client import CLIENT, Client
from harness.connect_lake import ConnectLake, configured, rows
from harness.connect_server import SCHEMA
from harness.large_world import BROKEN, BROKERS
from harness.with_pyspark import ROOT
from harness.world_truth import differences, published_rows, true_rows
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_emulator.replicas import NO_LEADER
from tools.notebook import PLOTS

NOTEBOOKS = sorted((ROOT / "notebooks").glob("0*.py"))
Frames = list[list[Row]]

pytestmark = pytest.mark.timeout(1800)
"""Jobs on a cold server, all in one fixture."""


def test_nothing_but_the_log_of_jobs_is_reported(on_connect: ConnectLake, client: Client) -> None:
    """One event per line: no stack trace for a lookup of a missing table, nor for a setting that is refused."""
    assert [line for line in on_connect.err if not line.startswith('{"')] == []
    assert [line for line in on_connect.err if json.loads(line)["level"] != "info"] == []
    assert [event for event in re.split(r"\n(?=\d\d/\d\d/\d\d )", client.log.read_text()) if _is_an_error(event)] == []
    assert client.log.read_text().count("\n") < 100  # messages of Spark's Python workers when the JVM closes them


def _is_an_error(event: str) -> bool:
    """Whether an event is an error or has a stack trace, and is not of Spark's own making.

    A client releases an execution when it has all of the answer; where Spark's sender has not yet looked whether its
    stream is finished, Spark calls the sender disconnected and logs that as an error.
    """
    return ("ERROR" in event or "\n\tat " in event) and "[INVALID_CURSOR.DISCONNECTED]" not in event


def test_the_client_has_fetched_where_it_should(on_connect: ConnectLake) -> None:
    assert {row["fetched_by"] for row in rows(on_connect.root / "landing" / "pages")} == {CLIENT}


def test_a_plan_keeps_what_one_census_does_not_prove_unused(on_connect: ConnectLake) -> None:
    """In the lake and in words: a group with offsets may only not have read since."""
    verdicts = Counter(row["verdict"] for row in on_connect.published(DELETABLE_GROUPS))
    deletable = verdicts.pop("deletable")
    (plan,) = rows(on_connect.root / "audit" / "deletion_plans")
    assert (plan["cluster"], plan["censuses"], plan["groups"]) == ("test", 1, deletable)
    assert f"Plan {plan['plan_id']}: delete {plan['to_delete']:,} groups of cluster test" in on_connect.plan
    for verdict, count in verdicts.items():
        assert f" {count:,}  kept: {verdict} by the last census" in on_connect.plan


def test_an_older_lake_has_the_columns_of_this_release_and_is_maintained(on_connect: ConnectLake) -> None:
    """Each of its tables, once: what is published and the audit are compacted, too."""
    older = on_connect.older
    fields = DeltaTable(str(older / "published" / QUOTAS.name)).schema().fields
    assert [field.name for field in fields] == QUOTAS.columns
    events = [json.loads(line) for line in on_connect.err]
    compacted = {
        f"{layer}/{path.name}" for layer in ("audit", "published") for path in (on_connect.older / layer).iterdir()
    }
    for kind in ("vacuumed", "optimized"):
        assert sorted(event["table"] for event in events if event["event"] == kind) == sorted(compacted)


def test_executors_collect_into_a_catalog(on_connect: ConnectLake, client: Client) -> None:
    tables, table = client.warehouse / f"{SCHEMA}.db", GROUP_COORDINATOR_PLACEMENT
    assert {row["fetched_by"] for row in rows(tables / "landing_pages")} == {socket.gethostname()} != {CLIENT}
    found = rows(tables / f"published_{table.name}")
    assert differences(published_rows(table, found), true_rows(table, on_connect.known)) == []


def test_a_folder_that_the_server_does_not_see_is_refused(client: Client) -> None:
    """One path is the client's folder here and another folder there: nothing is created in either."""
    config = configured(client, "unshared", {"root": "file:///proc/self/cwd/unshared"}, ["127.0.0.1:1"])
    _, err = client.jobs([["maintain", *config[:2], "--apply"]], codes=[2])
    assert err[-1].startswith(
        "error: lake.root file:///proc/self/cwd/unshared: the server of Spark Connect does not see this client's folder"
    )
    assert list(client.folder.glob(".kafka-census-*")) == []
    assert not (client.folder / "unshared").exists()


def test_a_notebook_that_installs_the_wheel_surveys_from_the_driver(client: Client) -> None:
    """Into a catalog, and its readers see the census: SQL on this machine, too, whose rows come through the server."""
    made = "from pyspark.sql import SparkSession; SparkSession.builder.getOrCreate().sql('CREATE SCHEMA {}')"
    lake, notebook = "spark_catalog.installed", str(ROOT / "notebooks" / "install_and_survey.py")
    assert client.run("-c", made.format(lake)).returncode == 0
    with running("--scenario", "calm") as (_, servers):
        words = ["notebook", notebook, f"bootstrap_servers={','.join(servers)}", f"lake={lake}"]
        few = replace(client, environment={**client.environment, "KAFKA_CENSUS__TABLES": QUOTAS.name})
        ran = few.run("-m", "harness.client_jobs", json.dumps(words))
    assert ran.returncode == 0, ran.stderr[-3000:]
    [[fresh]] = pickle.loads(b64decode(json.loads(ran.stdout)["out"]))  # noqa: S301 - of our own process
    assert (fresh.cluster, fresh.newer_state) == ("prod", None), ran.stderr
    query = "SELECT census_id, count(*) > 0 AS any FROM current_quotas GROUP BY ALL"
    words = ["-m", "kafka_census", "sql", "--format", "csv", "-e", query]
    reading = replace(client, environment={**client.environment, "KAFKA_CENSUS__LAKE__CATALOG": lake})
    found = reading.run(*words)
    assert (found.returncode, found.stdout) == (0, f"census_id,any\n{fresh.census_id},true\n"), found.stderr


Shown = Mapping[str, Frames]


@pytest.fixture(scope="module")
def shown(after_incident: Incident, client: Client) -> Shown:
    """The frames that the notebooks display, by number, some of them for several values of widgets.

    Each begins with how fresh the shown census is, which is left out.
    """
    lake = Path(after_incident.lake)
    first = min(row["published_at"] for row in rows(lake / "audit" / "publications"))
    runs = {
        **{str(number): [] for number in (1, 3, 4, 5, 6)},
        "2": ["group=group-"],
        "4 of a time": ["before=2020-01-01", f"during={first.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}"],
    }
    before = files(lake)
    paths = {name: str(NOTEBOOKS[int(name[0]) - 1]) for name in runs}
    ended, _ = client.jobs([["notebook", paths[name], f"lake={lake}", *given] for name, given in runs.items()])
    assert files(lake) == before
    found: Shown = {
        name: pickle.loads(b64decode(one["out"]))  # noqa: S301 - of our own process
        for name, one in zip(runs, ended, strict=True)
    }
    assert all(row.census_id for frames in found.values() for row in frames[0])
    return {name: frames[1:] for name, frames in found.items()}


def files(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


@pytest.mark.usefixtures("shown")
def test_every_notebook_has_its_plots(client: Client) -> None:
    made = [sorted((client.folder / PLOTS / path.stem).iterdir()) for path in NOTEBOOKS]
    assert [[plot.stat().st_size > 5000 for plot in plots] for plots in made] == [
        [True] * n for n in (1, 1, 1, 1, 3, 1)
    ]


def test_first_look(shown: Shown, after_incident: Incident) -> None:
    published, wrong, by_status, worst = shown["1"]
    partitions = after_incident.now["under_min_isr_partitions"]
    refusing = {(row["topic"], row["partition"]) for row in partitions if not row["ready_for_acks_all"]}
    statuses = Counter(row["status"] for row in partitions)
    hanging = [row["verdict"] for row in after_incident.now["hanging_transactions"]]
    found = {row.problem: (row.found, row.not_known) for row in wrong}
    assert all(row.is_complete for row in published)
    assert statuses["OFFLINE"] + statuses["UNDER"] == len(refusing)
    assert (found["offline"], found["under_min_isr"]) == ((statuses["OFFLINE"], 0), (statuses["UNDER"], 0))
    assert found["under_replicated"] == (statuses["AT"] + statuses["UNDER_REPLICATED"], 0)
    assert found["log_dir_offline"] == (1, 0)
    assert found["unreachable"] == (0, 0)
    assert found["hanging"] == (hanging.count("hanging"), hanging.count("unknown"))
    assert {row.status: row.partitions for row in by_status} == statuses
    assert by_status[0].status == "OFFLINE"
    assert {(row.topic, row.partition) for row in worst} == refusing


def test_who_coordinates_my_group(shown: Shown, after_incident: Incident) -> None:
    """The first hundred groups are shown; a group waits where no other replica of its partition is in sync."""
    known, topic = after_incident.during, "__consumer_offsets"
    names = sorted(group.group_id for group in known.groups if "group-" in group.group_id)[:100]
    of = {name: known.world.groups.partition_of(name) for name in names}
    stuck = {
        row["partition"]
        for row in after_incident.now["under_min_isr_partitions"]
        if row["topic"] == topic and not row["ready_for_acks_all"]
    }
    placed, commits, heirs, load = shown["2"]
    led = {name: known.states[topic, partition] for name, partition in of.items()}
    assert [(row.group_id, row.found_coordinator, row.agreement) for row in placed] == [
        (name, state.leader, "agree") for name, state in led.items()
    ]
    assert {row.group_id: row.can_commit for row in commits} == {name: of[name] not in stuck for name in names}
    assert {row.can_commit for row in commits} == {True, False}
    heir = {
        name: [one for one in state.replicas if one in state.isr and one != state.leader] for name, state in led.items()
    }
    assert {row.group_id: row.takes_over for row in heirs} == {name: (*heir[name], None)[0] for name in names}
    assert {name for name in names if not heir[name]} == {row.group_id for row in commits if not row.can_commit}
    assert sum(row.groups for row in load) == len(known.groups)


def test_why_was_it_refused(shown: Shown, after_incident: Incident) -> None:
    events, against, missing, wrong, found = shown["3"]
    offline = {
        f"topic={topic}, partition={index}"
        for (topic, index), state in after_incident.after.states.items()
        if state.leader == NO_LEADER
    }
    assert events[-1].event == "refused"
    assert [row.failed_rows for row in against if row.rule == RULE] == [len(offline)]
    assert {row.kind for row in against} == {"completeness", "expectation"}
    assert BROKEN in {row.broker_id for row in missing}
    assert {row.row_key for row in wrong if row.rule == RULE} == offline
    [row] = [row for row in found if row.status == "OFFLINE"]
    assert row.refused == len(offline) > row.current > 0


def test_incident_review(shown: Shown) -> None:
    development, changed, moved, runs = shown["4"]
    assert len({row.census_id for row in development}) == 2
    assert {row.topic for row in changed if row.during == "OFFLINE"} == set(LOST)
    assert {row.topic for row in changed if row.during == "OK"} >= set(RECOVERED)
    assert moved == []
    assert [row.ended_as for row in runs] == ["refused", "published", "published"]


def test_incident_review_of_a_time(shown: Shown, after_incident: Incident) -> None:
    """Before the first census there was nothing, so every partition appeared with it."""
    _, changed, moved, _ = shown["4 of a time"]
    assert {row.before for row in changed} == {None}
    assert len(changed) == len(after_incident.before.known.states)
    assert len(moved) == len(after_incident.before.known.groups)


def test_capacity_and_skew(shown: Shown, after_incident: Incident) -> None:
    brokers, disks, growth, load = shown["5"]
    true = {row["broker_id"]: row for row in after_incident.now["brokers"]}
    assert {row.broker_id: (row.replicas, row.leaders) for row in brokers} == {
        broker: (row["replicas"], row["leaders"]) for broker, row in true.items()
    }
    assert [(row.broker_id, row.state) for row in disks if row.state != "online"] == [(BROKEN, "offline")]
    assert {row.broker_id for row in growth} == set(range(1, BROKERS + 1)) - {BROKEN}
    assert all(row.grew and row.bytes_per_day for row in growth)
    assert {row.broker_id: row.groups for row in load} == {
        row["broker_id"]: row["groups"] for row in after_incident.now["coordinator_load"]
    }


def test_clean_up_candidates(shown: Shown, after_incident: Incident) -> None:
    verdicts, candidates, left_over, unread = shown["6"]
    groups = after_incident.now["deletable_groups"]
    lag, partitions = (after_incident.now[name] for name in ("consumer_lag", "under_min_isr_partitions"))
    read = {row["topic"] for row in lag}
    assert {(row.verdict, row.group_type): row.groups for row in verdicts} == Counter(
        (row["verdict"], row["group_type"]) for row in groups
    )
    assert {row.group_id for row in candidates} == {row["group_id"] for row in groups if row["deletable"]} != set()
    assert left_over == []
    assert {row.topic: row.partitions for row in unread} == Counter(
        row["topic"] for row in partitions if not row["is_internal"] and row["topic"] not in read
    )
    assert {row.groups_not_read for row in unread} == {0}
