"""Items as transforms get them, without a cluster: a test gives a few columns, defaults fill the others.

The columns are those that landing writes (as declared in the RPC files), so that a test cannot pass with items that no
broker answers.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.types import ArrayType, StructType

from harness.small_lake import NOON
from kafka_census.declarations.desired import Desired
from kafka_census.declarations.operator_values import OperatorValues
from kafka_census.declarations.risk_policy import DEFAULT_POLICY, RiskPolicy
from kafka_census.declarations.table import Table
from kafka_census.declarations.transform import Transform
from kafka_census.kafka.rpc import rpc
from kafka_census.landing.fetch.schema import item_type
from kafka_census.pages.missing_read import MissingRead
from kafka_census.private.arrow import arrow_schema
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.transforms import TRANSFORMS

BEFORE, CENSUS, CLUSTER = "20261121T110000000Z-000001", "20261121T120000000Z-000001", "kraft-id"
REDPANDA = "redpanda.5d1e"
"""The cluster id of a cluster that is not Kafka."""

Item = Mapping[str, Any]


def at(seconds: int) -> datetime:
    """The time that many seconds after noon."""
    return NOON + timedelta(seconds=seconds)


def naive(seconds: int) -> datetime:
    """That time as Spark collects it."""
    return at(seconds).replace(tzinfo=None)


def milliseconds(seconds: int) -> int:
    """That time as Kafka tells it: since 1970."""
    return int(at(seconds).timestamp()) * 1000


def published(seconds: int, **columns: Any) -> Item:
    """A row of a table of this census, observed that many seconds after noon."""
    return {"census_id": CENSUS, "cluster_id": CLUSTER, "observed_at": at(seconds)} | columns


def item(asked: int = 1, received: int = 0, **columns: Any) -> Item:
    """An item answered by broker `asked`, of release 4.3 by default, at `received` seconds after noon."""
    page = {"asked_node_id": asked, "received_at": at(received), "release_at_least": "4.3"}
    return page | {"census_id": CENSUS, "cluster_id": CLUSTER} | columns


def missing_read(name: str, scope: str, node: int | None, error: str) -> MissingRead:
    return MissingRead(name, node, error, f"{name}: {error}", scope)


def frame(spark: SparkSession, name: str, scope: str, items: list[Item]) -> DataFrame:
    page = StructType.fromDDL(
        "census_id STRING, cluster_id STRING, asked_node_id INT, received_at TIMESTAMP, release_at_least STRING"
    )
    return local_frame(spark, StructType([*item_type(rpc(name, scope)).fields, *page.fields]), items)


def transform_of(table: Table) -> Transform:
    return next(transform for transform in TRANSFORMS if transform.table is table)


def compute(
    spark: SparkSession,
    table: Table,
    missing: Sequence[MissingRead] = (),
    previous: list[Item] | None = None,
    desired: Sequence[Desired] = (),
    policy: RiskPolicy = DEFAULT_POLICY,
    **roles: list[Item],
) -> DataFrame:
    """The table computed from the items (or rows) of its roles; a role that is not given is empty."""
    transform = transform_of(table)
    unknown = set(roles) - set(transform.inputs)
    assert not unknown, f"{table.name} has no roles {unknown}"
    inputs: dict[str, Any] = {
        role: rows_of(spark, source, roles.get(role, []))
        if isinstance(source, Table)
        else frame(spark, *source, roles.get(role, []))
        for role, source in transform.inputs.items()
    }
    inputs["missing"] = tuple(missing)
    if transform.previous:
        inputs["previous"] = rows_of(spark, table, previous or [])
    values = OperatorValues(tuple(desired), policy)
    inputs |= {name: getattr(values, name) for name in transform.wants}
    if transform.compares:
        inputs |= {"ids": (CENSUS, CLUSTER), "earlier": {}, "lacking": {}}
    return transform.function(**inputs)


def rows_of(spark: SparkSession, table: Table, rows: list[Item]) -> DataFrame:
    """Rows of a table; lists that are not given are empty."""
    lists = {field.name: [] for field in table.schema if isinstance(field.dataType, ArrayType)}
    return local_frame(spark, table.schema, [lists | dict(row) for row in rows])


def viewed(spark: SparkSession, rows: Mapping[str, list[Item]]) -> SparkSession:
    """A new session in which the views of every table show these rows, by the table's name, or none."""
    fresh = spark.newSession()
    for table in TABLES:
        frame = rows_of(fresh, table, rows.get(table.name, []))
        for kind in ("current", "history"):
            frame.createTempView(f"{kind}_{table.name}")
    return fresh


def rows_by(computed: DataFrame, *key: str) -> dict[Any, Row]:
    """The rows by their key (a value for one column, else a tuple); fails on a repeated key."""
    rows = computed.collect()
    keyed = {row[key[0]] if len(key) == 1 else tuple(row[name] for name in key): row for row in rows}
    assert len(keyed) == len(rows), f"{key} comes twice"
    assert all(row.census_id == CENSUS and row.cluster_id in (CLUSTER, REDPANDA) and row.observed_at for row in rows)
    lists = [name for name, kind in computed.dtypes if kind.startswith("array")]
    assert all(row[name] is not None for row in rows for name in lists)
    return keyed


def local_frame(spark: SparkSession, schema: StructType, rows: list[Item]) -> DataFrame:
    """Rows as a local relation, which (unlike a list of rows) needs no Python worker; missing columns are null."""
    unknown = {name for row in rows for name in row} - set(schema.names)
    assert not unknown, f"no columns {unknown} in {schema.simpleString()}"
    table = pa.Table.from_pylist([dict(row) for row in rows], arrow_schema(schema))
    return spark.createDataFrame(table, schema)
