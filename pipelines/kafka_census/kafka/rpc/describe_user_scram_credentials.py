"""DescribeUserScramCredentials (API 50, KIP-554): users who can log in by SCRAM, with mechanisms and iterations.

Asked of any broker, whole. Kafka answers names, mechanisms and iterations; salts and keys
never leave the broker, so there is no secret here. The request has an empty list for all users:
null means the same, but a broker that denies such a request never answers (seen on 4.3.1).
"""

from collections.abc import Iterator
from typing import Any

from kafka.protocol.admin import DescribeUserScramCredentialsRequest

from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, code_name

MECHANISMS = {1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}

ITEM = (
    Field("user", "string", "User name."),
    Field("error_code", "int", "Kafka's error code for the user."),
    Field("mechanism", "string", "SCRAM-SHA-256 or SCRAM-SHA-512; null where the user has an error."),
    Field("iterations", "int", "Rounds of hashing."),
)


def _build(version: int, _ask: Ask) -> Any:
    return DescribeUserScramCredentialsRequest(version=version, users=[])


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for result in response.results:
        if not result.credential_infos:
            yield result.user, result.error_code, None, None
        for one in result.credential_infos:
            yield result.user, result.error_code, code_name(MECHANISMS, one.mechanism), one.iterations


DESCRIBE_USER_SCRAM_CREDENTIALS = Rpc(
    name="DescribeUserScramCredentials",
    scope="scram_users",
    item=ITEM,
    apis=(Api(request=DescribeUserScramCredentialsRequest, versions=(0, 0), build=_build, rows=_rows),),
)
