"""Two emulated worlds whose difference is known, one broker unread in the second: `changes` is that difference.

Between the two censuses nobody answers; meanwhile the webhook is out of order.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from e2e.operator import PUBLISH_INCOMPLETE, Operator, Ran
from emulator.asking import serving
from harness.both_engines import comparable
from harness.receiver import Receiver
from kafka_census.alerts import textfile
from kafka_census.declarations.alerts import ALERTS
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

Change = tuple[str, str, str, str, str | None, str | None]
"""Subject, key, column_name, change, before, after."""
Rows = Sequence[Mapping[str, Any]]
CANARY = "canary-hunter2"
OPENED = {"incomplete": 6, "under_replicated": 1}
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

    census   its operator
    ran      how each census ended: of the first world, twice when nobody answered, and of the second world
    figures  for Prometheus, after each census
    told     the messages that the webhook took, as changes of states
    """

    census: Operator
    ran: list[Ran]
    figures: list[Mapping[str, float]]
    told: list[dict[str, float]]


@pytest.fixture(scope="module")
def story(operator: Callable[..., Operator], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    folder = str(tmp_path_factory.mktemp("prometheus"))
    # The broker that hangs up is asked again by each walk.
    collect = {"collect_on": "driver", "max_attempts": 2, "retry_backoff_ms": 20}
    census = replace(operator("none", "changes"), tables=(LOG_DIR_USAGE, CHANGES), collect=collect)
    one, two = (server_of(Scenario.model_validate(world)) for world in (first(), second()))
    ran, figures = [], []
    # The first message, and its second try, are answered with an error.
    with pytest.MonkeyPatch.context() as patch, Receiver(answers=(500, 500, 200)) as receiver:
        patch.setenv("NO_PROXY", "127.0.0.1")
        settings = {
            "KAFKA_CENSUS__ALERTS__PROMETHEUS_FOLDER": folder,
            "KAFKA_CENSUS__ALERTS__WEBHOOK__URL": f"{receiver.url}?token={CANARY}",
            **PUBLISH_INCOMPLETE,
        }

        def run() -> None:
            ran.append(census.run("census", "--no-report", **settings))
            figures.append(textfile.read(textfile.path_of(folder, "test")))

        with serving(one):
            census.servers = one.bootstrap_servers
            run()
        run()
        run()
        with serving(two):
            # The broker that is not read is no bootstrap server.
            census.servers = ",".join(two.bootstrap_servers.split(",")[: UNREAD - 1])
            run()
        # The states in each message, and how many there are, 0 where one closed.
        accepted = receiver.received[len(receiver.answers) - 1 :]
        told = [{change["state"]: change["count"] for change in message["changes"]} for message in accepted]
        yield Story(census, ran, figures, told)


@pytest.fixture(scope="module")
def reported(story: Story) -> Rows:
    return story.census.read(CHANGES.name)


def warnings(ran: Ran) -> list[str]:
    lines = [json.loads(line) for line in ran.err.splitlines() if line.startswith("{")]
    return [line["event"] for line in lines if line["level"] == "warning"]


def test_what_was_not_accepted_is_told_by_the_next_run_and_no_exit_code_changes(story: Story) -> None:
    assert [ran.code for ran in story.ran] == [0, 1, 1, 0]
    assert [warnings(ran) for ran in story.ran] == [[], ["webhook_not_notified"], [], []]
    assert "the webhook answered with status 500" in story.ran[1].err
    assert story.told == [{"failed": 1}, OPENED | {"failed": 0}]
    assert not any(CANARY in ran.out + ran.err for ran in story.ran)
    assert [one["kafka_census_last_run_exit_code"] for one in story.figures] == [0, 1, 1, 0]
    succeeded = [one["kafka_census_last_success_timestamp_seconds"] for one in story.figures]
    assert succeeded[0] == succeeded[1] == succeeded[2] < succeeded[3]
    assert story.census.rows(ALERTS).count() == sum(map(len, story.told))
    log = Path(story.census.lake, "audit", "alerts", "_delta_log")
    assert len(list(log.glob("*.json"))) == len(story.told)


def without_addresses(rows: Rows) -> set[Change]:
    """And without sizes of logs: they and where brokers listen differ from one start of the emulator to the next."""
    found = [
        (row["subject"], row["key"], row["column_name"], row["change"], _without_size(row["before"]), row["after"])
        for row in rows
        if row["column_name"] != "host"
    ]
    assert len(set(found)) == len(found)
    return set(found)


def _without_size(text: str | None) -> str | None:
    return text and re.sub(r"^\d+ (?=bytes left)", "", text)


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
        ("broker", str(UNREAD), "release_at_least", "unread", "4.3", None),
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
