"""AWS's credentials for AWS_MSK_IAM: those that its SDK, botocore, finds on the machine that opens the connection.

Variables, a profile, a container's or an instance's role: in the order of botocore, once per process. Those of a role
are renewed by it. Who hides secrets asks here for those that were used.
"""

from collections import deque
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, NamedTuple

from kafka_census.protocol.settings import Aws

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
    require_package()
    from botocore.exceptions import BotoCoreError

    try:
        found = _found(aws)
        if found is None:
            raise NoCredentials("AWS's SDK found no credentials here: no variables, no profile, no role")
        access_key, secret_key, token = found.get_frozen_credentials()[:3]
    except BotoCoreError as error:
        raise NoCredentials(f"AWS's SDK found no credentials here: {error}") from None
    used = _USED.setdefault(aws, deque(maxlen=4))
    used.extend(secret for secret in (secret_key, token) if secret and secret not in used)
    return Credentials(access_key, secret_key, token)


def secrets_of(aws: Aws) -> set[str]:
    """The secret keys and session tokens that this process has signed with last."""
    return set(_USED.get(aws, ()))


@lru_cache(maxsize=64)
def _found(aws: Aws) -> Any:
    """What renews itself; None where nothing was found."""
    from botocore.session import Session

    return Session(profile=aws.profile).get_credentials()
