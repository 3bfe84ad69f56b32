"""The Spark Python Data Source `kafka_admin`: landed-page rows of one RPC, read live.

`kafka_census.spark.session.session` registers it; jobs do without. The wire protocol is imported by a read.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from kafka_census.config import load
from kafka_census.errors import ConfigError
from kafka_census.spark.settings import setting

if TYPE_CHECKING:
    from kafka_census.landing.fetch.reader import KafkaAdminReader

CONFIGS = "spark.kafka_census.configs"
"""Spark's setting: the configuration files that `kafka_admin` may read, comma-separated."""

DEFAULT_CONFIG = "conf/census.yaml"


class KafkaAdminDataSource(DataSource):
    """Send one admin RPC to a Kafka cluster; the result is a table of pages.

    Name: ``kafka_admin``. Batch reads only.

    Options (any other is refused by name, and so is any that looks like a secret):

    - ``config``   path of a census configuration, readable on the driver; one that the operator allows
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

    Schema: that of the landing tables: one row per page (``tables.pages.PAGE``), its items
    nested in ``items``. A refusal is a row with ``error_code``, ``error`` and
    ``error_message`` and no items. ``census_id`` is new in every read. A page without a
    ``request_cursor`` and with a ``page_no`` above 0 starts its chain over: what the chain
    had before does not count (its broker was up- or downgraded during the read).

    Brokers: every alive broker where each has its own answer (ListGroups,
    ListTransactions, DescribeLogDirs, DescribeConfigs of brokers), with one Spark partition per
    broker; any broker for other RPCs. RPCs that need names list them first, and are sent to the
    coordinator or leader of each name where only that broker can answer. Unlike a census, a read does not
    know brokers that are not alive.

    Configurations: a file makes the driver read the secrets that it refers to and
    send them to the brokers that it names. So a read accepts only files that the operator of the session
    allows, by Spark's setting ``spark.kafka_census.configs`` (paths, comma-separated). Without the setting, this is
    the configuration of the running job, or else ``conf/census.yaml`` below the driver's current
    directory. The setting is read when the data source is registered: a later ``SET`` has no effect.

    **Every action asks the brokers again**: ``cache()`` or write the frame before using
    it twice. Nothing is ever created, altered or deleted in Kafka.

    Examples
    --------
    >>> spark.dataSource.register(kafka_admin(spark))
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

    configs: ClassVar[tuple[str, ...]] = (DEFAULT_CONFIG,)
    """The configuration files that the operator allows."""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return "kafka_admin"

    def schema(self) -> StructType:
        """The page schema of the RPC. Raises ConfigError for bad options, and for a file that is not allowed."""
        from kafka_census.kafka.rpc import rpc as rpc_named
        from kafka_census.landing.fetch.options import parse
        from kafka_census.landing.fetch.schema import page_schema_of

        options = parse(self.options)
        allowed(options.config, self.configs)
        return page_schema_of(rpc_named(options.rpc, options.scope))

    def reader(self, schema: StructType) -> "KafkaAdminReader":  # noqa: ARG002 - Spark's signature
        """A reader; settings and secrets are read here, on the driver."""
        from kafka_census.landing.fetch.options import parse
        from kafka_census.landing.fetch.reader import KafkaAdminReader

        options = parse(self.options)
        config = load(allowed(options.config, self.configs))
        return KafkaAdminReader(options, config.cluster(options.cluster), config.collect)


def kafka_admin(spark: SparkSession, config: str = DEFAULT_CONFIG) -> type[KafkaAdminDataSource]:
    """The data source, with the configurations that this session's setting allows, or else the given one.

    Spark runs a data source in separate Python processes without session and settings. The class carries the allowed
    files, so that they are fixed when the class is registered, and no option of a read changes them.
    """
    allowed = setting(spark, CONFIGS)
    named = [path.strip() for path in allowed.split(",") if path.strip()] if allowed else [config]

    class Allowing(KafkaAdminDataSource):
        configs = tuple(str(Path(path).absolute()) for path in named)

    return Allowing


def allowed(config: str, configs: Sequence[str]) -> str:
    """The real path of a configuration file, if it is one of those that the operator allows.

    Files are compared and read by their real paths, so that the target of a symbolic link cannot be replaced between
    this check and the read. Raises ConfigError for every other file, whether it exists or not.
    """
    try:
        real = os.path.realpath(config)
    except ValueError:  # no file system accepts such a name
        real = ""
    if real not in {os.path.realpath(one) for one in configs}:
        raise ConfigError(
            f"kafka_admin: the configuration {config!r} is not one that the operator of this session allows; "
            f"those are named by Spark's setting {CONFIGS} when the session is started"
        )
    return real
