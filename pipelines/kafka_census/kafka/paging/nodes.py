"""The nodes that consecutive walks talk to: one connection per node, and the largest page that it returns.

The walks that share a `Nodes` run one after the other, so that at most one request is in flight
on each connection.
"""

from collections.abc import Sequence
from contextlib import suppress

from kafka.net.selector import NetworkSelector

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.lookup import KeyLookup
from kafka_census.kafka.paging.locate import locate
from kafka_census.kafka.protocol import identity
from kafka_census.kafka.protocol.cluster import bootstrap_endpoints
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.connection import Connection
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.redaction import redacted, secrets_of
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.protocol.wire_error import WireError
from kafka_messages.decoding import UNDECODABLE
from kafka_messages.kip_1062 import DescribeConfigsRequest


class Nodes:
    """Connections by endpoint, opened when they are first used."""

    def __init__(self, net: NetworkSelector, cluster: ClusterSettings, collect: CollectSettings) -> None:
        """Prepare the connections; none is opened yet."""
        self._net = net
        self._cluster = cluster
        self._collect = collect
        self._connections: dict[Endpoint, Connection] = {}
        self._limits: dict[tuple[int, str], int | None] = {}
        self._timeout_s = collect.request_timeout_ms / 1000

    def at(self, endpoint: Endpoint) -> Connection:
        """The connection to a node."""
        if endpoint not in self._connections:
            self._connections[endpoint] = Connection(self._net, endpoint, self._cluster, self._collect)
        return self._connections[endpoint]

    def redacted(self, text: str) -> str:
        """A text from a broker without the cluster's secrets: a broker may echo what it was sent."""
        return redacted(text, secrets_of(self._cluster))

    def close(self) -> None:
        """Close every connection."""
        for connection in self._connections.values():
            connection.close()

    async def locate(self, lookup: KeyLookup, keys: Sequence[str], deadline: float) -> dict[str, Endpoint]:
        """By key: its broker, from the first bootstrap server that answers; keys that cannot be located are left out.

        No request is sent after the deadline (of `time.monotonic`). Raises WireError where no server answers and
        one of them now belongs to another cluster.
        """
        stranger: WireError | None = None
        for endpoint in bootstrap_endpoints(self._cluster):
            try:
                return await locate(self.at(endpoint), lookup, keys, self._timeout_s, deadline)
            except WireError as error:
                # The next server may answer; where none does, the walk's own error is reported.
                stranger = error if error.code == ErrorCode.WRONG_CLUSTER else stranger
            except UNDECODABLE:
                continue
        if stranger is not None:
            raise stranger
        return {}

    async def limit(self, connection: Connection, config: str, deadline: float) -> int | None:
        """The largest page that a node returns, in items, from its config of that name; None where not reported.

        Asked once per node. A broker that refuses may still return shorter pages, which is no error.
        """
        asked = connection.endpoint.node_id, config
        if asked not in self._limits:
            self._limits[asked] = None  # also where it does not answer: if it is down, the page will report that
            with suppress(WireError, *UNDECODABLE):
                self._limits[asked] = await self._configured(connection, config, deadline)
        return self._limits[asked]

    async def _configured(self, connection: Connection, config: str, deadline: float) -> int | None:
        version = await connection.version(DescribeConfigsRequest.API_KEY, *identity.DESCRIBE_CONFIGS)
        if version is None:
            return None
        request = identity.broker_configs(version, connection.endpoint.node_id, [config])
        response = (await connection.send(request, self._timeout_s, deadline)).response
        values = [one.value for result in response.results for one in result.configs if one.name == config]
        known = values and values[0] is not None and values[0].isascii() and values[0].isdigit()
        return max(1, int(values[0])) if known else None
