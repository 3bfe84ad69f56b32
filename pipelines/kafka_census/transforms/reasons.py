"""Why a value is null, in words: names of error codes, and what was not read."""

from pyspark.sql import Column, DataFrame
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
    (7, "REQUEST_TIMED_OUT"),
    (14, "COORDINATOR_LOAD_IN_PROGRESS"),
    (15, "COORDINATOR_NOT_AVAILABLE"),
    (16, "NOT_COORDINATOR"),
    (17, "INVALID_TOPIC_EXCEPTION"),
    (24, "INVALID_GROUP_ID"),
    (29, "TOPIC_AUTHORIZATION_FAILED"),
    (30, "GROUP_AUTHORIZATION_FAILED"),
    (31, "CLUSTER_AUTHORIZATION_FAILED"),
    (35, "UNSUPPORTED_VERSION"),
    (41, "NOT_CONTROLLER"),
    (42, "INVALID_REQUEST"),
    (56, "KAFKA_STORAGE_ERROR"),
    (100, "UNKNOWN_TOPIC_ID"),
)
"""Codes that items carry (org.apache.kafka.common.protocol.Errors), and our own below -99."""


def error_name(code: Column) -> Column:
    """The name of an item's error code; null for 0 and null; ERROR_<code> for one without a name here."""
    named = F.when(code == 0, F.lit(None).cast("string"))
    for number, name in _ERROR_NAMES:
        named = named.when(code == number, F.lit(name))
    return named.otherwise(F.concat(F.lit("ERROR_"), code.cast("string")))


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


def not_read(gaps: DataFrame, rpc: str, scope: str, column: str) -> DataFrame:
    """One row, one column, to be cross joined: what is missing of a walk; null when nothing is."""
    lines = _gaps_of(gaps, rpc, scope).agg(F.array_sort(F.collect_set("gap")).alias("lines"))
    return lines.select(F.when(F.size("lines") > 0, F.array_join("lines", "; ")).alias(column))


def not_read_from(gaps: DataFrame, rpc: str, scope: str, node: str, column: str) -> DataFrame:
    """One row a broker whose part of a walk is missing: its id as `node`, what is missing as `column`."""
    of_nodes = _gaps_of(gaps, rpc, scope).where(F.col("node_id").isNotNull())
    return of_nodes.groupBy(F.col("node_id").alias(node)).agg(F.max("gap").alias(column))


def _gaps_of(gaps: DataFrame, rpc: str, scope: str) -> DataFrame:
    """`node_id` and `gap`, such as "ListGroups was not read from broker 3 (BROKER_NOT_ALIVE)"."""
    broker = F.when(F.col("node_id").isNotNull(), words(" from broker ", F.col("node_id"))).otherwise("")
    gap = words(rpc, " was not read", broker, " (", F.coalesce(F.col("error"), F.lit("no page")), ")")
    return gaps.where((F.col("rpc") == rpc) & (F.col("scope") == scope)).select("node_id", gap.alias("gap"))
