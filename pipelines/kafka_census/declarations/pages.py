"""The landed page: one row per page, its items nested; one Delta table for all RPCs.

The items of each RPC have a column of their own, null in pages of other RPCs. The table is partitioned by census
and RPC, so that a reader of one census and RPC opens no other files.

A refusal is a page with its error and no items; an empty page is a page with
`item_count` 0; a missing page was never read. A chain is the walk of
one (rpc, scope, chain_id): its pages are numbered from 0, each page's
`request_cursor` is the `next_cursor` of the previous page, and the chain ends with the
page whose `next_cursor` is null and whose `error` is null. A later page without a request
cursor restarts its chain, and the pages before it do not count. Where a page was asked for
again (`try_no` grows), the highest try counts. A `whole` answer may be landed as one
page with `parts` rows.
"""

import re
from collections.abc import Mapping

from pyspark.sql.types import (
    ArrayType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from kafka_census.declarations.table import Table, column

PAGES = "pages"
"""The name of the table."""

_INT, _LONG, _STRING, _TIME = IntegerType(), LongType(), StringType(), TimestampType()

PAGE = StructType(
    [
        column("census_id", _STRING, "The census this page belongs to; sorts by time."),
        column("cluster_id", _STRING, "Kafka's own id of the cluster."),
        column("rpc", _STRING, "The RPC that was planned, by its Kafka name."),
        column("scope", _STRING, "What the chain walks, such as groups, topics or brokers; see the RPC's file."),
        column("api", _STRING, "The RPC that went over the wire: differs from rpc where a broker lacks it."),
        column("api_version", _INT, "Version on the wire; null when nothing was sent."),
        column(
            "release_at_least",
            _STRING,
            "The lowest release of Kafka that the broker's API ranges prove; null when none is proven.",
        ),
        column("paging", _STRING, "Who cut the page: cursor (broker), window (client), whole (nobody)."),
        column("node_id", _INT, "The broker that was asked."),
        column("chain_id", _STRING, "The walk within rpc and scope; pages of one chain follow each other."),
        column("page_no", _INT, "Position in the chain, from 0."),
        column("part_no", _INT, "Position within a page that was landed in parts, from 0."),
        column("parts", _INT, "Number of parts of this page."),
        column("wave", _INT, "The append that landed this page, from 0 in each census."),
        column("try_no", _INT, "How often the chain had been asked again before this page, from 0."),
        column(
            "request_cursor",
            _STRING,
            "Cursor that asked for this page, JSON; null where a chain starts (over).",
        ),
        column("next_cursor", _STRING, "Cursor of the page that follows, JSON; null at the end."),
        column("page_limit", _INT, "Asked for at most: items (cursor) or keys (window); null for a whole answer."),
        column("item_count", _INT, "Number of items in this row."),
        column("error_code", _INT, "Kafka's error code; 0 none; below -99 our own (docs: error_codes)."),
        column("error", _STRING, "Name of the error, such as NOT_COORDINATOR; null when none."),
        column("error_message", _STRING, "The error in one line, with what was asked of whom."),
        column("throttle_time_ms", _LONG, "Throttle time the broker imposed, ms."),
        column("attempts", _INT, "Requests sent for this page: retries, single keys, proofs of its first item."),
        column("response_bytes", _LONG, "Bytes of all responses received for this page."),
        column("requested_at", _TIME, "When the first request for this page was sent."),
        column("received_at", _TIME, "When the last response for this page was received."),
        column(
            "fetched_by",
            _STRING,
            "Host of the process that asked: of a Spark executor, or of the driver; null in pages of an older release.",
        ),
        column(
            "open_keys",
            ArrayType(_STRING, containsNull=False),
            "Keys of a chain that has not ended, for resuming; else empty.",
        ),
    ]
)


def items_column(rpc: str) -> str:
    """The column that holds the items of an RPC, such as `items_list_groups` for ListGroups."""
    return f"items_{snake_case(rpc)}"


def snake_case(rpc: str) -> str:
    """An RPC's Kafka name in snake case, as in names of columns and views."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", rpc).lower()


def page_schema(rpc: str, item: StructType) -> StructType:
    """The columns of a page of one RPC: the header, then its `items`."""
    comment = f"The items of this page, as {rpc} answered them."
    return StructType([*PAGE.fields, column("items", ArrayType(item, containsNull=False), comment)])


def pages_table(items: Mapping[str, StructType]) -> Table:
    """The Delta table of all landed pages; `items` has the struct of an item, by RPC."""
    columns = [
        StructField(
            items_column(rpc),
            ArrayType(item, containsNull=False),
            nullable=True,
            metadata={"comment": f"The items of this page, as {rpc} answered them; null in pages of other RPCs."},
        )
        for rpc, item in items.items()
    ]
    return Table(
        name=PAGES,
        layer="landing",
        comment="Landed pages, one row per page (or per part of a page); the items of each RPC in a column of its own.",
        schema=StructType([*PAGE.fields, *columns]),
        key=("rpc", "scope", "chain_id", "page_no", "part_no", "try_no"),
        partitioned_by=("census_id", "rpc"),
        may_lack=tuple(field.name for field in columns),
    )
