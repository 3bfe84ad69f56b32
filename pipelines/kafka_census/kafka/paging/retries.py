"""One request to one node until it has an answer: negotiation, retries, and locating keys that have moved.

- The node's ApiVersions, read on the same connection, decide which API is used.
- A request is sent again, after a backoff, while its error is retriable, attempts are
  left and the chain's deadline has not passed.
- Keys that their coordinator or leader answers are located again after each failure,
  by the first of them: the node that failed may no longer be the coordinator or leader.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from kafka.net.selector import NetworkSelector

from kafka_census.clock import Clock
from kafka_census.kafka.error_codes import ErrorCode, error_name
from kafka_census.kafka.lookup import KeyLookup, LookupStrategy
from kafka_census.kafka.paging.nodes import Nodes
from kafka_census.kafka.paging.rpc import Api, Ask, Row, Rpc
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.gc_paused import gc_paused
from kafka_census.kafka.protocol.retry import Backoff, is_retriable
from kafka_census.kafka.protocol.wire_error import WireError
from kafka_messages.decoding import UNDECODABLE
from kafka_messages.kip_1062 import PAGINATION

T = TypeVar("T")

PAGINATION_LIMIT, PARTITION_LIMIT = "max.request.pagination.size.limit", "max.request.partition.size.limit"
"""The broker configs that limit a page: of KIP-1062's RPCs, and of DescribeTopicPartitions."""


class PagingChanged(Exception):
    """The node now pages in another way than when the request was built."""


@dataclass
class Tally:
    """What one page has cost so far: times in ms, sizes in bytes."""

    requested_at: datetime
    attempts: int = 0
    response_bytes: int = 0
    throttle_time_ms: int = 0


