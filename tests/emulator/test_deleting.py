"""The tasks that look at groups and delete them, on emulated brokers: each code, moves, and answers that are lost."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from emulator.asking import QUICK, cluster, faults, serving, settings, walk
from emulator.committing import commit, offset_commit
from harness.deleting import in_a_task
from kafka_census.deletion.writing import check, delete, restore
from kafka_census.deletion.writing.coordinators import Coordinators
from kafka_census.deletion.writing.delete_groups import DELETE_GROUPS
from kafka_census.kafka.error_codes import NOT_DELETED, ErrorCode, error_name
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.connection import Connection
from kafka_census.kafka.protocol.wire_error import WireError
from kafka_emulator.declared import OffsetSection
from kafka_emulator.faults import Faults
from kafka_emulator.handlers import HANDLERS
from kafka_emulator.server import Server

EMPTY = [f"empty-{number:02d}" for number in range(40)]
SECTIONS: dict[str, Any] = {
    "seed": 7,
    "brokers": {"count": 3},
    "topics": {"partitions": 6, "declared": [{"name": "t", "partitions": 2}]},
    "groups": {
        "count": 0,
        "declared": [
            *[{"id": name, "topics": ["t"]} for name in EMPTY],
            {"id": "", "topics": ["t"]},
            {"id": "live", "members": 2, "topics": ["t"]},
            {"id": "new", "type": "consumer", "members": 1, "topics": ["t"]},
            {"id": "streams", "type": "streams", "topics": ["t"]},
        ],
    },
}


def checked(server: Server, *groups: str, kind: str | None = None) -> Any:
    rows = [{"group_id": name, "group_type": kind} for name in groups]
    return in_a_task(check.check, settings(server), rows, QUICK)


def deleted(server: Server, saved: dict[str, Any], collect: CollectSettings = QUICK) -> Any:
    rows = [{"group_id": name, "offsets": row["offsets"]} for name, row in saved.items()]
    return in_a_task(delete.delete, settings(server), rows, collect)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(cluster(**SECTIONS)) as serving_it:
        yield serving_it


def test_what_a_group_is_now_and_what_became_of_it_is_reported(server: Server) -> None:
    """State, members and offsets, of groups at all brokers; what there is not has no state, and each has its code."""
    saved = checked(server, "live", "empty-00", "", "nobody")
    assert [(row["group_state"], row["members"], row["state_code"]) for row in saved.values()] == [
        ("Stable", 2, 0),
        ("Empty", 0, 0),
        ("Empty", 0, 0),
        (None, 0, 69),
    ]
    assert {(one["topic"], one["partition"]) for one in saved["empty-00"]["offsets"]} == {("t", 0), ("t", 1)}
    assert (saved["nobody"]["offsets"], saved["nobody"]["offsets_code"]) == ([], 0)
    assert checked(server, "new", kind="consumer")["new"]["members"] == 1
    assert checked(server, "streams", kind="streams")["streams"]["group_state"] == "Empty"
    other = checked(server, "new", kind="classic")["new"]
    assert (other["group_state"], len(other["offsets"])) == (None, 2)
    found = deleted(server, saved)
    assert {name: (row["sent"], row["moved"], row["error_code"]) for name, row in found.items()} == {
        "live": (True, False, 68),
        "empty-00": (True, False, 0),
        "": (True, False, 0),
        "nobody": (True, False, 69),
    }
    assert all(row["coordinator"] in (1, 2, 3) and row["attempts"] == 1 for row in found.values())
    again = deleted(server, {name: saved[name] for name in ("empty-00", "")})
    assert {row["error_code"] for row in again.values()} == {69}
    listed = {
        row[0] for at in (1, 2, 3) for page in walk(server, "ListGroups", "groups", broker=at) for row in page.rows
    }
    assert listed == {*EMPTY[1:], "live", "new", "streams"}
    gone = checked(server, "empty-00")["empty-00"]
    assert (gone["group_state"], gone["state_code"], gone["offsets"]) == (None, 69, [])
    assert server.failure is None


def test_a_request_names_500_groups_at_most(server: Server) -> None:
    """However many rows Spark hands over at a time. Three brokers are asked for the first 500, one for the last."""
    found = deleted(server, {f"nobody-{number}": {"offsets": []} for number in range(501)})
    assert {row["error_code"] for row in found.values()} == {69}
    assert sum(server.asked[broker, "DeleteGroups"] for broker in (1, 2, 3)) == 3 + 1


def test_a_group_whose_offsets_moved_since_is_left(server: Server) -> None:
    """Nothing is sent for it: another offset, or one of another partition; those that are gone do not keep it."""
    saved = checked(server, *EMPTY[:4])
    one, two, three, four = (row["offsets"] for row in saved.values())
    one[0]["committed_offset"] += 1
    del two[0]
    three.append({"topic": "u", "partition": 0, "committed_offset": 1, "leader_epoch": None, "metadata": None})
    found = deleted(server, saved)
    assert {name: (row["sent"], row["moved"], row["attempts"]) for name, row in found.items()} == {
        EMPTY[0]: (False, True, 0),
        EMPTY[1]: (False, True, 0),
        EMPTY[2]: (True, False, 1),
        EMPTY[3]: (True, False, 1),
    }
    assert len(four) == 2


def faulty(api: str, do: Any, **where: Any) -> Server:
    return replace(cluster(**SECTIONS), faults=faults({"api": api, "do": do, **where}))


def test_coordinators_that_move_are_followed() -> None:
    """16 is asked again at the new coordinator, and each group is deleted once."""
    with serving(faulty("DeleteGroups", {"move_coordinators": {"to": 2}}, broker=1)) as server:
        found = deleted(server, checked(server, *EMPTY))
        assert {row["error_code"] for row in found.values()} == {0}
        assert server.faults.never_hit == ()
        assert {row["coordinator"] for row in found.values()} == {2, 3}
        # Each is asked for its groups at once; of the second, again for those of the first.
        assert [server.asked[broker, "DeleteGroups"] for broker in (1, 2, 3)] == [1, 2, 1]


@pytest.mark.parametrize(
    ("do", "always"),
    [
        ("drop", False),
        *((do, True) for do in ("drop", {"cut": 3}, {"truncate": 3}, {"oversize": 2_000_000_000}, {"delay_ms": 900})),
    ],
)
def test_a_request_whose_answer_is_lost_is_not_sent_again(do: Any, always: bool) -> None:
    """Lost, too late, too large, too short: its groups may be deleted, which is unknown and reported so.

    Groups of other coordinators are deleted.
    """
    with serving(faulty("DeleteGroups", do, broker=1, always=always)) as server:
        found = deleted(server, checked(server, *EMPTY), replace(QUICK, request_timeout_ms=500))
        lost = {name: row for name, row in found.items() if row["error_code"]}
        assert 0 < len(lost) < len(EMPTY)
        assert {(row["error_code"], row["sent"], row["coordinator"]) for row in lost.values()} == {
            (ErrorCode.ANSWER_LOST, True, 1)
        }
        assert all("the request may have been carried out" in row["error_message"] for row in lost.values())
        assert server.asked[1, "DeleteGroups"] == 1
        assert all(server.world.groups.get(name) is None for name in EMPTY)


def test_what_was_surely_not_sent_is_reported_as_that(server: Server) -> None:
    """The coordinator is not reached: its groups are there, and nothing of them is in doubt."""
    saved = checked(server, *EMPTY)
    connect = Connection.send

    async def refused(self: Connection, request: Any, *rest: Any, **named: Any) -> Any:
        if request.API_KEY == DELETE_GROUPS.apis[0].request.API_KEY and self.endpoint.node_id == 1:
            raise WireError(ErrorCode.CONNECTION_FAILED, "connection refused")
        return await connect(self, request, *rest, **named)

    with patch.object(Connection, "send", refused):
        found = deleted(server, saved)
    failed = {name: row for name, row in found.items() if row["error_code"]}
    assert {(row["error_code"], row["sent"]) for row in failed.values()} == {(ErrorCode.CONNECTION_FAILED, False)}
    assert all((server.world.groups.get(name) is not None) == (name in failed) for name in EMPTY)


@pytest.mark.parametrize("code", [-1, 14, 15, 16, 24, 30, 42, 68, 134])
def test_an_error_is_no_proof_of_a_group_that_is_gone(code: int) -> None:
    """The coordinator deletes and answers an error: the group is gone by our request, or that is not known."""
    with serving(faulty("DeleteGroups", {"error": code}, always=True)) as server:
        found = deleted(server, checked(server, *EMPTY[:4]))
        assert all(server.world.groups.get(name) is None for name in found)
        proven = code in (24, 30, 68, 134)
        assert {(row["sent"], row["error_code"] in NOT_DELETED) for row in found.values()} == {(True, False)}
        assert {row["error_code"] == 69 for row in found.values()} == {proven}


@pytest.mark.parametrize("code", [24, 30, 68, 134])
def test_an_error_is_believed_of_a_group_that_is_seen_there(code: int) -> None:
    """A group that the coordinator refused to delete is described again; where that fails, nothing is known."""
    with (
        serving(faulty("DeleteGroups", {"error": code}, always=True)) as server,
        patch.object(server.world, "delete_groups", lambda _: None),
    ):
        saved = checked(server, *EMPTY[:4])
        assert {row["error_code"] for row in deleted(server, saved).values()} == {code}
        silent = faults({"api": "DescribeGroups", "do": "drop", "always": True}).declared
        with patch.object(server, "faults", Faults((*server.faults.declared, *silent))):
            found = deleted(server, saved)
        assert {(row["sent"], row["error_code"]) for row in found.values()} == {(True, ErrorCode.ANSWER_LOST)}
        assert all(f"answered {error_name(code)}" in row["error_message"] for row in found.values())


@pytest.mark.parametrize(
    ("as_version", "code", "message"),
    [("4.3", -1, None), ("4.4", 134, "Topology description plugin failed to delete the topology.")],
)
def test_a_group_whose_topology_cannot_be_deleted_stays(as_version: str, code: int, message: str | None) -> None:
    """The broker's message is reported; an older one answers what may mean anything."""
    streams = {"id": "streams", "type": "streams", "topics": ["t"], "topology": "ERROR"}
    with serving(cluster(as_version, **SECTIONS | {"groups": {"count": 0, "declared": [streams]}})) as server:
        saved = checked(server, "streams", kind="streams")
        row = deleted(server, saved)["streams"]
        assert server.world.groups.get("streams") is not None
    assert (row["sent"], row["error_code"], row["error_message"]) == (True, code, message)


