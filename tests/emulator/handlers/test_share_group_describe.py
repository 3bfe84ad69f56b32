"""ShareGroupDescribe of the emulator: members, hidden topics, what is no share group, our client."""

from typing import Any

from emulator.asking import ask
from emulator.handlers.grouping import at, elsewhere, group, grouped, narrow, of_type, walked
from kafka_messages import ShareGroupDescribeRequest

SHARED = {"id": "shared", "type": "share", "members": 7, "topics": ["open", "hidden"]}


def _request(ids: Any, **more: Any) -> Any:
    return ShareGroupDescribeRequest(group_ids=list(ids), **more)


def test_share_groups_are_the_worlds() -> None:
    """Only Kafka 4.3 has them, at v1."""
    server = grouped(SHARED)
    for broker in (1, 2, 3):
        ids = of_type(server, "share", broker)
        response = ask(server, _request(ids, include_authorized_operations=True), 1, broker)
        assert sorted(one.group_id for one in response.groups) == ids
        for reported in response.groups:
            known = group(server, reported.group_id)
            assert (reported.error_code, reported.group_state, reported.assignor_name) == (
                0,
                known.shape.state,
                "simple",
            )
            assert reported.authorized_operations == sum(1 << one for one in (3, 6, 8, 10, 11))
            for one, member in zip(reported.members, server.world.members(known), strict=True):
                assert (one.member_id, one.client_id, one.client_host) == (
                    member.member_id,
                    member.client_id,
                    member.client_host,
                )
                assert one.member_epoch == reported.group_epoch == reported.assignment_epoch
                assert one.subscribed_topic_names == list(known.topics)
                rows = [(part.topic_name, tuple(part.partitions)) for part in one.assignment.topic_partitions]
                assert rows == list(member.assignment)
    for as_version in ("2.8", "3.9"):
        assert ask(grouped(as_version=as_version), _request(["a"]), 1) is None


def test_errors() -> None:
    """69 with a message, 24 for the empty id, 16 elsewhere with one, 30 denied, 29 for a hidden topic."""
    denied = narrow(("GROUP", "secret"), ("TOPIC", "hidden"))
    server = grouped(SHARED, {"id": "old", "members": 1}, {"id": "secret"}, security=denied)

    def reported(group_id: str, broker: int) -> tuple[int, str | None]:
        one = ask(server, _request([group_id]), 1, broker).groups[0]
        assert (one.members, one.group_state) == ([], "")
        return one.error_code, one.error_message

    assert reported("old", at(server, "old")) == (69, "Group old is not a share group.")
    assert reported("nobody", at(server, "nobody")) == (69, "Group nobody not found.")
    assert reported("", 1) == (24, None)
    assert reported("shared", elsewhere(server, "shared")) == (16, "This is not the correct coordinator.")
    assert reported("secret", 1) == (30, None)
    assert reported("shared", at(server, "shared"))[0] == 29


def test_our_client_reads_them() -> None:
    """In windows: the KIP has no cursor for them."""
    server = grouped(*({**SHARED, "id": f"shared-{one}"} for one in range(6)))
    keys = of_type(server, "share")
    rows = walked(server, "ShareGroupDescribe", keys, "window")
    members = [max(1, group(server, one).members) for one in keys]
    assert len(rows) == sum(members)
    assert {row[0] for row in rows} == set(keys)
