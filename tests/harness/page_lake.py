"""A lake for the HTML file, written without Spark: every table, censuses of one cluster on a bad day, hostile names.

All numbers differ, so that each can be identified on the page.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake

from harness.hostile import HOSTILE
from harness.small_lake import NOON, append, census_id
from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS, REFUSALS, VERDICTS
from kafka_census.declarations.table import Table
from kafka_census.private.arrow import arrow_schema
from kafka_census.tables.all_tables import TABLES

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"
"""A name that attacks a page which includes it without escaping."""

CLUSTER_ID = 'it\'s $census_id "id" </style><script>alert(3)</script>'
NAMES = (SCRIPT, *HOSTILE, "'; DROP TABLE x; --", "{{ 7 * 7 }}", "a" * 249)
Rows = Mapping[str, Sequence[Mapping[str, Any]]]

_PARTITIONS = (
    {"topic": "orders", "partition": 0, "status": "OFFLINE", "ready_for_acks_all": False, "isr": []},
    {"topic": SCRIPT, "partition": 7, "status": "OFFLINE", "ready_for_acks_all": False, "replicas": [1, 2]},
    {"topic": "orders", "partition": 1, "status": "UNDER", "ready_for_acks_all": False, "min_isr_effective": 2},
    {"topic": "orders", "partition": 2, "status": "OK", "ready_for_acks_all": True},
    {"topic": "orders", "partition": 3, "status": "AT", "ready_for_acks_all": True, "missing_replicas": 1},
    {"topic": "orders", "partition": 4, "status": "UNKNOWN", "reason": SCRIPT},
    {"topic": "__consumer_offsets", "partition": 5, "status": "UNKNOWN", "groups_unable_to_commit_reason": "not read"},
)
_BROKERS = ({"broker_id": 1, "state": "alive", "leaders": 11, "replicas": 31}, {"broker_id": 2, "state": "fenced"})
_KNOWN = {"group_state": "Stable", "partitions_missed": 0, "partitions_without_commit": 0}
BAD_DAY: Rows = {
    "under_min_isr_partitions": _PARTITIONS,
    "topic_readiness": [
        {"topic": "orders", "status": "OFFLINE", "partitions": 3, "ready_partitions": 1, "ready_for_acks_all": False},
        {"topic": "unread", "status": "OK", "partitions": 5, "ready_for_acks_all": True, "is_internal": False},
    ],
    "coordinator_load": [
        {"broker_id": 1, "groups": 1234, "transactional_ids": 5, "groups_skew": "unlucky"},
        {"broker_id": 2, "groups": None, "groups_reason": "did not answer", "groups_skew": "unlucky"},
    ],
    "group_coordinator_placement": [{"group_id": name, "agreement": "listed_nowhere"} for name in NAMES],
    "brokers": _BROKERS,
    "log_dir_usage": [
        {"broker_id": 1, "log_dir": SCRIPT, "state": "online", "usable_bytes": 5, "total_bytes": 100},
        {"broker_id": 2, "log_dir": "/data", "state": "offline", "reason": SCRIPT},
    ],
    "reassignment_backlog": [
        {"topic": "moving", "partition": 0, "replica_id": 3, "kind": "move", "bytes_left": 4_200_000, "stalled": True}
        | {"bytes_total": 8_400_000, "bytes_done": 4_200_000}
    ],
    "reassignment_backlog_by_broker": [{"broker_id": 3, "bytes_left_in": 4_200_000, "eta_seconds_in": 7_500}],
    "group_lag": [
        {"group_id": name, "lag_total": 1000 + number, "partitions": 1, "partitions_not_draining": 1, **_KNOWN}
        for number, name in enumerate(NAMES)
    ]
    + [{"group_id": "lag-not-known", "lag_total": None, "partitions": 1, **_KNOWN, "partitions_missed": 1}]
    + [{"group_id": "streaming", "partitions": 0, **_KNOWN, "group_state": "NotReady"}],
    "consumer_lag": [
        {"group_id": SCRIPT, "topic": "orders", "partition": 0, "range": "after_end"},
        {"group_id": SCRIPT, "topic": "orders", "partition": 4, "range": "unknown", "topic_state": "exists"},
    ],
    "deletable_groups": [{"group_id": SCRIPT, "verdict": "deletable", "deletable": True, "empty_since": NOON}],
    "hanging_transactions": [{"topic": SCRIPT, "partition": 1, "producer_id": 9, "verdict": "hanging"}],
    "quorum": [
        {"replica_id": 3, "role": "voter", "caught_up": False, "lag_offsets": 77},
        {"replica_id": 4, "role": "voter", "reason": "the leader has not heard from it"},
    ],
    "transaction_coordinator_placement": [
        {"transactional_id": SCRIPT, "described_state": "PrepareCommit", "duration_ms": 9, "over_timeout": True},
        {"transactional_id": "undescribed", "description_reason": "not read"},
    ],
    "config_drift": [
        {"kind": "not_desired", "resource_type": "topic", "resource_name": SCRIPT, "name": "retention.ms"}
    ],
    "acl_inventory": [{"principal": SCRIPT, "is_dangerous": True, "reason": SCRIPT}],
}
"""Rows by table; tables that are not listed have no rows."""
_ALL_KNOWN: Rows = {
    **BAD_DAY,
    "under_min_isr_partitions": [row for row in _PARTITIONS if row["status"] != "UNKNOWN"],
    "group_lag": [row for row in BAD_DAY["group_lag"] if not row["partitions_missed"]],
}
"""The same without the partitions and the group that were not read."""


def write_census(
    root: Path,
    number: int,
    rows: Rows,
    tables: Iterable[Table] = TABLES,
    *,
    missing: Sequence[str] = (),
    outcome: str = "warn",
    more: Mapping[str, int] = MappingProxyType({}),
    cluster: str = "shop",
    refused: str = "",
) -> str:
    """Write a census and publish it; returns its id.

    refused  why the gate refuses it instead
    outcome  of its only verdict
    missing  RPCs whose answer from broker 2 is missing in every table
    more     the number of rows, by table, that `write_groups` adds
    """
    census = {"census_id": census_id(number), "cluster_id": CLUSTER_ID}
    lost = [{"rpc": rpc, "broker_id": 2, "error": "REQUEST_TIMED_OUT", "reason": SCRIPT} for rpc in missing]
    published = []
    for table in tables:
        found = [{**census, "observed_at": NOON, **row} for row in rows.get(table.name, ())]
        append(root, table, found, ["census_id"])
        published.append(
            {**census, "cluster": cluster, "table_name": table.name, "is_complete": not lost, "missing": lost}
            | {
                "visibility": "proven",
                "row_count": len(found) + more.get(table.name, 0),
                "refused_at" if refused else "published_at": NOON + timedelta(hours=number),
            }
        )
    append(root, REFUSALS if refused else PUBLICATIONS, published)
    event = {"event": "refused" if refused else "published", "detail": refused or None}
    append(root, CENSUS_RUNS, [census | event | {"cluster": cluster, "at": NOON + timedelta(hours=number)}])
    verdict = {"table_name": "brokers", "rule": "r", "outcome": outcome, "message": SCRIPT, "judged_at": NOON}
    append(root, VERDICTS, [census | verdict])
    return census_id(number)


def write_groups(root: Path, number: int, table: Table, names: Sequence[str], columns: Mapping[str, Any]) -> None:
    """Add one row per group to a census of a table, column by column: many rows that differ only in the name."""
    alike = {"census_id": census_id(number), "cluster_id": CLUSTER_ID, "observed_at": NOON, **columns}
    schema = pa.schema([field.with_nullable(True) for field in arrow_schema(table.schema)])
    arrays = [pa.repeat(pa.scalar(alike.get(field.name), field.type), len(names)) for field in schema]
    arrays[schema.get_field_index("group_id")] = pa.array(names)
    rows = pa.Table.from_arrays(arrays, schema=schema)
    write_deltalake(root / table.layer / table.name, rows, partition_by=["census_id"], mode="append")


def page_lake(root: Path) -> Path:
    """Write three censuses, the first of which could read everything; returns the folder."""
    write_census(root, 1, _ALL_KNOWN)
    write_census(root, 2, {**BAD_DAY, "group_lag": BAD_DAY["group_lag"][:1]}, missing=["OffsetFetch"])
    write_census(root, 3, BAD_DAY, missing=["DescribeLogDirs"])
    return root