def test_a_group_that_is_answered_twice_is_deleted_if_one_answer_says_so(server: Server) -> None:
    saved = checked(server, *EMPTY[:2])
    answer = server._by_key[42].answer

    def twice(request: Any, call: Any) -> Any:
        response = answer(request, call)
        response.results = [(name, code, None) for name, *_ in response.results for code in (68, 0)]
        return response

    with patch.dict(server._by_key, {42: replace(server._by_key[42], answer=twice)}):
        assert {row["error_code"] for row in deleted(server, saved).values()} == {0}


def test_a_group_that_lives_again_is_not_deleted_at_its_next_coordinator() -> None:
    """What the first coordinator did is in doubt (16); before the second is asked, the offsets are read once more."""
    with serving(faulty("DeleteGroups", {"move_coordinators": {"to": 2}}, broker=1)) as server:
        saved = checked(server, *EMPTY)
        at_first = {name for name in EMPTY if saved[name]["coordinator"] == 1}
        pause = Coordinators.pause

        def commits(self: Coordinators, rounds: int) -> None:
            for name in at_first:
                commit(server.world, name, OffsetSection(topic="t", partition=0, offset=999_999))
            pause(self, rounds)

        with patch.object(Coordinators, "pause", commits):
            found = deleted(server, saved)
        assert {(found[name]["error_code"], found[name]["sent"]) for name in at_first} == {
            (ErrorCode.ANSWER_LOST, True)
        }
        assert {name for name in EMPTY if server.world.groups.get(name) is not None} == at_first


