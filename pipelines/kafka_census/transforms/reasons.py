"""Why a value is null, in words: names of error codes, and what was not read."""

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

_ERROR_NAMES = (
    (-106, "NOT_ASKED"),
    (-105, "MALFORMED_RESPONSE"),
    (-104, "FRAME_TOO_LARGE"),
    (-103, "CURSOR_REPEATED"),
    (-102, "DEADLINE_EXCEEDED"),
    (-101, "CONNECTION_FAILED"),
    (-100, "BROKER_NOT_ALIVE"),
    (-1, "UNKNOWN_SERVER_ERROR"),
    (3, "UNKNOWN_TOPIC_OR_PARTITION"),
    (5, "LEADER_NOT_AVAILABLE"),
    (6, "NOT_LEADER_OR_FOLLOWER"),
    (7, "REQUEST_TIMED_OUT"),
    (14, "COORDINATOR_LOAD_IN_PROGRESS"),
    (15, "COORDINATOR_NOT_AVAILABLE"),
    (16, "NOT_COORDINATOR"),
    (17, "INVALID_TOPIC_EXCEPTION"),
    (22, "ILLEGAL_GENERATION"),
    (24, "INVALID_GROUP_ID"),
    (25, "UNKNOWN_MEMBER_ID"),
    (29, "TOPIC_AUTHORIZATION_FAILED"),
    (30, "GROUP_AUTHORIZATION_FAILED"),
    (31, "CLUSTER_AUTHORIZATION_FAILED"),
    (35, "UNSUPPORTED_VERSION"),
    (41, "NOT_CONTROLLER"),
    (42, "INVALID_REQUEST"),
    (53, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"),
    (56, "KAFKA_STORAGE_ERROR"),
    (68, "NON_EMPTY_GROUP"),
    (69, "GROUP_ID_NOT_FOUND"),
    (74, "FENCED_LEADER_EPOCH"),
    (75, "UNKNOWN_LEADER_EPOCH"),
    (78, "OFFSET_NOT_AVAILABLE"),
    (88, "UNSTABLE_OFFSET_COMMIT"),
    (100, "UNKNOWN_TOPIC_ID"),
    (105, "TRANSACTIONAL_ID_NOT_FOUND"),
    (113, "STALE_MEMBER_EPOCH"),
)
"""Codes that items carry (org.apache.kafka.common.protocol.Errors), and our own below -99."""


@dataclass(frozen=True)
class Gap:
    """Pages of a walk that are missing or refused in this census; `node_id` None where any broker would have done."""

    rpc: str
    scope: str
    node_id: int | None
    error: str
    error_message: str

    @property
    def line(self) -> str:
        """Such as "ListGroups was not read from broker 3 (BROKER_NOT_ALIVE)"."""
        broker = "" if self.node_id is None else f" from broker {self.node_id}"
        return f"{self.rpc} was not read{broker} ({self.error})"


def error_name(code: Column) -> Column:
    """The name of an item's error code; null for 0 and null; ERROR_<code> for one without a name here."""
    # One parsed text: as many single literals and comparisons took a tenth of a transform's time.
    names = F.expr(f"map({', '.join(f'{number}, {name!r}' for number, name in _ERROR_NAMES)})")
    return F.when(code != 0, F.coalesce(F.try_element_at(names, code), F.concat(F.lit("ERROR_"), code.cast("string"))))


def words(*parts: Column | str) -> Column:
    """One line from texts and values; null when a value is."""
    return F.concat(*[F.lit(part) if isinstance(part, str) else part.cast("string") for part in parts])


def first_that_holds(*rules: tuple[Column, Column | str], otherwise: Column | str | None = None) -> Column:
    """The value of the first rule whose condition is true (null counts as false), else `otherwise`."""
    (condition, value), *rest = rules
    chosen = F.when(condition, value)
    for further, other in rest:
        chosen = chosen.when(further, other)
    return chosen.otherwise(otherwise)


def not_read(gaps: Iterable[Gap], rpc: str, scope: str) -> Column:
    """What is missing of a walk, in one line; null when nothing is."""
    lines = sorted({gap.line for gap in gaps if (gap.rpc, gap.scope) == (rpc, scope)})
    return F.lit("; ".join(lines) or None).cast("string")


def not_read_from(gaps: Iterable[Gap], rpc: str, scope: str, node: str) -> Column:
    """What is missing of a walk at the broker whose id is in the column `node`; null when nothing is."""
    lines = {gap.node_id: gap.line for gap in gaps if (gap.rpc, gap.scope) == (rpc, scope) and gap.node_id is not None}
    if not lines:
        return F.lit(None).cast("string")
    pairs = [F.lit(part) for pair in sorted(lines.items()) for part in pair]
    return F.try_element_at(F.create_map(*pairs), F.col(node))
