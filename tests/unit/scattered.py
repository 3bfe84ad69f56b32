"""A cluster in which keys have a place: each of three brokers knows its own keys, and pages or does not."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from kafka.protocol.metadata import FindCoordinatorRequest, FindCoordinatorResponse

from harness.paging_broker import PAGINATION, SERVER_LIMIT
from harness.standin import StandIn
from kafka_census.paging.page import Page
from kafka_census.rpc import rpc as rpc_named
from kafka_messages.kip_1062 import MetadataRequest, MetadataResponse
from unit.cursor_cases import CASES, Case
from unit.walking import PATIENT

ELSEWHERE = {"partition": 6, "group": 16, "transactional_id": 16}
"""What a broker says of keys that it does not have, by what they are."""

NODES = (1, 2, 3)


def located_by(case: Case) -> str | None:
    """What the keys of a case are, where they have a place."""
    return rpc_named(case.rpc, case.scope).located_by


LOCATED = [case for case in CASES if located_by(case)]
"""The RPCs of KIP-1062 whose keys have a place."""


@dataclass
class Scattered:
    """What the keys of a case are at, and who answers for them; broker 1 is the bootstrap server."""

    case: Case
    at: dict[str, int]
    brokers: dict[int, StandIn] = field(default_factory=dict)

    def answer(self, node: int, request: Any) -> Any:
        """What one broker says: of its own keys all there is, of others that they are elsewhere."""
        paged = self.case.paged
        items = [item for item in self.case.items if self._place(paged.name(item.place)) == node]
        code = ELSEWHERE[str(located_by(self.case))]
        away = [name for name in paged.named(request) or () if self._place(name) != node]
        items += [replace(paged.absent(name), code=code, bare=False) for name in away]
        return paged.page(items, request, SERVER_LIMIT)

    def walk(self, home: int = 1, limit: int = 2, **chain: Any) -> list[Page]:
        """The pages of the case's walk that begins at a broker."""
        return self.case.walk(self.brokers[home], limit, bootstrap=self.brokers[1], **{"collect": PATIENT, **chain})

    def coordinators(self, request: Any) -> Any:
        """FindCoordinator of any broker."""
        one = FindCoordinatorResponse.Coordinator
        places = [(key, self.brokers[self.at[key]].endpoint) for key in request.coordinator_keys]
        fine = {"error_code": 0, "error_message": None}
        return FindCoordinatorResponse(
            throttle_time_ms=0,
            coordinators=[one(key=key, node_id=at.node_id, host=at.host, port=at.port, **fine) for key, at in places],
        )

    def metadata(self, request: Any) -> Any:
        """Metadata of the named topics."""
        topic, broker = MetadataResponse.MetadataResponseTopic, MetadataResponse.MetadataResponseBroker
        kind = topic.MetadataResponsePartition
        lists = {"replica_nodes": [1, 2, 3], "isr_nodes": [1, 2, 3], "offline_replicas": []}

        def partitions(name: str) -> list[Any]:
            indexes = {int(key.rpartition("/")[2]): node for key, node in self.at.items() if key.startswith(f"{name}/")}
            one = {"error_code": 0, "leader_epoch": 0, **lists}
            return [kind(partition_index=index, leader_id=node, **one) for index, node in indexes.items()]

        nodes = [one.endpoint for one in self.brokers.values()]
        fine = {"error_code": 0, "is_internal": False, "authorized_operations": {31}}
        return MetadataResponse(
            throttle_time_ms=0,
            brokers=[broker(node_id=one.node_id, host=one.host, port=one.port, rack=None) for one in nodes],
            cluster_id="k",
            controller_id=1,
            topics=[topic(name=one.name, partitions=partitions(one.name), **fine) for one in request.topics],
        )

    def _place(self, name: Any) -> int:
        """The node of a key, by its name in a request."""
        return self.at["/".join(map(str, name)) if isinstance(name, tuple) else name]


@contextmanager
def scattered(case: Case, *places: int, paging: tuple[int, ...] = ()) -> Iterator[Scattered]:
    """Brokers of which those of `paging` have the feature; the keys are at these places by turns."""
    cluster = Scattered(case, {key: places[n % len(places)] for n, key in enumerate(case.keys)})
    with ExitStack() as stack:
        for node in NODES:
            scripts = {
                case.paged.request: lambda request, _n, node=node: cluster.answer(node, request),
                FindCoordinatorRequest: lambda request, _n: cluster.coordinators(request),
                MetadataRequest: lambda request, _n: cluster.metadata(request),
            }
            features = {PAGINATION: 1} if node in paging else {}
            cluster.brokers[node] = stack.enter_context(StandIn(scripts, node_id=node, features=features))
        yield cluster
