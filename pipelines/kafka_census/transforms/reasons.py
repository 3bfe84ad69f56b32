"""Why a value is null, in words: what was not read, and the first reason that holds."""

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F


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