def test_a_task_that_spark_runs_again_does_not_know_what_its_first_attempt_did(server: Server) -> None:
    saved = checked(server, "live", *EMPTY[:2])
    deleted(server, {EMPTY[0]: saved[EMPTY[0]]})
    rows = [{"group_id": name, "offsets": row["offsets"]} for name, row in saved.items()]
    with Coordinators(settings(server), QUICK, repeated=True) as coordinators:
        found = {row["group_id"]: row["error_code"] for row in delete.delete(coordinators, rows)}
    assert found == {EMPTY[0]: 69, EMPTY[1]: 0, "live": ErrorCode.ANSWER_LOST}


def restored(server: Server) -> Any:
    saved = checked(server, *EMPTY[:4])
    deleted(server, saved)
    rows = [{"group_id": name, "offsets": row["offsets"]} for name, row in saved.items()]
    found = in_a_task(restore.restore, settings(server), rows, QUICK)
    assert all(server.world.groups.get(name) is not None for name in saved)
    return found


def test_a_restoration_follows_coordinators_that_move() -> None:
    """What the first coordinator did is in doubt (16): the groups are looked at again, and each is restored once."""
    where = {"broker": 1, "do": {"move_coordinators": {"to": 2}}}
    with serving(replace(faulty("OffsetCommit", **where), handlers=(*HANDLERS, offset_commit()))) as server:
        found = restored(server)
        assert {(row["error_code"], row["partitions"], row["sent"]) for row in found.values()} == {(0, 2, True)}
        assert server.faults.never_hit == ()


