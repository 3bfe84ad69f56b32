"""Locate keys: the present coordinator of a group or transactional id, the present leader of a partition.

Used when a broker says that another broker answers a key, or stops answering. There is no
retry: a key that cannot be located now is left out, and asked for at its
previous broker. FindCoordinator (API 10, batches from v4 on) and Metadata (API 3), which
creates nothing here; only keys that a broker has listed are looked up at FindCoordinator.
"""

from collections.abc import Sequence
from typing import Any

from kafka.protocol.metadata import FindCoordinatorRequest

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.lookup import GROUP_COORDINATOR, TRANSACTION_COORDINATOR, KeyLookup, PartitionLeader
from kafka_census.kafka.paging.rpc import partition_key, partitions_of
from kafka_census.kafka.protocol import identity
from kafka_census.kafka.protocol.connection import Connection
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.wire_error import WireError
from kafka_messages.kip_1062 import MetadataRequest

KEY_TYPES = {GROUP_COORDINATOR: 0, TRANSACTION_COORDINATOR: 1}
"""FindCoordinator's key types."""

FIND_COORDINATOR_MAX, BATCHES = 6, 4
METADATA_MIN, METADATA_MAX = 4, 13


async def locate(
    connection: Connection, lookup: KeyLookup, keys: Sequence[str], timeout_s: float, deadline: float
) -> dict[str, Endpoint]:
    """By key: the endpoint that this broker names. Raises WireError when it does not answer."""
    if isinstance(lookup, PartitionLeader):
        return await _leaders(connection, keys, timeout_s, deadline)
    version = await connection.version(FindCoordinatorRequest.API_KEY, 1, FIND_COORDINATOR_MAX)
    if version is None:
        return {}
    found: dict[str, Endpoint] = {}
    for part in [keys] if version >= BATCHES else [[key] for key in keys]:
        wanted: dict[str, Any] = {"coordinator_keys": list(part)} if version >= BATCHES else {"key": part[0]}
        request = FindCoordinatorRequest(version=version, key_type=KEY_TYPES[lookup], **wanted)
        response = (await connection.send(request, timeout_s, deadline)).response
        answers = response.coordinators if version >= BATCHES else [response]
        for key, one in zip([one.key for one in answers] if version >= BATCHES else part, answers, strict=True):
            if not one.error_code:
                found[key] = Endpoint(one.node_id, one.host, one.port)
    return found


async def _leaders(
    connection: Connection, keys: Sequence[str], timeout_s: float, deadline: float
) -> dict[str, Endpoint]:
    version = await connection.version(MetadataRequest.API_KEY, METADATA_MIN, METADATA_MAX)
    if version is None:
        return {}
    topics = [MetadataRequest.MetadataRequestTopic(name=name) for name in partitions_of(keys)]
    request = MetadataRequest(version=version, topics=topics, allow_auto_topic_creation=False)
    response = (await connection.send(request, timeout_s, deadline)).response
    named = [(one.node_id, one.host, one.port) for one in response.brokers]
    broken = identity.contradiction(named)
    if broken:
        raise WireError(ErrorCode.MALFORMED_RESPONSE, f"{connection.endpoint}: Metadata: {broken}")
    brokers = {one[0]: Endpoint(*one) for one in named}
    wanted = set(keys)
    return {
        key: brokers[partition.leader_id]
        for topic in response.topics
        for partition in topic.partitions
        if (key := partition_key(topic.name, partition.partition_index)) in wanted and partition.leader_id in brokers
    }