class Exchange:
    """The requests of one RPC for one chain.

    connection  the connection to the node that is asked now
    lookup      decides which node answers
    """

    def __init__(
        self,
        net: NetworkSelector,
        rpc: Rpc,
        lookup: LookupStrategy,
        nodes: Nodes,
        endpoint: Endpoint,
        collect: CollectSettings,
        clock: Clock,
    ) -> None:
        """Prepare the exchange; nothing is sent yet."""
        self.lookup = lookup
        self.api: tuple[Api, int] | None = None
        self.connection = self._home = nodes.at(endpoint)
        self._session = 0
        self._net = net
        self._rpc = rpc
        self._nodes = nodes
        self._collect = collect
        self._clock = clock
        self._backoff = Backoff(collect.retry_backoff_ms, collect.retry_backoff_max_ms)
        self._deadline = clock.monotonic() + collect.chain_deadline_ms / 1000

    @property
    def time_left(self) -> float:
        """Seconds until the chain's deadline; zero or negative once it has passed."""
        return self._deadline - self._clock.monotonic()

    async def pause(self, failures: int) -> None:
        """Wait for the backoff after so many failures."""
        await self._net.sleep(self._backoff.delay(failures))

    async def locate(self, keys: tuple[str, ...]) -> dict[str, Endpoint]:
        """The brokers that answer these keys now; keys that cannot be located are left out."""
        if not isinstance(self.lookup, KeyLookup):
            return {}
        return await self._nodes.locate(self.lookup, keys, self._deadline)

    def turn(self, endpoint: Endpoint | None) -> None:
        """Ask this node from now on; None: the chain's own node."""
        self._turn(self._home.endpoint if endpoint is None else endpoint)

    async def follow(self, keys: tuple[str, ...]) -> None:
        """Turn to the node that answers these keys now; if the chain's own node was asked, that node replaces it."""
        is_home = self.connection is self._home
        for endpoint in (await self.locate(keys)).values() if keys else ():
            self._turn(endpoint)
        if is_home:
            self._home = self.connection

    async def limit(self, api: Api) -> int | None:
        """The largest page that the node returns, in items; None where it does not report that."""
        config = PAGINATION_LIMIT if PAGINATION in api.features else PARTITION_LIMIT
        return await self._nodes.limit(self.connection, config, self._deadline)

    async def offered(self, keys: tuple[str, ...], tally: Tally) -> tuple[Api, int]:
        """The first of the RPC's APIs that the node offers now, and its version. Raises WireError."""
        return await self._persist(lambda: self._offered(keys), keys, tally, retry_timeouts=True)

    async def send(self, ask: Ask, api: Api, tally: Tally, *, shrinkable: bool) -> tuple[Api, int, Any]:
        """Send a request that was built for `api`: the API that answered, its version and the response.

        Raises WireError when there is no answer, PagingChanged when the node now pages in another way.
        """
        return await self._persist(lambda: self._once(ask, api, tally), ask.keys, tally, retry_timeouts=not shrinkable)

    def refuse_silence(self, api: Api, left_out: Sequence[str]) -> None:
        """Raise WireError where the response lacks keys that were asked for."""
        if left_out:
            text = f"{self.connection.endpoint}: {api.name} says nothing of {len(left_out)} keys"
            raise _after_sending(api, WireError(ErrorCode.INCONSISTENT_PAGES, f"{text}, such as {left_out[0]!r}"))

    def rows(self, api: Api, response: Any, ask: Ask, into: Callable[[Iterable[Row]], T]) -> T:
        """The rows of a response, passed through `into`. Raises WireError as `read` does."""
        return self.read(api, lambda: into(api.rows(response, ask)))

    def read(self, api: Api, reader: Callable[[], T]) -> T:
        """The result of `reader` on a response. Raises WireError where the response makes no sense."""
        try:
            with gc_paused():
                return reader()
        except UNDECODABLE as error:
            text = f"{self.connection.endpoint}: {api.name}: an answer that makes no sense: {error!r}"
            raise _after_sending(api, WireError(ErrorCode.MALFORMED_RESPONSE, text)) from error

    async def _offered(self, keys: tuple[str, ...]) -> tuple[Api, int]:
        for api in self._rpc.apis:
            if api.paging == "whole" and keys:
                continue  # the chain has keys because it fell back to windows
            version = await self.connection.version(api.request.API_KEY, api.min_version, api.max_version, api.features)
            if version is not None:
                self._session = self.connection.session
                self.api = api, version
                return self.api
        raise WireError(ErrorCode.UNSUPPORTED_VERSION, f"{self.connection.endpoint} does not offer {self._rpc.name}")

    async def _once(self, ask: Ask, made_for: Api, tally: Tally) -> tuple[Api, int, Any]:
        api, version = self.api or await self._offered(ask.keys)
        if (api.paging, api.one_key) != (made_for.paging, made_for.one_key):
            raise PagingChanged
        tally.attempts += 1
        timeout_s = self._collect.request_timeout_ms / 1000
        try:
            answer = await self.connection.send(api.build(version, ask), timeout_s, self._deadline, self._session)
        except WireError as error:
            if error.sent and not api.repeatable:
                raise _after_sending(api, error) from error
            raise
        tally.response_bytes += answer.size
        tally.throttle_time_ms += getattr(answer.response, "throttle_time_ms", 0) or 0
        code, message = api.error(answer.response)
        if code:
            detail = f": {message}" if message else ""
            raise WireError(code, f"{self.connection.endpoint}: {api.name} v{version}: {error_name(code)}{detail}")
        return api, version, answer.response

    async def _persist(
        self, action: Callable[[], Awaitable[T]], keys: tuple[str, ...], tally: Tally, *, retry_timeouts: bool
    ) -> T:
        """Repeat an action while its error is retriable."""
        failures = 0
        while True:
            try:
                return await action()
            except WireError as error:
                failures += 1
                hopeless = not is_retriable(error.code) or failures >= self._collect.max_attempts
                if hopeless or (error.code == ErrorCode.DEADLINE_EXCEEDED and not retry_timeouts):
                    raise
                delay = self._backoff.delay(failures)
                if self._clock.monotonic() + delay >= self._deadline:
                    raise WireError(
                        ErrorCode.DEADLINE_EXCEEDED,
                        f"gave up after collect.chain_deadline_ms "
                        f"({self._collect.chain_deadline_ms / 1000:g} s, {tally.attempts} requests): {error.message}",
                    ) from None
                self.api = None
                await self._net.sleep(delay)
                await self.follow(keys[:1])

    def _turn(self, endpoint: Endpoint) -> None:
        if endpoint != self.connection.endpoint:
            self.connection = self._nodes.at(endpoint)
            self.api = None


def _after_sending(api: Api, error: WireError) -> WireError:
    """The error of a request that the node has received: ANSWER_LOST where it must not be sent twice."""
    if api.repeatable:
        return error
    return WireError(ErrorCode.ANSWER_LOST, f"{error.message}; the request may have been carried out", sent=True)
