"""The only write of a wave: its pages, fetched on the executors, are appended in one commit.

Nodes get dense task numbers, so that a node is never in two tasks (except for keys that have moved to the node since:
the task of their old node asks for them there). Each action on the fetching frame would ask the brokers again, so there
is exactly one action: the read that keeps the pages in memory, from where they are written, or else the write. Where
another run may write the same wave, its txnAppId is (census, wave): a repeat changes nothing. Where the driver fetches,
it appends portion by portion: its memory is bounded, and a resumed census continues from the portions that were landed,
as from any other pages.
"""

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote

from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.lake import store
from kafka_census.lake.columns import with_columns_of
from kafka_census.lake.lake import Lake
from kafka_census.lake.memory import computed_once, keeps_rows
from kafka_census.landing.fetch.fetch import WaveFetcher
from kafka_census.landing.fetch.schema import landed_table
from kafka_census.landing.plan import Plan
from kafka_census.landing.route import Node
from kafka_census.spark.settings import set_within

CORES_WITHOUT_CONTEXT = 4
"""The number of cores assumed where a session cannot report it (Spark Connect)."""

PORTION_BYTES = 32 << 20
"""Bytes of pages that the driver holds before it appends them, where the driver itself fetches."""

_PART = ("part_no", "parts", "rpc", "scope", "chain_id", "page_no")

WHILE_FETCHING = {"spark.sql.execution.arrow.maxRecordsPerBatch": "16"}
"""Chains handed to the fetcher at a time; Spark's default of 10,000 would hold all keys of a task."""

WHILE_WRITING = {"spark.sql.maxConcurrentOutputFileWriters": "64"}
"""A task writes the pages of each RPC into a separate file, in the order of arrival: it need not sort them first."""


def keeps(spark: SparkSession, lake: Lake, collect: CollectSettings, *, may_repeat: bool) -> bool:
    """Whether `fetched` can keep pages until they are written: executors fetch, and no other run can land the wave."""
    return collect.collect_on != "driver" and lake.has_locks and not may_repeat and keeps_rows(spark)


def fetched(spark: SparkSession, plan: Plan, nodes: Sequence[Node], fetcher: WaveFetcher) -> DataFrame:
    """The pages of a plan, kept in memory; the first read asks the brokers. Columns: those of the table."""
    with set_within(spark, WHILE_FETCHING):
        pages = _pages(spark, plan, nodes, fetcher)
        return computed_once(with_columns_of(pages, landed_table().schema, commented=False))


def write(pages: DataFrame, lake: Lake, fetcher: WaveFetcher, *, may_repeat: bool) -> None:
    """Append the pages of a wave in one commit; `may_repeat` as in `store.append`."""
    with set_within(pages.sparkSession, WHILE_WRITING):
        written = pages.select(*fetcher.schema.names)
        store.append(written, lake, landed_table(), _app_id(fetcher), may_repeat=may_repeat)


def land(
    spark: SparkSession, lake: Lake, plan: Plan, nodes: Sequence[Node], fetcher: WaveFetcher, *, may_repeat: bool = True
) -> None:
    """Fetch the pages of a plan and append them, without keeping them; `may_repeat` as in `store.append`."""
    if fetcher.collect.collect_on == "driver":
        for number, batches in enumerate(_portions(fetcher(_local_batches(plan.requests)))):
            portion = spark.createDataFrame(pa.Table.from_batches(batches), fetcher.schema)
            store.append(portion, lake, landed_table(), f"{_app_id(fetcher)}/{number}", may_repeat=may_repeat)
        return
    with set_within(spark, WHILE_FETCHING):
        write(_pages(spark, plan, nodes, fetcher), lake, fetcher, may_repeat=may_repeat)


def _app_id(fetcher: WaveFetcher) -> str:
    """The txnAppId of a wave."""
    return f"{fetcher.wave.census_id}/pages/{fetcher.wave.wave}"


def _pages(spark: SparkSession, plan: Plan, nodes: Sequence[Node], fetcher: WaveFetcher) -> DataFrame:
    """The pages of a plan, which each action asks for. Columns: those of the fetcher's schema."""
    tasks = task_count(spark, nodes, fetcher.collect)
    return _in_tasks(plan.requests, nodes, tasks).mapInArrow(fetcher, fetcher.schema)


def task_count(spark: SparkSession, nodes: Sequence[Node], collect: CollectSettings) -> int:
    """The number of fetching tasks: min(nodes, `collect.tasks`).

    `tasks` defaults to the number of cores: a task asks its nodes at the same time, and one that waits for a core none.
    """
    cores = CORES_WITHOUT_CONTEXT if is_remote() else spark.sparkContext.defaultParallelism
    return max(1, min(len(nodes), collect.tasks or cores))


def _in_tasks(requests: DataFrame, nodes: Sequence[Node], tasks: int) -> DataFrame:
    """Move every request to the task of its node; within a task the nodes take turns."""
    numbers = F.create_map(*[part for i, node in enumerate(nodes) for part in (F.lit(node.node_id), F.lit(i % tasks))])
    numbered = requests.withColumn("task", F.element_at(numbers, F.col("node_id")))
    if hasattr(numbered, "repartitionById"):
        placed = numbered.repartitionById(tasks, "task")
    else:
        placed = numbered.repartition(tasks, "task")
    return placed.sortWithinPartitions("turn", "chain_id")


def _portions(pages: Iterator[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Group pages, one batch each, into portions that the driver can hold; all parts of a page are in one portion."""
    portion: list[pa.RecordBatch] = []
    size, incomplete = 0, set[tuple[object, ...]]()
    for page in pages:
        portion.append(page)
        size += page.nbytes
        part_no, parts, *answer = (page[name][0].as_py() for name in _PART)
        if part_no + 1 < parts:
            incomplete.add(tuple(answer))
        else:
            incomplete.discard(tuple(answer))
        if size >= PORTION_BYTES and not incomplete:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _local_batches(requests: DataFrame) -> Iterator[pa.RecordBatch]:
    """The requests in the driver, a few at a time."""
    for row in requests.sort("turn", "chain_id").toLocalIterator():
        yield pa.RecordBatch.from_pylist([row.asDict()])
