"""AWS's credentials for AWS_MSK_IAM: those that its SDK, botocore, finds on the machine that opens the connection.

Variables, a profile, a container's or an instance's role: in the order of botocore, once per process. Those of a role
are renewed by it. Where there are none, or no botocore, those serve that came along with the task. Who hides secrets
asks here for those that were used.

botocore's own log lines are switched off: they are tracebacks of errors that this module puts into one line.
"""

import logging
from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, NamedTuple

from kafka_census.kafka.protocol.secret import Secret

logging.getLogger("botocore").setLevel(logging.CRITICAL + 1)


@dataclass(frozen=True)
class Aws:
    """AWS_MSK_IAM: the region of the cluster, and the profile of AWS's SDK; None for its default credentials.

    Pickled for a task it takes along the credentials of that moment, for an executor that finds none of its own.

    carried  what came along with a task: access key, secret key, session token
    """

    region: str
    profile: str | None = None
    carried: tuple[Secret, Secret, Secret | None] | None = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[type["Aws"], tuple[object, ...]]:
        """Pickle the credentials as they are now."""
        return Aws, (self.region, self.profile, to_carry(self))


_USED: dict[Aws, deque[str]] = {}
"""The last secrets of each; a key or token may be spoken of after the next one has come."""


class NoCredentials(Exception):
    """There are no credentials of AWS on this machine, or what finds them is not installed."""


class Credentials(NamedTuple):
    """What signs; `token` None for credentials that last."""

    access_key: str
    secret_key: str
    token: str | None


def require_package() -> None:
    """Raises NoCredentials where botocore is not installed."""
    if find_spec("botocore") is None:
        raise NoCredentials("the package botocore is not installed: pip install 'kafka-census[aws]'")


def credentials(aws: Aws) -> Credentials:
    """The credentials as they are now. Raises NoCredentials."""
    try:
        now = _of_sdk(aws)
    except NoCredentials:
        if aws.carried is None:
            raise
        access_key, secret_key, token = aws.carried
        now = Credentials(access_key.reveal(), secret_key.reveal(), token.reveal() if token else None)
    used = _USED.setdefault(aws, deque(maxlen=4))
    used.extend(secret for secret in (now.secret_key, now.token) if secret and secret not in used)
    return now


def to_carry(aws: Aws) -> tuple[Secret, Secret, Secret | None] | None:
    """The credentials of now for a task; None where there are none."""
    try:
        now = credentials(aws)
    except NoCredentials:
        return None
    return Secret(now.access_key), Secret(now.secret_key), Secret(now.token) if now.token else None


def _of_sdk(aws: Aws) -> Credentials:
    """Those that botocore finds here. Raises NoCredentials."""
    require_package()
    from botocore.exceptions import BotoCoreError, ClientError

    # What a service refuses, a program that is not there, an answer of it that is none or lacks a field or is of
    # another kind, credentials that have ended.
    failures = (BotoCoreError, ClientError, OSError, ValueError, RuntimeError, LookupError, TypeError, AttributeError)
    try:
        found = _found(aws)
        if found is None:
            raise NoCredentials("AWS's SDK found no credentials here: no variables, no profile, no role")
        access_key, secret_key, token = found.get_frozen_credentials()[:3]
    except failures as error:
        raise NoCredentials(f"AWS's SDK found no credentials here: {error}") from None
    return Credentials(access_key, secret_key, token)


def secrets_of(aws: Aws) -> set[str]:
    """The secret keys and session tokens that this process has signed with last."""
    return set(_USED.get(aws, ()))


@lru_cache(maxsize=64)
def _found(aws: Aws) -> Any:
    """What renews itself; None where nothing was found."""
    from botocore.session import Session

    return Session(profile=aws.profile).get_credentials()
