"""A lake that is written without Spark, by deltalake: six censuses of two clusters, with one table and audit tables.

The clusters alternate, each census was published an hour after the previous one, and the sixth was refused. Each
has one quota, whose value is the census' number.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake
from pyspark.sql.types import ArrayType

from kafka_census.declarations.audit import CALLS, CENSUS_RUNS, PUBLICATIONS, VERDICTS
from kafka_census.declarations.pages import pages_table
from kafka_census.declarations.table import Table
from kafka_census.kafka.rpc import rpc as rpc_named
from kafka_census.landing.fetch.schema import item_type
from kafka_census.private.arrow import arrow_schema
from kafka_census.tables.quotas.columns import QUOTAS

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
OF_CLUSTER = {1: "one", 2: "two", 3: "one", 4: "two", 5: "one", 6: "two"}
REFUSED = 6


def census_id(number: int) -> str:
    return f"{NOON + timedelta(minutes=number):%Y%m%dT%H%M%S}000Z-{number:06x}"


def arrow(table: Table, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows with some of the columns; other columns are null, or empty lists."""
    empty = {field.name: [] for field in table.schema if isinstance(field.dataType, ArrayType)}
    comments = [field.metadata for field in table.schema.fields]
    fields = zip(arrow_schema(table.schema), comments, strict=True)
    schema = pa.schema([field.with_nullable(True).with_metadata(comment) for field, comment in fields])
    unknown = {name for row in rows for name in row} - set(schema.names)
    assert not unknown, f"{table.name} has no columns {unknown}"
    return pa.Table.from_pylist([empty | dict(row) for row in rows], schema)


def append(root: Path, table: Table, rows: Sequence[Mapping[str, Any]], partitioned_by: Sequence[str] = ()) -> None:
    folder = root / table.layer / table.name
    write_deltalake(folder, arrow(table, rows), partition_by=list(partitioned_by) or None, mode="append")


def stage(root: Path, table: Table, number: int, **columns: Any) -> None:
    row = {"census_id": census_id(number), "cluster_id": OF_CLUSTER[number], "observed_at": NOON}
    append(root, table, [row | columns], ["census_id"])


def publish(root: Path, *numbers: int, table: Table = QUOTAS, cluster: str = "c") -> None:
    rows = [
        {"census_id": census_id(number), "cluster_id": OF_CLUSTER[number], "cluster": cluster, "table_name": table.name}
        | {"is_complete": True, "row_count": 1, "published_at": NOON + timedelta(hours=number)}
        for number in numbers
    ]
    append(root, PUBLICATIONS, rows)


def note(root: Path, *numbers: int) -> None:
    """Write the rows of some published censuses in the audit tables that have rows of every such census."""
    ids = [{"census_id": census_id(number), "cluster_id": OF_CLUSTER[number]} for number in numbers]
    append(root, CENSUS_RUNS, [one | {"cluster": "c", "event": "published", "at": NOON} for one in ids])
    append(root, VERDICTS, [one | {"table_name": QUOTAS.name, "rule": "r", "outcome": "pass"} for one in ids])
    append(root, CALLS, [one | {"rpc": "ListGroups", "pages": 2} for one in ids])


def small_lake(root: Path) -> Path:
    """Write the lake; returns the folder."""
    for number in OF_CLUSTER:
        stage(root, QUOTAS, number, entity=f"user {number}", quota="producer_byte_rate", value=float(number))
    for numbers in ((1, 2, 3, 4), (5,)):
        note(root, *numbers)
        publish(root, *numbers)
    scopes = {"ListGroups": "groups", "DescribeAcls": "acls"}
    pages = pages_table({name: item_type(rpc_named(name, scope)) for name, scope in scopes.items()})
    page = {"census_id": census_id(1), "node_id": 1, "item_count": 1, "open_keys": []}
    group = {**page, "rpc": "ListGroups", "items_list_groups": [{"group_id": "g-1"}], "items_describe_acls": None}
    acl = {**page, "rpc": "DescribeAcls", "items_describe_acls": [{"principal": "User:a"}], "items_list_groups": None}
    append(root, pages, [group, acl], pages.partitioned_by)
    return root
