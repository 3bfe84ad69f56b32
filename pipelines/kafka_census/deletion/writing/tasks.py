"""Run a task that asks coordinators on rows: in Spark's tasks or, where those may open no sockets, in the driver."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from kafka_census.deletion.writing.coordinators import Coordinators
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.settings import ClusterSettings

GROUPS_A_REQUEST = 500
"""The largest number of groups per request."""

DEFAULT_TASKS = 8

Row = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """A function of some hundred groups at a time; is pickled and sent to the executors.

    do      rows in, rows of the schema out, one per group
    schema  the Arrow schema of the rows out
    """

    do: Callable[[Coordinators, list[Row]], list[Row]]
    schema: pa.Schema
    cluster: ClusterSettings
    collect: CollectSettings

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Process groups one request at a time, whatever the size of Spark's batches; suits `mapInArrow`."""
        context = TaskContext.get()  # None in the driver
        repeated = context is not None and context.attemptNumber() > 0
        with Coordinators(self.cluster, self.collect, repeated=repeated) as coordinators:
            for rows in _by_request(batches, min(GROUPS_A_REQUEST, self.collect.keys_per_request)):
                yield pa.RecordBatch.from_pylist(self.do(coordinators, rows), schema=self.schema)


def through(rows: DataFrame, task: Task, brokers: int) -> DataFrame:
    """The task's output for the rows, with the columns of `task.schema`; one task handles all rows of a `coordinator`.

    In the driver the task runs at once; in Spark's tasks every action on the frame runs it again: use only one.
    """
    spark, spark_schema, collect = rows.sparkSession, from_arrow_schema(task.schema), task.collect
    if collect.collect_on == "driver":
        found = pa.Table.from_batches(list(task(_local(rows))), task.schema)
        return spark.createDataFrame(found, spark_schema)
    tasks = max(1, min(brokers, collect.tasks or DEFAULT_TASKS))
    return rows.repartition(tasks, "coordinator").mapInArrow(task, spark_schema)


def _by_request(batches: Iterable[pa.RecordBatch], size: int) -> Iterator[list[Row]]:
    for batch in batches:
        for start in range(0, batch.num_rows, size):
            yield batch.slice(start, size).to_pylist()


def _local(rows: DataFrame) -> Iterator[pa.RecordBatch]:
    found = (row.asDict(recursive=True) for row in rows.toLocalIterator())
    while some := list(islice(found, GROUPS_A_REQUEST)):
        yield pa.RecordBatch.from_pylist(some)
