"""The landed page: one row a page, `items` nested; one Delta table an RPC.

A refusal is a page with its error and no items; an empty page is a page with
`item_count` 0; a page that is not there was never read. A chain is the walk of
one (rpc, scope, chain_id): its pages are numbered from 0, each page's
`request_cursor` is the `next_cursor` of the page before, and it ends with the one
page whose `next_cursor` is null and whose `error` is null. A later page without a request
cursor starts its chain over, and what came before it does not count. Where a page was asked
again (`try_no` grows), the highest try counts. A `whole` answer may be landed in
`parts` rows of one page.
"""

from pyspark.sql.types import (
    ArrayType,
    IntegerType,
    LongType,
    StringType,
    StructType,
    TimestampType,
)

from kafka_census.tables.table import Table, column

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
            "The lowest release of Kafka that the broker's API ranges prove; null when it told none, or proves none.",
        ),
        column("paging", _STRING, "Who cut the page: cursor (broker), window (client), whole (nobody)."),
        column("node_id", _INT, "The broker that was asked."),
        column("chain_id", _STRING, "The walk within rpc and scope; pages of one chain follow each other."),
        column("page_no", _INT, "Position in the chain, from 0."),
        column("part_no", _INT, "Position within a page that was landed in parts, from 0."),
        column("parts", _INT, "Number of parts of this page."),
        column("wave", _INT, "The append that landed this page, from 0 in each census and RPC."),
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
            "open_keys",
            ArrayType(_STRING, containsNull=False),
            "Keys of a chain that has not ended, for resuming; else empty.",
        ),
    ]
)


def landing_table(rpc: str, item: StructType) -> Table:
    """The Delta table that holds the pages of one RPC, `items` last."""
    items = column("items", ArrayType(item, containsNull=False), f"The items of this page, as {rpc} answered them.")
    return Table(
        name=rpc,
        place="landing",
        comment=f"Landed pages of {rpc}, one row a page.",
        schema=StructType([*PAGE.fields, items]),
        key=("rpc", "scope", "chain_id", "page_no", "part_no", "try_no"),
    )
