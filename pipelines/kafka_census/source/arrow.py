"""A page as one Arrow record batch of one row, its items nested and columnar."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from kafka_census.error_codes import error_name
from kafka_census.paging.cursor import to_json
from kafka_census.paging.page import Page
from kafka_census.paging.rpc import Rpc
from kafka_census.source.schema import page_arrow_schema


@dataclass(frozen=True)
class WaveId:
    """What all pages of one wave have in common."""

    census_id: str
    cluster_id: str
    wave: int


class PageEncoder:
    """Encodes the pages of one RPC and one wave, by position, as Spark expects them."""

    def __init__(self, rpc: Rpc, wave: WaveId) -> None:
        """The Arrow schema is made once."""
        self._rpc = rpc
        self._wave = wave
        self.schema = page_arrow_schema(rpc)
        self._items: pa.StructType = self.schema.field("items").type.value_type

    def encode(self, page: Page) -> pa.RecordBatch:
        """One row: the page and its items."""
        values = self._values(page)
        arrays = [pa.array([values[field.name]], field.type) for field in self.schema if field.name != "items"]
        return pa.RecordBatch.from_arrays([*arrays, self._nested(page)], schema=self.schema)

    def _nested(self, page: Page) -> pa.ListArray:
        columns = zip(*page.rows, strict=True) if page.rows else ([] for _ in self._items)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, self._items, strict=True)]
        items = pa.StructArray.from_arrays(arrays, fields=list(self._items))
        offsets = pa.array([0, len(page.rows)], pa.int32())
        return pa.ListArray.from_arrays(offsets, items, type=self.schema.field("items").type)

    def _values(self, page: Page) -> dict[str, Any]:
        chain = page.chain
        return {
            "census_id": self._wave.census_id,
            "cluster_id": self._wave.cluster_id,
            "rpc": self._rpc.name,
            "scope": self._rpc.scope,
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
            "open_keys": list(page.open_keys),
        }
