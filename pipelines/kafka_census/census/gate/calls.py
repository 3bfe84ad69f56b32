"""The audit table `calls`: the requests to each broker and their answers, summed from the headers of landed pages."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from pyspark.sql import SparkSession

from kafka_census.declarations.audit import CALLS
from kafka_census.declarations.census import Census
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.pages.header import Header

BY = ("rpc", "scope", "api", "api_version", "paging", "node_id")
"""The columns that identify a row of `calls`, as a header names them; the node is the row's `broker_id`."""

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def write_calls(
    spark: SparkSession, lake: Lake, census: Census, headers: Iterable[Header], *, goes_on: bool = True
) -> None:
    """Write a census' rows of `calls`; every try counts. `goes_on` as in `store.write_census`."""
    rows = [(census.census_id, census.cluster_id, *row) for row in summed(headers)]
    frame = local_frame(spark, rows, CALLS.schema)
    store.write_census(frame, lake, CALLS, census.census_id, goes_on=goes_on)


def summed(headers: Iterable[Header]) -> Iterator[tuple[object, ...]]:
    """Rows of `calls` without the census, in a fixed order."""
    groups: defaultdict[tuple[object, ...], list[Header]] = defaultdict(list)
    for header in headers:
        groups[tuple(getattr(header, name) for name in BY)].append(header)
    for key in sorted(groups, key=repr):
        yield *key, *_sums(groups[key])


def _sums(pages: Sequence[Header]) -> tuple[object, ...]:
    """The columns of `calls` after its key."""
    started = [page.requested_at for page in pages if page.requested_at]
    ended = [page.received_at for page in pages if page.received_at]
    failed = [page for page in pages if page.error]
    last = max(failed, key=lambda page: page.received_at or _LONG_AGO, default=None)
    return (
        len(pages),
        sum(page.item_count for page in pages),
        sum(page.attempts or 0 for page in pages),
        sum(page.failed for page in pages),
        last.error if last else None,
        sum(page.response_bytes or 0 for page in pages),
        sum(page.throttle_time_ms or 0 for page in pages),
        (max(ended) - min(started)).total_seconds() if started and ended else None,
        _note(pages),
    )


def _note(pages: Sequence[Header]) -> str | None:
    """A note for the reader: a fallback, else the greatest error message, else None."""
    one = pages[0]
    if one.api is not None and one.api != one.rpc:
        return f"{one.rpc} is not offered by broker {one.node_id}; {one.api} was asked instead"
    return max((page.error_message for page in pages if page.error_message), default=None)
