"""The reader of the Data Source `kafka_admin`: plans the Spark partitions, and reads the pages of each."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition

from kafka_census.clock import Clock
from kafka_census.declarations.census import new_census_id
from kafka_census.declarations.walks import walk_named
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.protocol.cluster import ClusterView, bootstrap
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.rpc import rpc as rpc_named
from kafka_census.landing.fetch.arrow import PageEncoder, WaveId
from kafka_census.landing.fetch.fetch import Fetcher
from kafka_census.landing.fetch.listing import keyed_chains, node_chains, to_the_end
from kafka_census.landing.fetch.options import Options


@dataclass(frozen=True)
class WalkPartition(InputPartition):
    """One Spark partition: the chains to walk; no chains where the keys are listed while reading."""

    view: ClusterView
    chains: tuple[Chain, ...] | None
    census_id: str


@dataclass(frozen=True)
class KafkaAdminReader(DataSourceReader):
    """Plans one partition per broker, or one for all; reads one record batch per page."""

    options: Options
    cluster: ClusterSettings
    collect: CollectSettings

    def partitions(self) -> list[InputPartition]:
        """The partitions of the read. Raises Unreachable, AuthenticationFailed or WrongCluster."""
        view = bootstrap(self.cluster, self.collect)
        view = replace(view, brokers=tuple(sorted(view.brokers, key=lambda broker: broker.node_id)))
        census_id = new_census_id(Clock())
        walk = walk_named(self.options.rpc, self.options.scope)
        if walk.keys is not None:
            return [WalkPartition(view, None, census_id)]
        return [WalkPartition(view, (chain,), census_id) for chain in node_chains(walk, view)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The pages of one partition, in the order of arrival. Raises TypeError for a partition of another source."""
        if not isinstance(partition, WalkPartition):
            raise TypeError(f"not a partition of kafka_admin: {partition!r}")
        walk = walk_named(self.options.rpc, self.options.scope)
        wave = WaveId(partition.census_id, partition.view.cluster_id, 0)
        proven = self.cluster.proving(partition.view.cluster_id)

        def fetch(rpc: str, scope: str, chains: Iterator[Chain]) -> Iterator[Page]:
            return to_the_end(Fetcher(rpc, scope, proven, self.collect).pages, chains)

        chains = (
            iter(partition.chains)
            if partition.chains is not None
            else keyed_chains(walk, partition.view, self.collect, fetch)
        )
        rpc = rpc_named(walk.rpc, walk.scope)
        encoder = PageEncoder.of_rpc(rpc, wave)
        for page in fetch(walk.rpc, walk.scope, chains):
            yield encoder.encode(rpc, page)
