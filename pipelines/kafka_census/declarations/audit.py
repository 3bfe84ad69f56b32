"""The audit tables: the steps of each census, the brokers asked, the verdicts of the gate, and publications.

Audit tables are only appended to, and hold every census of every cluster. Readers see a
census from the commit that appends its rows to `publications` until the commit that deletes
them. `census_runs` keeps its rows for ever; maintenance thins the other tables by `retention`.
"""

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructType,
    TimestampType,
)

from kafka_census.declarations.table import CLUSTER, Table, column

_INT, _LONG, _STRING = IntegerType(), LongType(), StringType()
_BOOLEAN, _DOUBLE, _TIME = BooleanType(), DoubleType(), TimestampType()

_CENSUS_ID = column("census_id", _STRING, "The census; sorts by time.")
_CLUSTER_ID = column("cluster_id", _STRING, "Kafka's own id of the cluster.")
_TABLE_NAME = column("table_name", _STRING, "The published table.")
_RPC = column("rpc", _STRING, "The RPC, by its Kafka name.")
_SCOPE = column("scope", _STRING, "What the walk goes over: cluster, names, topics, brokers, groups, log_dirs.")

MISSING = StructType(
    [
        column("rpc", _STRING, "The RPC that lacks an answer."),
        column("broker_id", _INT, "The broker that did not give it; null where any broker would have done."),
        column("error", _STRING, "Name of the error, such as BROKER_NOT_ALIVE."),
        column("reason", _STRING, "The error in one line."),
    ]
)
"""An answer that a published table was computed without."""

TIMES = StructType(
    [
        column("table_name", _STRING, "The published table."),
        column("first_received_at", _TIME, "When the first answer that it was computed from was received."),
        column("last_received_at", _TIME, "When the last one was."),
    ]
)
"""When the first and the last answer for a table were received: the table's skew."""

CENSUS_RUNS = Table(
    name="census_runs",
    layer="audit",
    comment="What each census did and when: one row per event.",
    schema=StructType(
        [
            _CENSUS_ID,
            _CLUSTER_ID,
            CLUSTER,
            column(
                "event",
                _STRING,
                "started, resumed, landed, staged, gated, published, refused, failed; later retired, cleared.",
            ),
            column("at", _TIME, "When it happened."),
            column("tables", ArrayType(_STRING), "The tables that the census was asked for."),
            column("detail", _STRING, "One line more, such as why it was refused; may be null."),
            column("version", _STRING, "Version of kafka-census that ran."),
            column("times", ArrayType(TIMES), "Of gated and refused: when each table's answers came; else empty."),
        ]
    ),
    key=("census_id", "event", "at"),
)

ROUTES = Table(
    name="routes",
    layer="audit",
    comment="Who owed an answer: one row per node of each walk of a census.",
    schema=StructType(
        [
            _CENSUS_ID,
            _CLUSTER_ID,
            _RPC,
            _SCOPE,
            column("broker_id", _INT, "The broker that owes a chain; null where any broker may answer."),
            column("alive", _BOOLEAN, "Whether the broker had an endpoint when the route was made."),
            column("host", _STRING, "Host of that endpoint; null when not alive."),
            column("port", _INT, "Port of that endpoint; null when not alive."),
            column(
                "why",
                _STRING,
                "alive, fenced, in a replica list, or any; of censuses before 0.3 also: in the last census.",
            ),
        ]
    ),
    key=("census_id", "rpc", "scope", "broker_id"),
)

