"""The one write: fetch a wave on the executors and append its pages in one commit.

Nodes get dense task numbers, so that a node is never in two tasks (but for keys that
moved to it since, which the task of their old node asks there); each action on the
fetching frame would ask the brokers again, so there is exactly one, the write. Its
txnAppId is (census, RPC, wave): a repeat changes nothing.
"""

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote

from kafka_census.landing.plan import Wave
from kafka_census.protocol.settings import CollectSettings
from kafka_census.rpc import rpc as rpc_named
from kafka_census.source.fetch import Fetcher
from kafka_census.source.schema import page_table
from kafka_census.tables import store
from kafka_census.tables.lake import Lake

REQUESTS_A_BATCH = 16
"""Chains that reach the fetcher at a time; Spark's default of 10,000 would hold all keys of a task."""

CORES_WITHOUT_CONTEXT = 4
"""Where a session cannot say how many cores it has (Spark Connect)."""


def land(spark: SparkSession, lake: Lake, requests: DataFrame, wave: Wave, fetcher: Fetcher) -> None:
    """Fetch the requests' pages and append them to the RPC's landing table."""
    table = page_table(rpc_named(fetcher.rpc, fetcher.scope))
    app_id = f"{fetcher.wave.census_id}/{fetcher.rpc}/{wave.number}"
    tasks = task_count(spark, wave, fetcher.collect)
    if fetcher.collect.collect_on == "driver":
        batches = list(fetcher(_local_batches(requests)))
        store.append(spark.createDataFrame(pa.Table.from_batches(batches), table.schema), lake, table, app_id)
        return
    key = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(key)
    spark.conf.set(key, str(REQUESTS_A_BATCH))
    try:
        store.append(_in_tasks(requests, wave, tasks).mapInArrow(fetcher, table.schema), lake, table, app_id)
    finally:
        spark.conf.set(key, str(before))


def task_count(spark: SparkSession, wave: Wave, collect: CollectSettings) -> int:
    """T = min(nodes, tasks); tasks defaults to twice the cores."""
    cores = CORES_WITHOUT_CONTEXT if is_remote() else spark.sparkContext.defaultParallelism
    return max(1, min(len(wave.nodes), collect.tasks or 2 * cores))


def _in_tasks(requests: DataFrame, wave: Wave, tasks: int) -> DataFrame:
    """Every row at its node's task; within a task the nodes take turns."""
    numbers = F.create_map(
        *[part for i, node in enumerate(wave.nodes) for part in (F.lit(node.node_id), F.lit(i % tasks))]
    )
    numbered = requests.withColumn("task", F.element_at(numbers, F.col("node_id")))
    if hasattr(numbered, "repartitionById"):
        placed = numbered.repartitionById(tasks, "task")
    else:
        placed = numbered.repartition(tasks, "task")
    return placed.sortWithinPartitions("chain_id")


def _local_batches(requests: DataFrame) -> Iterator[pa.RecordBatch]:
    """The requests in the driver, a few at a time."""
    for row in requests.sort("chain_id").toLocalIterator():
        yield pa.RecordBatch.from_pylist([row.asDict()])
