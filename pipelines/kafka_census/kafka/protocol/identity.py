"""Which cluster a broker belongs to, and which of its brokers it is.

The cluster takes one request that needs no ACL and creates nothing: DescribeCluster (KIP-700) or, for brokers before
2.8, Metadata without a topic. Bootstrap sends it to learn the cluster's id; each later connection sends it to prove
the id.

From Kafka 4.4 on a broker is told in ApiVersions which broker of which cluster is meant, and answers
REBOOTSTRAP_REQUIRED where it is another (KIP-1242, KafkaApis.handleApiVersionsRequest). An older broker tells its own
id by DescribeConfigs only: Kafka's ConfigHelper refuses the configs of another id with INVALID_REQUEST. That needs
DESCRIBE_CONFIGS on the cluster. Without it the brokers' addresses decide.
"""

import socket
import time
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from kafka.protocol.admin import DescribeClusterRequest

from kafka_census.kafka.error_codes import ErrorCode, error_name
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.wire_error import WireError
from kafka_messages.kip_1062 import DescribeConfigsRequest, MetadataRequest

DESCRIBE_CLUSTER_MAX = 2
METADATA_MIN, METADATA_MAX = 4, 13
DESCRIBE_CONFIGS = 1, 4
"""Versions of DescribeConfigs without draft fields."""

BROKER = 4
"""The type of a broker among the resources that have configs."""

_OWN_ID = ("node.id", "broker.id")
_UNSET = "-1"
_KNOWN_S = 60
"""Seconds for which the addresses of a name are kept."""

REMEDY = "give each broker an address of its own (advertised.listeners, or the tunnel or NAT on the way)"
"""What to do where two brokers lead to one address."""

Offered = Mapping[int, tuple[int, int]]
"""The lowest and the highest version of each API, by its key, as ApiVersions reports them."""


def common_version(offered: Offered, api_key: int, lowest: int, highest: int) -> int | None:
    """The highest version of an API that both sides speak within the range; None when there is none."""
    versions = offered.get(api_key)
    if versions is None or versions[0] > highest or versions[1] < lowest:
        return None
    return int(min(highest, versions[1]))


def question(where: str, offered: Offered) -> Any:
    """The request for a broker's cluster. Raises WireError where the broker offers neither RPC."""
    version = common_version(offered, DescribeClusterRequest.API_KEY, 0, DESCRIBE_CLUSTER_MAX)
    if version is not None:
        return DescribeClusterRequest(version=version, include_cluster_authorized_operations=False)
    version = common_version(offered, MetadataRequest.API_KEY, METADATA_MIN, METADATA_MAX)
    if version is None:
        raise WireError(ErrorCode.UNSUPPORTED_VERSION, f"{where} offers neither DescribeCluster nor Metadata v4")
    return MetadataRequest(version=version, topics=[], allow_auto_topic_creation=False)


def cluster_id_of(where: str, response: Any) -> str:
    """The cluster id of an answer. Raises WireError for an error, and for an answer without an id."""
    code = response.error_code or 0
    if code:
        raise WireError(code, f"{where}: {error_name(code)}")
    if not response.cluster_id:
        raise WireError(ErrorCode.MALFORMED_RESPONSE, f"{where} names no cluster")
    return str(response.cluster_id)


def brokers_of(response: Any) -> list[Endpoint]:
    """The brokers that an answer names, in its order."""
    return [
        Endpoint(broker.node_id if hasattr(broker, "node_id") else broker.broker_id, broker.host, broker.port)
        for broker in response.brokers
    ]


def contradiction(brokers: Iterable[tuple[Any, ...]]) -> str | None:
    """Why these brokers, each with its id first, cannot belong to one cluster; None where they can.

    A broker may be named twice with the same address, but not with two addresses.
    """
    seen: dict[Any, tuple[Any, ...]] = {}
    for broker in brokers:
        if seen.setdefault(broker[0], broker) != broker:
            return f"broker {broker[0]} is named twice: {seen[broker[0]][1:]} and {broker[1:]}"
    return None