CALLS = Table(
    name="calls",
    layer="audit",
    comment="What was sent and received: one row for each broker, RPC and version of a census.",
    schema=StructType(
        [
            _CENSUS_ID,
            _CLUSTER_ID,
            _RPC,
            _SCOPE,
            column("api", _STRING, "The RPC that went over the wire: differs from rpc where a broker lacks it."),
            column("api_version", _INT, "Version on the wire; null when nothing was sent."),
            column("paging", _STRING, "Who cut the pages: cursor (broker), window (client), whole (nobody)."),
            column("broker_id", _INT, "The broker that was asked."),
            column("pages", _LONG, "Pages landed, error pages included."),
            column("items", _LONG, "Items in those pages."),
            column("requests", _LONG, "Requests sent, retries and single keys included."),
            column("errors", _LONG, "Pages that hold an error."),
            column("error", _STRING, "Name of the last error; null when none."),
            column("response_bytes", _LONG, "Bytes of all responses."),
            column("throttle_time_ms", _LONG, "Throttle time the broker imposed in all, ms."),
            column("seconds", _DOUBLE, "From the first request to the last response, s."),
            column("note", _STRING, "What a reader should know, such as a fallback; null when nothing."),
        ]
    ),
    key=("census_id", "rpc", "scope", "api", "api_version", "paging", "broker_id"),
)

VERDICTS = Table(
    name="verdicts",
    layer="audit",
    comment="What the gate judged: one row for each rule and table of a census, passes included.",
    schema=StructType(
        [
            _CENSUS_ID,
            _CLUSTER_ID,
            _TABLE_NAME,
            column("rule", _STRING, "Name of the rule, unique within the table."),
            column("kind", _STRING, "completeness, visibility, time or expectation."),
            column("severity", _STRING, "critical (may refuse) or warning (may only warn)."),
            column("outcome", _STRING, "pass, warn or refuse."),
            column("checked_rows", _LONG, "Rows or answers that were looked at."),
            column("failed_rows", _LONG, "Those of them that break the rule."),
            column("failing_keys", ArrayType(_STRING), "At most 20 of those, such as 'topic=a, partition=3'."),
            column("message", _STRING, "What, where and what to do, in one line."),
            column("judged_at", _TIME, "When the gate judged."),
        ]
    ),
    key=("census_id", "table_name", "rule"),
)

QUARANTINE = Table(
    name="quarantine",
    layer="audit",
    comment="Rows that failed an expectation, up to gate.quarantine_rows of each: refused with their census, or "
    "published in spite of a warning.",
    schema=StructType(
        [
            _CENSUS_ID,
            _CLUSTER_ID,
            _TABLE_NAME,
            column("rule", _STRING, "The expectation that the row failed, as in verdicts."),
            column("severity", _STRING, "critical: its census is refused. warning: the row is published as well."),
            column("row_key", _STRING, "The row's key, such as 'topic=a, partition=3'."),
            column("row", _STRING, "The whole row as JSON; null where the rule is about several rows."),
            column("quarantined_at", _TIME, "When the gate judged."),
        ]
    ),
    key=("census_id", "table_name", "rule", "row_key", "quarantined_at"),
)

_OF_A_TABLE = (
    _CENSUS_ID,
    _CLUSTER_ID,
    CLUSTER,
    _TABLE_NAME,
    column("is_complete", _BOOLEAN, "Whether nothing that the table needs is missing or hidden."),
    column("missing", ArrayType(MISSING), "What the table was computed without."),
    column("visibility", _STRING, "proven, partial or unknown: whether listings hid things from us."),
    column("row_count", _LONG, "Rows of the table in this census."),
    column("warnings", _INT, "Verdicts on this table with outcome warn."),
    column("observed_from", _TIME, "When the first page that the table reads was asked for."),
    column("observed_to", _TIME, "When the last page that the table reads was received."),
)
"""What the gate says of a table of a census."""

PUBLICATIONS = Table(
    name="publications",
    layer="audit",
    comment="What readers see: one row for each published table of a census; all tables of a census in one commit.",
    schema=StructType([*_OF_A_TABLE, column("published_at", _TIME, "When this row was made.")]),
    key=("census_id", "table_name"),
)

REFUSALS = Table(
    name="refusals",
    layer="audit",
    comment="What readers do not see: one row for each table of a census that the gate refused, for each refusal.",
    schema=StructType([*_OF_A_TABLE, column("refused_at", _TIME, "When this row was made.")]),
    key=("census_id", "table_name", "refused_at"),
)

CENSUS_AUDIT_TABLES = (CENSUS_RUNS, ROUTES, CALLS, VERDICTS, QUARANTINE, REFUSALS, PUBLICATIONS)
"""Every audit table of censuses."""
