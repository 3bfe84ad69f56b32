"""The six numbers at the head of the page."""

from kafka_census.reading.html.cells import BYTES, NUMBER
from kafka_census.reading.html.figure import Number
from kafka_census.reading.sql.session import Row
from kafka_census.tables.problems import PROBLEM

NUMBERS: tuple[Number, ...] = (
    Number(
        "brokers alive",
        "brokers",
        "count_if(state = 'alive')",
        NUMBER,
        "brokers",
        total="count_if(state <> 'gone')",
    ),
    Number(
        "partitions take acks=all writes",
        "under_min_isr_partitions",
        "count_if(ready_for_acks_all AND partition >= 0)",
        NUMBER,
        "min-isr",
        total="count_if(partition >= 0)",
        unknown="ready_for_acks_all IS NULL AND partition >= 0",
    ),
    Number("groups", "group_coordinator_placement", "count(*)", NUMBER, "coordinators"),
    Number(
        "lag of all groups, offsets",
        "group_lag",
        "sum(lag_total)",
        NUMBER,
        "lag",
        unknown=PROBLEM["lag_unknown"].where,
    ),
    Number("left to copy", "reassignment_backlog", "sum(bytes_left)", BYTES, "moves", unknown="bytes_left IS NULL"),
    Number(
        "deletable groups",
        "deletable_groups",
        "count_if(deletable)",
        NUMBER,
        "clean-up",
        total="count(*)",
        unknown="verdict = 'unknown'",
    ),
)


def difference(number: Number, by_census: tuple[Row, ...]) -> str | None:
    """The number less that of the census before, such as `+3`; None where one of the two is not known."""
    if len(by_census) < 2:  # noqa: PLR2004 - the shown census and that before it
        return None
    before, now = by_census[-2][1], by_census[-1][1]
    if not isinstance(before, int) or not isinstance(now, int):
        return None
    return f"{'+' if now > before else '−' if now < before else '±'}{number.form.text(abs(now - before))}"
