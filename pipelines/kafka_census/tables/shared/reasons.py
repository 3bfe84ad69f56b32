"""Why a value is null, as text: what was not read, and the first reason that holds."""

from collections.abc import Iterable

from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_census.kafka.error_codes import UNREGISTER
from kafka_census.pages.missing_read import MissingRead


def words(*parts: Column | str) -> Column:
    """One line from texts and values; null where one of the values is null."""
    return F.concat(*[F.lit(part) if isinstance(part, str) else part.cast("string") for part in parts])


def first_that_holds(*rules: tuple[Column, Column | str], otherwise: Column | str | None = None) -> Column:
    """The value of the first rule whose condition is true (null counts as false), else `otherwise`."""
    (condition, value), *rest = rules
    chosen = F.when(condition, value)
    for further, other in rest:
        chosen = chosen.when(further, other)
    return chosen.otherwise(otherwise)


def not_asked() -> Column:
    """Why a broker owed no answer, from its columns in the table `brokers`; null where it did (`landing.route`)."""
    node, state = F.col("broker_id"), F.col("state")
    return first_that_holds(
        (state == "gone", words("broker ", node, " was not asked: the cluster does not name it any more")),
        (
            (state == "fenced") & (F.col("replicas") == 0),
            words("broker ", node, f" was not asked: it is fenced and holds no replica; {UNREGISTER} ", node),
        ),
    )


def not_read(missing: Iterable[MissingRead], rpc: str, scope: str) -> Column:
    """The missing reads of a walk, in one line; null where nothing is missing."""
    lines = sorted({each.line for each in missing if each.walk == (rpc, scope)})
    return F.lit("; ".join(lines) or None).cast("string")


def not_read_from(missing: Iterable[MissingRead], rpc: str, scope: str, node: str) -> Column:
    """The missing reads of a walk at the broker whose id is in the column `node`; null where nothing is missing."""
    lines = {each.broker_id: each.line for each in missing if each.walk == (rpc, scope) and each.broker_id is not None}
    if not lines:
        return F.lit(None).cast("string")
    pairs = [F.lit(part) for pair in sorted(lines.items()) for part in pair]
    return F.try_element_at(F.create_map(*pairs), F.col(node))
