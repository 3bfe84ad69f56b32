"""A page as one Arrow record batch of one row, its items nested and columnar."""

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.types import StructType

from kafka_census.kafka.error_codes import error_name
from kafka_census.kafka.paging.cursor import to_json
from kafka_census.kafka.paging.page import Page
from kafka_census.kafka.paging.rpc import Rpc
from kafka_census.landing.fetch.schema import page_schema_of
from kafka_census.private.arrow import arrow_schema


@dataclass(frozen=True)
class WaveId:
    """The ids that all pages of one wave share."""

    census_id: str
    cluster_id: str
    wave: int


class PageEncoder:
    """Encodes the pages of one wave, by position, as Spark expects them.

    schema  the header columns of a page, then one or more columns of items
    column  the name of the column that holds the items of an RPC, by its Kafka name
    """

    def __init__(self, schema: StructType, column: Callable[[str], str], wave: WaveId) -> None:
        """Build once what all pages share: the Arrow schema, and the null columns of other RPCs."""
        self.schema = arrow_schema(schema)
        self._column = column
        self._wave = wave
        # Spark's name for this machine, where it is configured.
        self._host = os.environ.get("SPARK_LOCAL_HOSTNAME") or socket.gethostname()
        self._of_others = {field.name: pa.nulls(1, field.type) for field in self.schema if field.nullable}

    @classmethod
    def of_rpc(cls, rpc: Rpc, wave: WaveId) -> "PageEncoder":
        """An encoder for pages of one RPC, with the items in the column `items`."""
        return cls(page_schema_of(rpc), lambda _: "items", wave)

    def encode(self, rpc: Rpc, page: Page) -> pa.RecordBatch:
        """One row: the page and its items."""
        values, mine = self._values(rpc, page), self._column(rpc.name)
        arrays = [
            pa.array([values[field.name]], field.type)
            if field.name in values
            else self._nested(field, page)
            if field.name == mine
            else self._of_others[field.name]
            for field in self.schema
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    @staticmethod
    def _nested(field: pa.Field, page: Page) -> pa.ListArray:
        item: pa.StructType = field.type.value_type
        columns = zip(*page.rows, strict=True) if page.rows else ([] for _ in item)
        arrays = [pa.array(column, one.type) for column, one in zip(columns, item, strict=True)]
        items = pa.StructArray.from_arrays(arrays, fields=list(item))
        offsets = pa.array([0, len(page.rows)], pa.int32())
        return pa.ListArray.from_arrays(offsets, items, type=field.type)

    def _values(self, rpc: Rpc, page: Page) -> dict[str, Any]:
        chain = page.chain
        return {
            "census_id": self._wave.census_id,
            "cluster_id": self._wave.cluster_id,
            "rpc": rpc.name,
            "scope": rpc.scope,
            "api": page.api,
            "api_version": page.api_version,
            "release_at_least": page.release_at_least,
            "paging": page.paging,
            "node_id": chain.node_id,
            "chain_id": chain.chain_id,
            "page_no": page.page_no,
            "part_no": page.part_no,
            "parts": page.parts,
            "wave": self._wave.wave,
            "try_no": chain.try_no,
            "request_cursor": to_json(page.request_cursor),
            "next_cursor": to_json(page.next_cursor),
            "page_limit": page.page_limit,
            "item_count": len(page.rows),
            "error_code": page.error_code,
            "error": error_name(page.error_code),
            "error_message": page.error_message,
            "throttle_time_ms": page.throttle_time_ms,
            "attempts": page.attempts,
            "response_bytes": page.response_bytes,
            "requested_at": page.requested_at,
            "received_at": page.received_at,
            "fetched_by": self._host,
            "open_keys": list(page.open_keys),
        }
