"""The Spark Python Data Source `kafka_admin`: landed-page rows of one RPC, read live."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from kafka_census.census import new_census_id
from kafka_census.clock import Clock
from kafka_census.config import load
from kafka_census.paging.page import Chain, Page
from kafka_census.protocol.cluster import ClusterView, bootstrap
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.rpc import rpc as rpc_named
from kafka_census.source.arrow import PageEncoder, WaveId
from kafka_census.source.fetch import Fetcher
from kafka_census.source.listing import keyed_chains, node_chains, walk_named
from kafka_census.source.options import Options, parse
from kafka_census.source.schema import page_table


class KafkaAdminDataSource(DataSource):
    """Ask a Kafka cluster one admin RPC, as a table of pages.

    Name: ``kafka_admin``. Batch reads only.

    Options (any other is refused by name, and so is any that looks like a secret):

    - ``config``   path of a census configuration, readable on the driver
    - ``cluster``  name of a cluster in it; credentials come from there and nowhere else
    - ``rpc``      Kafka's name of the RPC: DescribeCluster, Metadata,
      DescribeTopicPartitions, DescribeConfigs, ListPartitionReassignments,
      DescribeLogDirs, ListGroups, FindCoordinator, DescribeGroups,
      ConsumerGroupDescribe, ShareGroupDescribe, StreamsGroupDescribe, OffsetFetch,
      DescribeShareGroupOffsets, ListOffsets, ListTransactions, DescribeTransactions,
      DescribeProducers, DescribeAcls, DescribeClientQuotas,
      DescribeUserScramCredentials, ListConfigResources, DescribeQuorum
    - ``scope``    where an RPC has several: DescribeConfigs ``topics``, ``topics_all`` or ``brokers``,
      FindCoordinator ``groups`` or ``transactional_ids``, ListOffsets ``earliest``,
      ``latest`` or ``last_stable``, DescribeProducers ``partitions`` or ``recheck`` (those with an open
      transaction)

    Schema: that of the landing tables: one row a page (``tables.pages.PAGE``), its items
    nested in ``items``. A refusal is a row with ``error_code``, ``error`` and
    ``error_message`` and no items. ``census_id`` is new in every read. A page without a
    ``request_cursor`` and with a ``page_no`` above 0 starts its chain over: what the chain
    had before does not count (its broker was up- or downgraded during the read).

    Who is asked: every alive broker where each owes its own answer (ListGroups,
    ListTransactions, DescribeLogDirs, DescribeConfigs of brokers), one Spark partition a
    broker; any broker elsewhere. RPCs that need names list them first, and are asked at the
    coordinator or leader of each where only that can answer. Unlike a census, a read does not
    know of brokers that are not alive.

    **Every action asks the brokers again**: ``cache()`` or write the frame before using
    it twice. Nothing is ever created, altered or deleted in Kafka.

    Examples
    --------
    >>> spark.dataSource.register(KafkaAdminDataSource)
    >>> groups = (
    ...     spark.read.format("kafka_admin")
    ...     .option("config", "conf/census.yaml")
    ...     .option("cluster", "local")
    ...     .option("rpc", "ListGroups")
    ...     .load()
    ...     .selectExpr("node_id", "inline(items)")
    ... )

    In SQL::

        CREATE TEMPORARY VIEW groups USING kafka_admin
        OPTIONS (config 'conf/census.yaml', cluster 'local', rpc 'ListGroups')
    """

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return "kafka_admin"

    def schema(self) -> StructType:
        """The page schema of the RPC. Raises ConfigError for bad options."""
        options = parse(self.options)
        return page_table(rpc_named(options.rpc, options.scope)).schema

    def reader(self, schema: StructType) -> "KafkaAdminReader":  # noqa: ARG002 - Spark's signature
        """A reader; settings and secrets are read here, on the driver."""
        options = parse(self.options)
        config = load(options.config)
        return KafkaAdminReader(options, config.cluster(options.cluster), config.collect)


@dataclass(frozen=True)
class Walk(InputPartition):
    """One Spark partition: chains to walk, or none where the keys are listed while reading."""

    view: ClusterView
    chains: tuple[Chain, ...] | None
    census_id: str


@dataclass(frozen=True)
class KafkaAdminReader(DataSourceReader):
    """Plans one partition a broker, or one for all; reads one record batch a page."""

    options: Options
    cluster: ClusterSettings
    collect: CollectSettings

    def partitions(self) -> list[InputPartition]:
        """Who is asked for what. Raises Unreachable, AuthenticationFailed or WrongCluster."""
        view = bootstrap(self.cluster, self.collect)
        view = replace(view, brokers=tuple(sorted(view.brokers, key=lambda broker: broker.node_id)))
        census_id = new_census_id(Clock())
        walk = walk_named(self.options.rpc, self.options.scope)
        if walk.keys is not None:
            return [Walk(view, None, census_id)]
        return [Walk(view, (chain,), census_id) for chain in node_chains(walk, view)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The pages of one partition, in the order in which they come."""
        if not isinstance(partition, Walk):
            raise TypeError(f"not a partition of kafka_admin: {partition!r}")
        walk = walk_named(self.options.rpc, self.options.scope)
        wave = WaveId(partition.census_id, partition.view.cluster_id, 0)

        def fetch(rpc: str, scope: str, chains: Iterator[Chain]) -> Iterator[Page]:
            return Fetcher(rpc, scope, self.cluster, self.collect, wave).pages(chains)

        chains = (
            iter(partition.chains)
            if partition.chains is not None
            else keyed_chains(walk, partition.view, self.collect.keys_per_request, fetch)
        )
        encoder = PageEncoder(rpc_named(walk.rpc, walk.scope), wave)
        for page in fetch(walk.rpc, walk.scope, chains):
            yield encoder.encode(page)
