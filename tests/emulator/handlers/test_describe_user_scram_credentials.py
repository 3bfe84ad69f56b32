"""DescribeUserScramCredentials: users, mechanisms and iterations."""

from typing import Any

import pytest
from kafka.protocol.admin import DescribeUserScramCredentialsRequest

from emulator.asking import ask, cluster

SECURITY: dict[str, Any] = {
    "scram_users": [
        {"user": "bob", "mechanisms": {"SCRAM-SHA-512": 8192, "SCRAM-SHA-256": 4096}},
        {"user": "alice", "mechanisms": {"SCRAM-SHA-256": 4097}},
    ]
}
ALICE, BOB = ("alice", 0, [(1, 4097)]), ("bob", 0, [(1, 4096), (2, 8192)])


def request(*users: str) -> Any:
    name = DescribeUserScramCredentialsRequest.UserName
    return DescribeUserScramCredentialsRequest(users=[name(name=user) for user in users] or None)


def reported(response: Any) -> list[tuple[str, int, list[tuple[int, int]]]]:
    return [
        (one.user, one.error_code, [(info.mechanism, info.iterations) for info in one.credential_infos])
        for one in response.results
    ]


@pytest.mark.parametrize("kafka", ["2.8", "3.9", "4.3"])
def test_all_users_by_null_or_none(kafka: str) -> None:
    server = cluster(as_version=kafka, kip_1062=False, security=SECURITY)
    for asked in (request(), DescribeUserScramCredentialsRequest(users=[])):
        response = ask(server, asked, 0)
        assert (response.error_code, reported(response)) == (0, [ALICE, BOB])


def test_named_users_have_codes() -> None:
    """91 where there is none, 92 where it is named twice, unknown or not; once each."""
    response = ask(cluster(security=SECURITY), request("bob", "carol", "alice", "dave", "alice", "dave"), 0)
    assert (response.error_code, reported(response)) == (
        0,
        [BOB, ("carol", 91, []), ("alice", 92, []), ("dave", 92, [])],
    )
    assert response.results[1].error_message.endswith("does not exist: carol")
    assert response.results[2].error_message.endswith("in a single request: alice")


def test_without_describe_on_the_cluster_it_is_31() -> None:
    """Named users have a row without a name, and no other user is returned."""
    server = cluster(security={**SECURITY, "super_users": []})
    for asked, rows in ((request(), []), (request("alice", "carol"), [("", 31, []), ("", 31, [])])):
        response = ask(server, asked, 0)
        assert (response.error_code, reported(response)) == (31, rows)
