"""Two emulated worlds whose difference is known, one broker unread in the second: `changes` is that difference.

The first census is cut off again and again: at a full disk, while the webhook is out of order, at a read-only one, and
between publication and record. Resumed each time, it is published once, with the rows that are so. Meanwhile nobody
answers. test_truth_at_size.py surveys a large world in every kind of trouble, with all tables.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from e2e.operator import PUBLISH_INCOMPLETE, Operator, Ran
from emulator.asking import serving
from emulator.deleting import Died
from harness.both_engines import comparable
from harness.disks import disk, full, read_only
from harness.known_world import KnownWorld
from harness.receiver import Receiver
from harness.world_truth import TRUE_TABLES, differences, published_rows, true_rows
from kafka_census.alerts import textfile
from kafka_census.clock import Clock
from kafka_census.declarations.alerts import ALERTS
from kafka_census.declarations.table import Table
from kafka_census.lake import table_writer
from kafka_census.lake.lake import Lake
from kafka_census.lake.runs import Runs
from kafka_census.reading.sql.difference import difference, published
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.tables.changes.columns import CHANGES
from kafka_census.tables.hanging_transactions.columns import HANGING_TRANSACTIONS
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.scram_users.columns import SCRAM_USERS
from kafka_emulator.__main__ import server_of
from kafka_emulator.scenario import Scenario
from kafka_emulator.world import World

GROUPS = [f"group-{number:02}" for number in range(12)]
UNREAD = 3
"""The broker that answers nothing in the second world."""

NOBODY = "127.0.0.1:1"

Change = tuple[str, str, str, str, str | None, str | None]
"""Subject, key, column_name, change, before, after."""
Rows = Sequence[Mapping[str, Any]]
CANARY = "canary-hunter2"
OPENED = {"incomplete": 7, "under_replicated": 1, "not_known": 2}
"""The states that the census of the second world opens, and how many there are of each."""


def first() -> dict[str, Any]:
    orders = {"name": "orders", "assignment": [[1, 2], [2, 1]], "configs": {"retention.ms": "1000"}, "log_end": 50_000}
    return {
        "brokers": {"count": 3, "configs_of": {1: {"num.io.threads": "9"}, UNREAD: {"num.io.threads": "10"}}},
        "topics": {
            "partitions": 0,
            "declared": [
                orders,
                {"name": "old", "assignment": [[1, 2]]},
                {"name": "moved", "assignment": [[1]], "states": [{"partition": 0, "adding": [2]}]},
                {"name": "moved-there", "assignment": [[1]], "states": [{"partition": 0, "adding": [UNREAD]}]},
            ],
        },
        "groups": {"count": 0, "offsets_partitions": 6, "declared": [_group(one, 49_990) for one in GROUPS]},
        "transactions": {"count": 0},
    }


def second() -> dict[str, Any]:
    """Later: something is otherwise, and broker 3 hangs up whenever it is asked."""
    world = first()
    orders, _, moved, there = world["topics"]["declared"]
    orders |= {"assignment": [[1, 2], [2, 1], [1, 2]], "configs": {"retention.ms": "2000"}}
    orders["states"] = [{"partition": 0, "isr": [1]}]
    del moved["states"], there["states"]
    # At the position of the old one: the emulator makes ids of topics from their positions.
    world["topics"]["declared"] = [orders, {"name": "new", "assignment": [[2, 1]]}, moved, there]
    world["brokers"]["configs_of"][1] = {"num.network.threads": "5"}
    world["groups"]["declared"] = [_group(one, 0) for one in GROUPS]
    return world | {"faults": [{"broker": UNREAD, "always": True, "do": "drop"}]}


def _group(name: str, offset: int) -> dict[str, Any]:
    offsets = [{"topic": "orders", "partition": at, "offset": offset} for at in (0, 1)]
    return {"id": name, "offsets": offsets}


@dataclass
class Story:
    """What became of a lake.

    census    its operator
    ran       how each job ended: three of the first census, nobody answering after the first, and the second census
    figures   for Prometheus, after each job
    told      the messages that the webhook took, as changes of states
    recorded  whether each census is, and what is published, after the death of the first census and after its end
    untrue    the differences between the first world and what was published of it
    """

    census: Operator
    ran: list[Ran]
    figures: list[Mapping[str, float]]
    told: list[dict[str, float]]
    recorded: list[tuple[list[bool], list[Mapping[str, Any]]]]
    untrue: list[str]


@contextmanager
def before(layer: str, doing: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """From right before the second commit to a layer, something holds until the job has ended."""
    save, commits = table_writer.save, 0
    with ExitStack() as held:

        def watched(writer: Any, lake: Lake, table: Table) -> None:
            nonlocal commits
            commits += table.layer == layer
            if commits == 2 and table.layer == layer:
                held.enter_context(doing())
            save(writer, lake, table)

        with patch.object(table_writer, "save", watched):
            yield
    assert commits >= 2


@pytest.fixture(scope="module")
def story(operator: Callable[..., Operator], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    folder = str(tmp_path_factory.mktemp("prometheus"))
    # The broker that hangs up is asked again by each walk.
    collect = {"collect_on": "driver", "max_attempts": 2, "retry_backoff_ms": 20}
    census = replace(operator("", "changes"), tables=(LOG_DIR_USAGE, CHANGES), collect=collect)
    lake, runs = Path(census.lake), Runs(census.spark, Lake(census.lake), Clock())
    one, two = (server_of(Scenario.model_validate(world)) for world in (first(), second()))
    ran: list[Ran] = []
    figures: list[Mapping[str, float]] = []
    recorded = []
    # The first message, and its second try, are answered with an error.
    with disk(lake) as is_disk, Receiver(answers=(500, 500, 200)) as receiver:
        environment = {
            "NO_PROXY": "127.0.0.1",
            "KAFKA_CENSUS__ALERTS__PROMETHEUS_FOLDER": folder,
            "KAFKA_CENSUS__ALERTS__WEBHOOK__URL": f"{receiver.url}?token={CANARY}",
            **PUBLISH_INCOMPLETE,
        }

        def run(servers: str, *resume: str) -> None:
            census.servers = servers
            ran.append(census.run("census", "--no-report", *resume, **environment))
            figures.append(textfile.read(textfile.path_of(folder, "test")))

        def record() -> None:
            published = PublishedLake(census.lake).publications.to_table().to_pylist()
            recorded.append(([one.ended for one in runs.of(("test",))], published))

        note = Runs.note

        def dies(self: Runs, of: Any, event: str, *rest: Any, **named: Any) -> None:
            if event == "published":
                raise Died
            note(self, of, event, *rest, **named)

        with serving(one):
            servers = one.bootstrap_servers
            with before("landing", lambda: full(lake, census.spark, is_disk=is_disk)):
                run(servers)
            run(NOBODY)
            with before("published", lambda: read_only(lake)):
                run(servers, "--resume")
            with patch.object(Runs, "note", dies), pytest.raises(Died):
                run(servers, "--resume")
            record()
            run(servers, "--resume")
            record()
        known, names = KnownWorld(one.world), {row["table_name"] for row in recorded[-1][1]}
        tables = [table for table in TRUE_TABLES if table.name in names]
        untrue = [
            line
            for table in tables
            for line in differences(published_rows(table, census.read(table.name)), true_rows(table, known))
        ]
        assert tables
        with serving(two):
            # The broker that is not read is no bootstrap server.
            run(",".join(two.bootstrap_servers.split(",")[: UNREAD - 1]))
        # The states in each message, and how many there are, 0 where one closed.
        accepted = receiver.received[len(receiver.answers) - 1 :]
        told = [{change["state"]: change["count"] for change in message["changes"]} for message in accepted]
        yield Story(census, ran, figures, told, recorded, untrue)


@pytest.fixture(scope="module")
def reported(story: Story) -> Rows:
    return story.census.read(CHANGES.name)


def warnings(ran: Ran) -> list[str]:
    lines = [json.loads(line) for line in ran.err.splitlines() if line.startswith("{")]
    return [line["event"] for line in lines if line["level"] == "warning"]


def test_a_census_that_is_cut_off_is_published_once_and_whole(story: Story) -> None:
    """Each time one line and exit code 1; nothing is twice, and nothing is lacking."""
    disk_full, _, disk_read_only, *_ = story.ran
    assert "the disk is full: " in disk_full.error
    assert disk_read_only.error.startswith(("error: the lake cannot be written", "error: the lock "))
    (died, published), (resumed, still_published) = story.recorded
    assert (died, resumed) == ([False], [True])
    assert published == still_published
    assert len({row["table_name"] for row in published}) == len(published)
    assert story.untrue == []


def test_what_was_not_accepted_is_told_by_the_next_run_and_no_exit_code_changes(story: Story) -> None:
    assert [ran.code for ran in story.ran] == [1, 1, 1, 0, 0], story.ran[-1].err[-3000:]
    assert [warnings(ran) for ran in story.ran] == [["webhook_not_notified"], [], [], [], []]
    assert "the webhook answered with status 500" in story.ran[0].err
    assert story.told == [{"failed": 1}, {"failed": 0}, OPENED]
    assert not any(CANARY in ran.out + ran.err for ran in story.ran)
    assert [one["kafka_census_last_run_exit_code"] for one in story.figures] == [1, 1, 1, 0, 0]
    succeeded = [one.get("kafka_census_last_success_timestamp_seconds", 0) for one in story.figures]
    assert 0 == succeeded[0] == succeeded[1] == succeeded[2] < succeeded[3] < succeeded[4]
    assert story.census.rows(ALERTS).count() == sum(map(len, story.told))
    log = Path(story.census.lake, "audit", "alerts", "_delta_log")
    assert len(list(log.glob("*.json"))) == len(story.told)


def without_addresses(rows: Rows) -> set[Change]:
    """And without sizes of logs: they and where brokers listen differ from one start of the emulator to the next."""
    found = [
        (*(row[name] for name in ("subject", "key", "column_name", "change")), before, row["after"])
        for row in rows
        for before in [row["before"] and re.sub(r"^\d+ (?=bytes left)", "", row["before"])]
        if row["column_name"] != "host"
    ]
    assert len(set(found)) == len(found)
    return set(found)


def test_changes_are_the_difference_of_the_two_worlds(reported: Rows) -> None:
    """All differences, and nothing else, none of them of the first census; what only broker 3 reports is unread.

    What is a change of which subject is a test of its own (tests/unit/test_comparison.py).
    """
    unheard = World(Scenario.model_validate(first())).groups_of(UNREAD)[:]
    assert 0 < len(unheard) < len(GROUPS)
    assert without_addresses(reported) == {
        ("partition", "orders-0", "status", "worse", "OK", "AT"),
        ("topic", "orders", "partitions", "changed", "2", "3"),
        ("partition", "moved-0", "replicas", "changed", "[1, 2]", "[1]"),
        ("partition", "moved-there-0", "replicas", "changed", "[1, 3]", "[1]"),
        ("topic", "old", "", "gone", "1 partition", None),
        ("topic", "new", "", "appeared", None, "1 partition"),
        ("config", "topic orders retention.ms", "value", "changed", "1000", "2000"),
        ("config", "broker 1 num.io.threads", "", "gone", "9", None),
        ("config", "broker 1 num.network.threads", "", "appeared", None, "5"),
        ("config", f"broker {UNREAD}", "", "unread", None, None),
        ("broker", str(UNREAD), "release_at_least", "unread", "4.4", None),
        ("move", "moved-0 move at broker 2", "", "gone", "bytes left", None),
        ("move", f"moved-there-0 move at broker {UNREAD}", "", "unread", "bytes left", None),
        ("log_dir", f"broker {UNREAD}", "", "unread", None, None),
        *(("group", group, "", "unread", "lag 20", None) for group in unheard),
        *(("group", group, "lag_total", "worse", "20", "100000") for group in GROUPS if group not in unheard),
    }
    reasons = {row["reason"] for row in reported if row["change"] == "unread" and row["subject"] == "group"}
    assert reasons == {"ListGroups was not read from broker 3 (CONNECTION_FAILED)"}


def test_diff_says_the_same_without_spark(story: Story, reported: Rows) -> None:
    lake = PublishedLake(story.census.lake)
    found = difference(lake, *published(lake, {}))
    assert set(found.not_compared) == {QUORUM.name, HANGING_TRANSACTIONS.name, SCRAM_USERS.name}
    ours = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    theirs = [{name: row[name] for name in found.columns} for row in reported]
    assert comparable(ours) == comparable(theirs)