def require(where: str, response: Any, expected: str) -> None:
    """Raises WireError where the answer names another cluster than the expected one."""
    found = cluster_id_of(where, response)
    if found != expected:
        raise WireError(
            ErrorCode.WRONG_CLUSTER,
            f"{where} belongs to cluster id {found}, but {expected} is expected: nothing else was sent to it",
        )


def is_meant(where: str, response: Any) -> bool:
    """Whether the broker is the one that an ApiVersions request named. Raises WireError for another error."""
    if response.error_code not in (ErrorCode.NONE, ErrorCode.REBOOTSTRAP_REQUIRED):
        raise WireError(response.error_code, f"{where}: {error_name(response.error_code)}")
    return not response.error_code


def broker_question(offered: Offered, node_id: int) -> Any | None:
    """The request that a broker with this id alone answers; None where it does not offer DescribeConfigs."""
    version = common_version(offered, DescribeConfigsRequest.API_KEY, *DESCRIBE_CONFIGS)
    return None if version is None else broker_configs(version, node_id, _OWN_ID)


def broker_configs(version: int, node_id: int, names: Iterable[str]) -> Any:
    """A DescribeConfigs request for some configs of one broker."""
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=BROKER, resource_name=str(node_id), configuration_keys=list(names)
    )
    return DescribeConfigsRequest(
        version=version, resources=[resource], include_synonyms=False, include_documentation=False
    )


def require_broker(at: Endpoint, response: Any | None, brokers: Iterable[Endpoint]) -> None:
    """Raises WireError where another broker answers at an endpoint, or one that cannot be told from another.

    response  the answer to `broker_question`; None where it could not be asked
    brokers   the brokers that the answer about the cluster names
    """
    for result in response.results if response is not None else ():
        told = {one.value for one in result.configs if one.name in _OWN_ID} - {None, _UNSET, str(at.node_id)}
        if result.error_code == ErrorCode.INVALID_REQUEST or told:
            said = result.error_message or f"its id is {', '.join(sorted(told)) or 'another one'}"
            raise another_broker(at, said, brokers)
        if not result.error_code:
            return
    same = _at_one_address(at, brokers)
    if same:
        text = (
            f"{at} cannot be told from another broker: {same}, and without the right DescribeConfigs on the cluster "
            "a broker does not tell its id: nothing else was sent to it"
        )
        raise WireError(ErrorCode.WRONG_BROKER, text, f"{REMEDY}, or grant the right")


def another_broker(at: Endpoint, said: str, brokers: Iterable[Endpoint]) -> WireError:
    """The error of an endpoint at which another broker answers, by what that broker said."""
    text, same = f"{at} is another broker ({said}): nothing else was sent to it", _at_one_address(at, brokers)
    return WireError(ErrorCode.WRONG_BROKER, f"{text}; {same}" if same else text, REMEDY)


def _at_one_address(at: Endpoint, brokers: Iterable[Endpoint]) -> str | None:
    """Which brokers lead to the address of this one, in half a line; None where no other does."""
    minute = int(time.monotonic() // _KNOWN_S)
    mine = _addresses(at.host, at.port, minute)
    others = {
        one.node_id
        for one in brokers
        if one.node_id != at.node_id and one.port == at.port and mine & _addresses(one.host, one.port, minute)
    }
    *first, last = sorted({at.node_id, *others})
    return f"brokers {', '.join(map(str, first))} and {last} lead to one address" if others else None


@lru_cache(maxsize=4096)
def _addresses(host: str, port: int, _minute: int) -> frozenset[tuple[str, int]]:
    """The addresses of a host and port; where its name cannot be resolved, the name itself."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, ValueError):  # ValueError: not a host name
        return frozenset({(host.lower(), port)})
    return frozenset((str(address[0]), port) for *_, address in found)
