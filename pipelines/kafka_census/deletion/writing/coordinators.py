"""Requests about groups, each sent to the group's coordinator, with one answer per group.

The walks are those of a census (`paging.pager`): many groups per request, retries, and groups
that move to another coordinator meanwhile. Memory holds the answers for a few
hundred groups.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from kafka.net.selector import NetworkSelector

from kafka_census.clock import Clock
from kafka_census.kafka.lookup import GROUP_COORDINATOR
from kafka_census.kafka.paging.nodes import Nodes
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.paging.pager import Pager
from kafka_census.kafka.paging.rpc import COORDINATOR_LOADS, NOT_COORDINATOR, Rpc
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.retry import Backoff
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.protocol.wire_error import WireError

COORDINATOR_NOT_AVAILABLE = 15
RETRIABLE = COORDINATOR_LOADS | NOT_COORDINATOR
"""Codes that another round may resolve: the group's coordinator is loading, or is another broker now."""


@dataclass(frozen=True)
class GroupResponse:
    """The answer for one group: its rows, by column, or an error code and message.

    node_id   the broker that answered, or was asked last; None where no coordinator was found
    attempts  number of requests for the page with the group
    """

    rows: tuple[Mapping[str, Any], ...] = ()
    node_id: int | None = None
    attempts: int = 0
    error_code: int = 0
    error_message: str | None = None


@dataclass
class _Answers:
    """The rows of received pages by group; `cut` is the group of the last row, which the next page may continue."""

    columns: tuple[str, ...]
    by_group: dict[str, GroupResponse] = field(default_factory=dict)
    last: Page | None = None
    cut: str | None = None

    async def emit(self, page: Page) -> None:
        if page.request_cursor is None and not page.error_code:  # the walk starts or restarts
            for key in page.chain.keys:
                self.by_group.pop(key, None)
        self.last = page
        for row in page.rows:
            self.cut, named = row[0], dict(zip(self.columns, row, strict=True))
            before = self.by_group.get(row[0], GroupResponse())
            attempts = max(before.attempts, page.attempts)
            self.by_group[row[0]] = GroupResponse((*before.rows, named), page.chain.node_id, attempts)


class Coordinators:
    """Connections to coordinators, for one task; a context manager.

    rounds    how often the task may ask about a group whose code is `RETRIABLE`
    repeated  whether an earlier attempt of the task may have sent its requests already
    """

    def __init__(self, cluster: ClusterSettings, collect: CollectSettings, *, repeated: bool = False) -> None:
        """Prepare the connections; none is opened yet."""
        self.rounds = collect.max_attempts
        self.repeated = repeated
        self._backoff = Backoff(collect.retry_backoff_ms, collect.retry_backoff_max_ms)
        self._net = NetworkSelector(client_id=cluster.client_id, slow_task_threshold_secs=0)
        self._nodes = Nodes(self._net, cluster, collect)
        self._collect = collect
        self._clock = Clock()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close every connection."""
        self._nodes.close()
        self._net.close()

    def ask(self, rpc: Rpc, groups: Sequence[str]) -> dict[str, GroupResponse]:
        """By group: its answer; every group has one, which may be an error."""
        if not groups:
            return {}
        responses: dict[str, GroupResponse] = self._net.run(self._asked, rpc, tuple(groups))
        return responses

    def pause(self, rounds: int) -> None:
        """Wait for the backoff after so many rounds."""
        self._net.run(self._net.sleep, self._backoff.delay(rounds))

    async def _asked(self, rpc: Rpc, groups: tuple[str, ...]) -> dict[str, GroupResponse]:
        deadline = self._clock.monotonic() + self._collect.chain_deadline_ms / 1000
        try:
            endpoints = await self._nodes.locate(GROUP_COORDINATOR, groups, deadline)
        except WireError as error:
            return dict.fromkeys(
                groups, GroupResponse(error_code=error.code, error_message=self._nodes.redacted(error.message))
            )
        answers = _Answers(tuple(column.name for column in rpc.item))
        for endpoint in dict.fromkeys(endpoints.values()):
            keys = tuple(group for group in groups if endpoints.get(group) == endpoint)
            chain = Chain(endpoint.node_id, f"{rpc.scope}-{endpoint.node_id}", endpoint, keys=keys)
            await self._walk(rpc, chain, answers)
        nobody = GroupResponse(error_code=COORDINATOR_NOT_AVAILABLE, error_message="no broker says who coordinates it")
        return {group: answers.by_group.get(group, nobody) for group in groups}

    async def _walk(self, rpc: Rpc, chain: Chain, answers: _Answers) -> None:
        """One walk to its end, which may take several waves; groups that were not reached get the walk's error."""
        pager = Pager(self._net, rpc, GROUP_COORDINATOR, self._nodes, self._collect, self._clock, answers.emit)
        while True:
            await pager.walk(chain)
            last = answers.last
            if last is None or not last.goes_on:
                break
            chain = last.next_wave()
        if last is None or not last.error_code:
            return
        failed = GroupResponse((), last.chain.node_id, last.attempts, last.error_code, last.error_message)
        unfinished = {answers.cut} if last.paging == "cursor" else set()
        for key in chain.keys:
            if key not in answers.by_group or key in unfinished:
                answers.by_group[key] = failed
