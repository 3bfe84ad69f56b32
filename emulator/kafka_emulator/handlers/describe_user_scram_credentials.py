"""DescribeUserScramCredentials (API 50): mechanisms and iterations of users; salts and keys do not exist here.

Null or an empty list stands for all users. An unknown named user is 91; a user that is named twice is one row with 92.
Needs DESCRIBE on the cluster: 31 without, also on a row without a name for each named user, as in Kafka.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from kafka.protocol.admin import DescribeUserScramCredentialsRequest, DescribeUserScramCredentialsResponse

from kafka_emulator.arithmetic import utf16
from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.declared_security import ScramSection
from kafka_emulator.handlers.handler import Handler

DENIED, RESOURCE_NOT_FOUND, DUPLICATE_RESOURCE = 31, 91, 92
MECHANISMS = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
TWICE = "Cannot describe SCRAM credentials for the same user twice in a single request: "
UNKNOWN = "Attempt to describe a user credential that does not exist: "


def _answer(request: Any, call: Call) -> Any:
    named = [user.name for user in request.users or ()]
    if not call.world.access.allows(Operation.DESCRIBE, Resource.CLUSTER):
        return _response([("", DENIED, None, []) for _ in named], DENIED)
    users = {one.user: one for one in call.world.declared.security.scram_users}
    asked = Counter(named or sorted(users, key=utf16))
    return _response([_row(user, times, users) for user, times in asked.items()])


def _row(user: str, times: int, users: Mapping[str, ScramSection]) -> tuple[Any, ...]:
    if times > 1:
        return user, DUPLICATE_RESOURCE, TWICE + user, []
    if user not in users:
        return user, RESOURCE_NOT_FOUND, UNKNOWN + user, []
    return user, 0, "", sorted((MECHANISMS[name], rounds) for name, rounds in users[user].mechanisms.items())


def _response(results: list[tuple[Any, ...]], code: int = 0) -> Any:
    message = None if code else ""
    return DescribeUserScramCredentialsResponse(
        throttle_time_ms=0, error_code=code, error_message=message, results=results
    )


DESCRIBE_USER_SCRAM_CREDENTIALS = Handler(
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    {"2.8": (0, 0)},
    _answer,
)
