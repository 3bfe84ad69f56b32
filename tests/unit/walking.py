"""Walks of single chains against stand-ins, with short timeouts, and a broker that wants to know who asks."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from kafka.protocol.admin import DescribeClusterRequest

from harness.listener import Listener
from harness.responses import listed_groups
from harness.sasl import sasl
from harness.standin import StandIn
from kafka_census.data_source import KafkaAdminDataSource
from kafka_census.errors import AuthenticationFailed, CensusError
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.landing.fetch.fetch import Fetcher
from kafka_messages.kip_1062 import ListGroupsRequest

QUICK = CollectSettings(
    retry_backoff_ms=1,
    retry_backoff_max_ms=5,
    max_attempts=3,
    request_timeout_ms=1_000,
    connect_timeout_ms=500,
    chain_deadline_ms=5_000,
)
PATIENT = replace(QUICK, request_timeout_ms=10_000, connect_timeout_ms=10_000, chain_deadline_ms=60_000)
"""For walks that are not about time: a busy machine changes nothing in them."""


def walk(
    broker: Listener,
    rpc: str,
    scope: str,
    keys: tuple[str, ...] = (),
    collect: CollectSettings = PATIENT,
    bootstrap: Listener | None = None,
    cluster_id: str | None = None,
    settings: ClusterSettings | None = None,
    **chain: Any,
) -> list[Page]:
    """The pages of one chain at one broker, which is also the bootstrap server unless another is named.

    cluster_id  the id that each connection proves; by default none
    settings    those of another cluster, such as one that wants a user
    """
    one = Chain(broker.node_id, "chain", broker.endpoint, keys, **chain)
    servers = (f"127.0.0.1:{(bootstrap or broker).endpoint.port}",)
    cluster = settings or ClusterSettings("standin", servers, cluster_id)
    return list(Fetcher(rpc, scope, cluster, collect).pages(iter([one])))


def paged(names: Sequence[str], request: Any, **fields: Any) -> Any:
    """ListGroups of a broker that has these groups, and pages where it is asked to; fields of the response."""
    rest = [name for name in names if not request.cursor or name >= request.cursor.group_id]
    limit = request.response_pagination_limit if request.API_VERSION >= 6 else len(rest)
    follows = {"group_id": rest[limit]} if rest[limit:] else None
    return listed_groups(*rest[:limit], next_cursor=follows, **fields)


def read_groups(folder: Path, server: str, **collect: int) -> list[dict[str, Any]]:
    """What the Data Source reads of the groups of a cluster: a row per page."""
    path = folder / "census.yaml"
    clusters = {"prod": {"bootstrap_servers": [server]}}
    config = {"lake": {"root": str(folder)}, "clusters": clusters, "collect": collect}
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    source = KafkaAdminDataSource({"config": str(path), "cluster": "prod", "rpc": "ListGroups"})
    source.configs = (str(path),)
    reader = source.reader(source.schema())
    return [row for one in reader.partitions() for batch in reader.read(one) for row in batch.to_pylist()]


Serve = Callable[..., StandIn]
Answer = Callable[[bytes], bytes | str]


class Broker:
    """Lets in by bytes and refuses by words; who asks for the cluster was let in by mistake."""

    mechanism = ""

    def __init__(self, serve: Serve, answer: Answer = lambda _: b"", **how: Any) -> None:
        self.sent: list[bytes] = []
        self.answer = answer
        groups = {ListGroupsRequest: listed_groups("a")}
        nobody = {DescribeClusterRequest: lambda _request, _n: pytest.fail("nobody was let in")}
        self.at = serve({**sasl(self._take, (self.mechanism,)), **groups, **nobody}, **how)

    def _take(self, sent: bytes) -> bytes | str:
        self.sent.append(sent)
        return self.answer(sent)

    def settings(self, by: Any) -> ClusterSettings:
        """Those of who signs by this."""
        raise NotImplementedError

    def page(self, by: Any) -> Page:
        (page,) = walk(self.at, "ListGroups", "groups", settings=self.settings(by))
        return page

    def refusal(self, by: Any, kind: type[CensusError] = AuthenticationFailed) -> str:
        """The one line at bootstrap."""
        with pytest.raises(kind) as caught:
            bootstrap(self.settings(by), PATIENT)
        (line,) = str(caught.value).splitlines()
        return line