@pytest.mark.parametrize("code", [-1, 14, 15])
def test_a_restoration_that_an_error_follows_may_be_one(code: int) -> None:
    """The coordinator commits and answers an error, and then cannot be read: what was done is not known."""
    server = replace(faulty("OffsetCommit", {"error": code}, always=True), handlers=(*HANDLERS, offset_commit()))
    pause = Coordinators.pause

    def silent(self: Coordinators, rounds: int) -> None:
        server.faults = faults({"api": "OffsetFetch", "do": "drop", "always": True})
        pause(self, rounds)

    with serving(server), patch.object(Coordinators, "pause", silent):
        lost = ErrorCode.UNKNOWN_SERVER_ERROR if code == ErrorCode.UNKNOWN_SERVER_ERROR else ErrorCode.ANSWER_LOST
        assert {(row["sent"], row["error_code"]) for row in restored(server).values()} == {(True, lost)}


def test_a_group_that_is_there_is_not_looked_for_as_another_type(server: Server) -> None:
    """What lives is left, and what has its offsets already is restored: nothing is sent."""
    saved = checked(server, "live", "empty-00")
    rows = [{"group_id": name, "offsets": row["offsets"]} for name, row in saved.items()]
    found = in_a_task(restore.restore, settings(server), rows, QUICK)
    assert {name: (row["sent"], row["partitions"], row["lives"]) for name, row in found.items()} == {
        "live": (False, 0, "it is Stable, of type classic"),
        "empty-00": (False, 2, None),
    }
    assert "ConsumerGroupDescribe" not in {api for _, api in server.asked}


@pytest.mark.parametrize("api", ["OffsetFetch", "DescribeGroups"])
def test_a_group_that_cannot_be_read_is_not_deleted(api: str) -> None:
    with serving(faulty(api, "drop", broker=1, always=True)) as server:
        found = checked(server, *EMPTY)
        column = "offsets_code" if api == "OffsetFetch" else "state_code"
        unread = {name for name, row in found.items() if row[column] == -101}
        assert 0 < len(unread) < len(EMPTY)
        if api == "OffsetFetch":
            reported = deleted(server, found)
            assert {name for name, row in reported.items() if not row["sent"]} == unread
            assert {row["error_code"] for row in reported.values() if not row["sent"]} == {-101}


def test_nobody_knows_the_coordinator_of_a_group() -> None:
    with (
        serving(faulty("FindCoordinator", {"error": 15}, always=True)) as server,
        Coordinators(settings(server), QUICK) as coordinators,
    ):
        reported = coordinators.ask(DELETE_GROUPS, ["empty-00"])["empty-00"]
        assert (reported.node_id, reported.error_code) == (None, 15)
        assert reported.error_message == "no broker says who coordinates it"
