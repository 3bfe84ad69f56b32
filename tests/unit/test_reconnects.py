"""A broker that is restarted while a page waits: what its old connection offered says nothing of the new one."""

import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from harness.standin import StandIn
from kafka_messages.kip_1062 import PAGINATION, DescribeGroupsRequest, DescribeGroupsResponse
from unit.walking import PATIENT, walk

Serve = Callable[..., StandIn]
GROUPS = ("a", "b", "c")
LOADING = 14
PAUSE_MS = 800

pytestmark = pytest.mark.timeout(60)


def described(request: Any, code: int = 0, throttle_time_ms: int = 0) -> Any:
    """DescribeGroups of groups without members, one per page where pages are asked for."""
    start = request.cursor.group_id if request.cursor else ""
    rest = [one for one in sorted(request.groups) if one >= start]
    size = 1 if request.API_VERSION >= 7 else len(rest)
    empty = {"protocol_type": "", "protocol_data": "", "authorized_operations": None, "error_message": None}
    group = DescribeGroupsResponse.DescribedGroup
    found = [group(error_code=code, group_id=one, group_state="Empty", members=[], **empty) for one in rest[:size]]
    follows = DescribeGroupsResponse.Cursor(group_id=rest[size], member_id="") if rest[size:] else None
    return DescribeGroupsResponse(throttle_time_ms=throttle_time_ms, groups=found, next_cursor=follows)


def restart(broker: StandIn, features: dict[str, int]) -> None:
    """From now on it has these features, and every connection ends after the answer that is under way."""
    broker.features = features
    for sock in broker._sockets:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RD)


WAITS = [
    pytest.param({"code": LOADING}, id="until a coordinator has loaded"),
    pytest.param({"throttle_time_ms": PAUSE_MS}, id="until a throttle is over"),
]


@pytest.mark.parametrize("wait", WAITS)
@pytest.mark.parametrize(
    ("features", "versions", "paging", "cursors"),
    [
        # It still offers the draft's version number, which means something else there: the walk begins again without.
        ({}, [7, 6], "window", [None]),
        # The new connection has the feature, too: the walk goes on where it was, which costs a question and no page.
        ({PAGINATION: 1}, [7], "cursor", [None, ("b", ""), ("c", "")]),
    ],
    ids=["without the feature", "with the feature"],
)
def test_a_draft_frame_follows_a_restart_with_the_feature_alone(
    serve: Serve, wait: dict[str, int], features: dict[str, int], versions: list[int], paging: str, cursors: list[Any]
) -> None:
    def answer(request: Any, n: int) -> Any:
        if n == 0:
            restart(broker, features)
            return described(request, **wait)
        return described(request)

    broker = serve({DescribeGroupsRequest: answer}, features={PAGINATION: 1})
    collect = replace(PATIENT, retry_backoff_ms=PAUSE_MS, retry_backoff_max_ms=PAUSE_MS)
    pages = walk(broker, "DescribeGroups", "groups", GROUPS, collect=collect)
    asked = [request.API_VERSION for request in broker.of(DescribeGroupsRequest)]
    assert list(dict.fromkeys(asked)) == versions
    assert [(page.paging, page.error_code, page.request_cursor) for page in pages] == [
        (paging, 0, cursor) for cursor in cursors
    ]
    assert [row[0] for page in pages for row in page.rows] == list(GROUPS)
