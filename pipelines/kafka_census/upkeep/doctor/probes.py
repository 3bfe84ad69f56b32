"""The smallest request of each RPC that shows whether the principal may ask it.

A probe names a topic, group or transactional id that does not exist: brokers check rights before they look for the
name, so any answer other than a refusal proves the right, and the answer is small. Listings (ListGroups,
ListTransactions, Metadata of all topics) refuse nobody and hide things instead: RPCs that need the same right are
probed. FindCoordinator is never probed, because it creates the internal topics.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from kafka_census.clock import Clock
from kafka_census.declarations.visibility_rules import ALLOW_EVERYONE
from kafka_census.kafka.error_codes import ErrorCode, error_name
from kafka_census.kafka.paging.rpc import Api, Ask, Row, Rpc, partition_key
from kafka_census.kafka.protocol.connection import Connection
from kafka_census.kafka.protocol.identity import broker_configs
from kafka_census.kafka.protocol.wire_error import WireError
from kafka_census.kafka.rpc import rpc as rpc_named
from kafka_census.kafka.rpc.describe_acls import every_acl
from kafka_census.kafka.rpc.describe_transactions import NOBODY
from kafka_census.pages.header import WalkName
from kafka_census.upkeep.doctor import rights
from kafka_census.upkeep.doctor.facts import Answer
from kafka_census.upkeep.doctor.rights import Right
from kafka_messages.decoding import UNDECODABLE

_TRANSACTIONAL_IDS, _EXACT = 5, 0
"""A resource type of ACLs, and a match type of quotas."""

Build = Callable[[Any, int, int], Any]
"""Builds a request from its class, its version and the id of the node."""


@dataclass(frozen=True)
class Probe:
    """One probe.

    walk   the walk whose RPC is probed
    right  the right whose lack makes a broker refuse the probe
    keys   the keys of the request
    build  builds the request, where the RPC's own request would have a large answer
    """

    walk: WalkName
    right: Right
    keys: tuple[str, ...] = (NOBODY,)
    build: Build | None = None

    def refused(self, answer: Answer) -> bool:
        """Whether the answer proves that the right is lacking."""
        return answer.code == rights.REFUSED_BY[self.right.resource]


def _configs(_request: Any, version: int, node_id: int) -> Any:
    """A request for the one broker config on which visibility depends, instead of all three hundred."""
    return broker_configs(version, node_id, [ALLOW_EVERYONE])


def _log_dirs(request: Any, version: int, _node_id: int) -> Any:
    topics = [request.DescribableLogDirTopic(topic=NOBODY, partitions=[0])]
    return request(version=version, topics=topics)


def _acls(request: Any, version: int, _node_id: int) -> Any:
    """A request for the ACLs of transactional ids, which show whether an id may be hidden."""
    return every_acl(request, version, _TRANSACTIONAL_IDS)


def _quotas(request: Any, version: int, _node_id: int) -> Any:
    user = request.ComponentData(entity_type="user", match_type=_EXACT, match=NOBODY)
    return request(version=version, components=[user], strict=True)


def _scram_users(request: Any, version: int, _node_id: int) -> Any:
    return request(version=version, users=[request.UserName(name=NOBODY)])


_PARTITION = (partition_key(NOBODY, 0),)

PROBES = (
    Probe(("Metadata", "unlisted"), rights.DESCRIBE_TOPICS),
    Probe(("DescribeTopicPartitions", "topics"), rights.DESCRIBE_TOPICS),
    Probe(("ListOffsets", "latest"), rights.DESCRIBE_TOPICS, _PARTITION),
    Probe(("DescribeConfigs", "topics"), rights.CONFIGS_OF_TOPICS),
    Probe(("DescribeProducers", "partitions"), rights.READ_TOPICS, _PARTITION),
    Probe(("DescribeGroups", "groups"), rights.DESCRIBE_GROUPS),
    Probe(("ConsumerGroupDescribe", "groups"), rights.DESCRIBE_GROUPS),
    Probe(("ShareGroupDescribe", "groups"), rights.DESCRIBE_GROUPS),
    Probe(("StreamsGroupDescribe", "groups"), rights.DESCRIBE_GROUPS),
    Probe(("OffsetFetch", "groups"), rights.DESCRIBE_GROUPS),
    Probe(("DescribeShareGroupOffsets", "groups"), rights.DESCRIBE_GROUPS),
    Probe(("DescribeTransactions", "probe"), rights.DESCRIBE_IDS),
    Probe(("ListPartitionReassignments", "cluster"), rights.DESCRIBE_CLUSTER, (f"{NOBODY}/1",)),
    Probe(("DescribeLogDirs", "log_dirs"), rights.DESCRIBE_CLUSTER, build=_log_dirs),
    Probe(("DescribeAcls", "acls"), rights.DESCRIBE_CLUSTER, build=_acls),
    Probe(("DescribeUserScramCredentials", "scram_users"), rights.DESCRIBE_CLUSTER, build=_scram_users),
    Probe(("DescribeQuorum", "quorum"), rights.DESCRIBE_CLUSTER),
    Probe(("DescribeConfigs", "brokers"), rights.CONFIGS_OF_CLUSTER, build=_configs),
    Probe(("DescribeClientQuotas", "quotas"), rights.CONFIGS_OF_CLUSTER, build=_quotas),
)
"""Every probe; each right that a census needs has at least one."""


async def offered(connection: Connection, rpc: Rpc, *, drafts: bool) -> tuple[Api, int] | None:
    """The first API of an RPC that a node offers, with its version; None for none. Raises WireError."""
    for api in rpc.apis:
        if drafts or not api.features:
            version = await connection.version(api.request.API_KEY, api.min_version, api.max_version, api.features)
            if version is not None:
                return api, version
    return None


async def ask(
    connection: Connection, probes: Collection[Probe], clock: Clock, deadline: float
) -> dict[WalkName, Answer]:
    """The answers to the probes, by walk; RPCs that the node does not offer are left out.

    Nothing is sent after the deadline (of `time.monotonic`).
    """
    answers = {}
    for probe in probes:
        asked = clock.now()
        try:
            found = await _asked(connection, probe, clock, deadline)
        except WireError as error:
            found = error.code, error.message, ()
        if found is not None:
            answers[probe.walk] = Answer(*found, asked, clock.now())
    return answers


async def holders(connection: Connection, clock: Clock, deadline: float) -> frozenset[int] | None:
    """The brokers in the replica lists of all topics that the principal may describe; None where they are not known.

    DescribeCluster does not name a broker that was removed, and before 4.0 none that is down.
    """
    left = deadline - clock.monotonic()
    try:
        found = await offered(connection, rpc_named("Metadata", "names"), drafts=False)
        if found is None or left <= 0:
            return None
        api, version = found
        response = (await connection.send(api.build(version, Ask((), None, 1)), left, deadline)).response
        return frozenset(
            node for topic in response.topics for partition in topic.partitions for node in partition.replica_nodes
        )
    except (WireError, *UNDECODABLE):
        return None


async def _asked(
    connection: Connection, probe: Probe, clock: Clock, deadline: float
) -> tuple[int, str, tuple[Row, ...]] | None:
    """Code, message and items of an answer; None where the node does not offer the RPC. Raises WireError."""
    left = deadline - clock.monotonic()
    if left <= 0:
        return ErrorCode.DEADLINE_EXCEEDED, "no time was left to ask", ()
    rpc = rpc_named(*probe.walk)
    found = await offered(connection, rpc, drafts=False)
    if found is None:
        return None
    api, version = found
    question = Ask(probe.keys, None, 1)
    if probe.build is None:
        request = api.build(version, question)
    else:
        request = probe.build(api.request, version, connection.endpoint.node_id)
    response = (await connection.send(request, left, deadline)).response
    try:
        code, message = api.error(response)
        rows = () if code else tuple(api.rows(response, question))
    except UNDECODABLE as error:
        raise WireError(ErrorCode.MALFORMED_RESPONSE, f"an answer that makes no sense: {error!r}") from error
    if not code and rpc.error_column is not None:
        code = next((row[rpc.error_column] for row in rows), 0)
    return code, message or error_name(code) or "", rows
