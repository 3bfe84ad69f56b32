"""Walks of single chains against stand-ins, with short timeouts."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from harness.failover import Failover
from harness.standin import StandIn
from kafka_census.data_source import KafkaAdminDataSource
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.landing.fetch.fetch import Fetcher

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
    broker: StandIn | Failover,
    rpc: str,
    scope: str,
    keys: tuple[str, ...] = (),
    collect: CollectSettings = QUICK,
    bootstrap: StandIn | Failover | None = None,
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
