"""Replication throttles in force: the rate at which a broker may send or receive throttled copies, bytes per second.

A rate counts only if it is set dynamically, on the broker or, from 3.9 on, for all of them (KAFKA-10190): brokers read
it from no other source (kafka.server.BrokerConfigHandler), so neither a static rate nor the default, Long.MAX_VALUE, is
a throttle. Whether a rate for all brokers counts at a broker whose release is not known is unknown. A rate between
brokers throttles only replicas that the topic lists, "*" or partition:broker,... (TopicConfigHandler), while they are
not in sync; the rate between log dirs throttles all copies of its broker.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.shared.reasons import first_that_holds, not_read, not_read_from, words
from kafka_census.tables.shared.releases import is_from

_RATES = {
    "leader": "leader.replication.throttled.rate",
    "follower": "follower.replication.throttled.rate",
    "log_dir": "replica.alter.log.dirs.io.max.bytes.per.second",
}
_LISTS = {
    "leader": "leader.replication.throttled.replicas",
    "follower": "follower.replication.throttled.replicas",
}
_DYNAMIC_BROKER, _DYNAMIC_DEFAULT = 2, 3  # ConfigSource of DescribeConfigsResponse
_DEFAULTS_COUNT_SINCE = "3.9"
_NO_LIMIT = 2**63 - 1
_MAY_COUNT = -1
"""Stands for a rate for all brokers where it is not known whether the broker applies it; no rate is negative."""


@dataclass(frozen=True)
class Throttle:
    """One of Kafka's three throttles: `kind` is leader, follower or log_dir; `node` the column of its broker's id."""

    kind: str
    node: str

    def of(self, missing: Sequence[MissingRead]) -> tuple[Column, Column]:
        """Its rate, null for none, and why the rate is not known; both of rows from `with_configs`."""
        rates, lists = F.col(f"{self.node}_rates"), F.col("throttled")
        reported, answered = rates[self.kind], rates.isNotNull() & rates["error"].isNull()
        listed, unlisted = F.lit(True), F.lit(None).cast("string")
        if self.kind in _LISTS:
            listed, unlisted = _is_listed(lists[self.kind], self.node), _why_no_list(lists, self.kind, missing)
        reason = first_that_holds(
            # Known to be no throttle: without a rate the list does not matter, without a list the rate does not.
            ((answered & reported.isNull()) | ~listed, F.lit(None)),
            (~answered, self._why_no_rates(rates["error"], missing)),
            (listed.isNull(), unlisted),
            (
                reported == _MAY_COUNT,
                words(
                    f"{_RATES[self.kind]} is set for all brokers, which counts from {_DEFAULTS_COUNT_SINCE} on, and "
                    "the API ranges of broker ",
                    F.col(self.node),
                    " prove no release",
                ),
            ),
        )
        return F.when(listed, F.nullif(reported, F.lit(_MAY_COUNT))), reason

    def _why_no_rates(self, error: Column, missing: Sequence[MissingRead]) -> Column:
        here = words("broker ", F.col(self.node))
        return F.coalesce(
            not_read_from(missing, "DescribeConfigs", "brokers", self.node),
            words("DescribeConfigs answered ", error, " for ", here),
            words(here, " did not answer DescribeConfigs"),
        )


def with_configs(rows: DataFrame, topic_configs: DataFrame, broker_configs: DataFrame, *nodes: str) -> DataFrame:
    """Rows of a topic with `throttled`, its lists, and `<node>_rates` for each column of a broker's id; null if unread.

    Each is a struct with `error` and `received_at`. The configs are items of DescribeConfigs.
    """
    lists = topic_configs.where(F.col("name").isin(*_LISTS.values()) | F.col("name").isNull())
    listed = _of_resource(lists, "topic", _LISTS, F.col("value")).withColumnsRenamed(
        {"resource_name": "topic", "configs": "throttled"}
    )
    rate = F.nullif(F.expr("try_cast(value AS BIGINT)"), F.lit(_NO_LIMIT))
    defaults_count = is_from(F.col("release_at_least"), _DEFAULTS_COUNT_SINCE)
    default = F.when(defaults_count, rate).when(defaults_count.isNull() & rate.isNotNull(), F.lit(_MAY_COUNT))
    source = F.col("source")
    in_force = F.when(source == _DYNAMIC_BROKER, rate).when(source == _DYNAMIC_DEFAULT, default)
    rates = _of_resource(broker_configs, "broker", _RATES, in_force)
    rates = rates.withColumn("resource_name", F.expr("try_cast(resource_name AS INT)"))
    joined = rows.join(listed, "topic", "left")
    for node in nodes:
        of_node = rates.withColumnsRenamed({"resource_name": node, "configs": f"{node}_rates"})
        joined = joined.join(F.broadcast(of_node), node, "left")
    return joined


def _of_resource(configs: DataFrame, kind: str, keys: Mapping[str, str], value: Column) -> DataFrame:
    """One row per resource: `configs`, a struct of the values of the keys, error and received_at."""
    values = [F.max(F.when(F.col("name") == key, value)).alias(name) for name, key in keys.items()]
    return (
        configs.where(F.col("resource_type") == kind)
        .groupBy("resource_name")
        .agg(*values, F.max(error_name("error_code")).alias("error"), F.max("received_at").alias("received_at"))
        .select("resource_name", F.struct(*keys, "error", "received_at").alias("configs"))
    )


def _is_listed(replicas: Column, node: str) -> Column:
    """Whether the broker's replica of the row's partition is in a list of throttled replicas; null if unread."""
    mine = words(F.col("partition"), ":", F.col(node))
    return (F.trim(replicas) == "*") | F.array_contains(F.split(F.trim(replicas), r"\s*,\s*"), mine)


def _why_no_list(lists: Column, kind: str, missing: Sequence[MissingRead]) -> Column:
    return F.coalesce(
        words("DescribeConfigs answered ", lists["error"], " for this topic"),
        not_read(missing, "DescribeConfigs", "topics"),
        F.lit(f"DescribeConfigs answered no {_LISTS[kind]} for this topic"),
    )
