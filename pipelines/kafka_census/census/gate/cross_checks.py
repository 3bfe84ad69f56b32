"""Rules between the rows of several tables, or several rows of one table, which no single row can break.

Each check computes rows with `key` and `ok` from the staged tables of a census; its rule is that `ok` is true. A
failure could be an effect of missing pages, so a check of an incomplete table only warns (`gate.gate`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.judged import Subject
from kafka_census.declarations.rules import Counted, Rule, Severity
from kafka_census.declarations.table import Table
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.coordinator_load.columns import COORDINATOR_LOAD
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS, UNLISTED
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.tables.group_members.columns import GROUP_MEMBERS
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.tables.reassignment_backlog_by_broker.columns import REASSIGNMENT_BACKLOG_BY_BROKER
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS

KEY = ("key",)
"""The key of a check's row: text such as `broker=3`."""

_OK = "ok"


@dataclass(frozen=True)
class CrossCheck:
    """One check.

    table  the table that gets the verdict
    other  the table to compare with; the same table for a check between rows of one table
    rows   from the staged rows of both, and the landed items, to (key STRING, ok BOOLEAN); neither is null
    """

    table: Table
    rule: str
    other: Table
    rows: Callable[[DataFrame, DataFrame, Counted], DataFrame]
    description: str
    severity: Severity = "critical"

    @property
    def name(self) -> str:
        """Its name among all checks."""
        return f"{self.table.name}_{self.rule}"

    @property
    def condition(self) -> Rule:
        """The rule that no row is false."""
        return Rule(self.name, _OK, self.description, self.severity)


def applicable(tables: Sequence[Table]) -> tuple[CrossCheck, ...]:
    """The checks for which a census has both tables."""
    return tuple(check for check in CROSS_CHECKS if check.table in tables and check.other in tables)


def subjects(checks: Sequence[CrossCheck], staged: Mapping[str, DataFrame], census: Counted) -> list[Subject]:
    """The rows of each check; `staged` is by table name."""
    made = [check.rows(staged[check.table.name], staged[check.other.name], census) for check in checks]
    return [Subject(check.name, rows, KEY, {check.name: _OK}) for check, rows in zip(checks, made, strict=True)]


def _known_brokers(*named: str) -> Callable[[DataFrame, DataFrame, Counted], DataFrame]:
    """Every broker that these columns name, each an id or a list of ids, is a row of `brokers`."""

    def rows(table: DataFrame, brokers: DataFrame, _: Counted) -> DataFrame:
        ids = F.concat(*[F.expr(name) for name in named])
        named_once = table.select(F.explode(F.array_compact(ids)).alias("broker_id")).distinct().where("broker_id >= 0")
        known = brokers.select("broker_id", F.expr("true").alias("ok"))
        return _held_against(named_once, known, "broker_id", "broker=")

    return rows


def _same_groups(only: str) -> Callable[[DataFrame, DataFrame, Counted], DataFrame]:
    """Every group in these rows of the table has a row in the other table."""

    def rows(table: DataFrame, other: DataFrame, _: Counted) -> DataFrame:
        known = other.select("group_id", F.expr("true").alias("ok"))
        return _held_against(table.where(only).select("group_id").distinct(), known, "group_id", "group_id=")

    return rows


def _held_against(named: DataFrame, known: DataFrame, by: str, prefix: str) -> DataFrame:
    ok = F.coalesce("ok", F.lit(False)).alias("ok")
    return named.join(known.distinct(), by, "left").select(F.concat(F.lit(prefix), F.col(by)).alias("key"), ok)


def _contiguous(table: DataFrame, _: DataFrame, census: Counted) -> DataFrame:
    """The partitions of a topic are 0, 1, 2 and so on; a topic deleted between its pages may lack the last ones."""
    items = census.listed("DescribeTopicPartitions", "topics")
    gone = items.where("partition IS NULL AND error_code != 0").select("topic").distinct()
    counted = (
        table.groupBy("topic")
        .agg(F.count("*").alias("rows"), F.min("partition").alias("first"), F.max("partition").alias("last"))
        .join(gone, "topic", "left_anti")
    )
    key = F.format_string("topic=%s: %d partitions from %d to %d", "topic", "rows", "first", "last")
    return counted.select(key.alias("key"), F.expr("first = 0 AND last = rows - 1").alias("ok"))


def _all_members(table: DataFrame, groups: DataFrame, _: Counted) -> DataFrame:
    """A group has as many rows as members were described, and one more where other members may exist."""
    rows = table.groupBy("group_id").agg(
        F.count_if(F.col("status") == "described").alias("described"),
        F.count_if(F.col("status") == "not_read").alias("not_read"),
    )
    known = groups.select("group_id", "members", "members_reason", F.lit(True).alias("listed"))
    described, not_read, wanted = (F.coalesce(name, F.lit(0)) for name in ("described", "not_read", "members"))
    is_right = (described == wanted) & (not_read == F.col("members_reason").isNotNull().cast("int"))
    key = F.concat(F.lit("group_id="), "group_id").alias("key")
    return known.join(rows, "group_id", "full_outer").select(key, (F.col("listed").isNotNull() & is_right).alias("ok"))


_LATER = "; one that joined after DescribeCluster was answered is not yet"
_BROKER = "Every broker that the table names is in brokers"


def _names_brokers(table: Table, *columns: str, later: bool = False) -> CrossCheck:
    """`later`: the answers come after DescribeCluster's, so a broker may have joined meanwhile."""
    text = f"{_BROKER}{_LATER if later else ''}."
    return CrossCheck(
        table, "brokers_are_known", BROKERS, _known_brokers(*columns), text, "warning" if later else "critical"
    )


def _names_groups(table: Table, other: Table, rule: str, only: str = "true", which: str = "") -> CrossCheck:
    """`only`: SQL that selects the rows of the table whose groups are checked; `which` describes them in words."""
    return CrossCheck(
        table, rule, other, _same_groups(only), f"Every group of the table{which} has a row in {other.name}."
    )


_LISTED = f"NOT startswith(coalesce(reason, ''), '{UNLISTED}')"


CROSS_CHECKS = (
    CrossCheck(
        UNDER_MIN_ISR_PARTITIONS,
        "partitions_are_contiguous",
        UNDER_MIN_ISR_PARTITIONS,
        _contiguous,
        "The partitions of a topic count from 0 without a gap.",
    ),
    _names_groups(GROUP_COORDINATOR_PLACEMENT, GROUP_LAG, "placed_groups_are_listed"),
    _names_groups(GROUP_LAG, GROUP_COORDINATOR_PLACEMENT, "groups_are_placed"),
    _names_groups(CONSUMER_LAG, GROUP_COORDINATOR_PLACEMENT, "groups_are_placed"),
    _names_groups(DELETABLE_GROUPS, GROUP_COORDINATOR_PLACEMENT, "groups_are_placed", _LISTED, " that was listed"),
    CrossCheck(
        GROUP_MEMBERS,
        "members_are_counted",
        GROUP_LAG,
        _all_members,
        "A group has a row for each member that group_lag counts, and one more where that says why it may be too low.",
    ),
    _names_brokers(UNDER_MIN_ISR_PARTITIONS, "replicas", "isr", "eligible_leader_replicas", "array(leader_id)"),
    _names_brokers(LOG_DIR_USAGE, "array(broker_id)"),
    *(
        _names_brokers(table, "listed_by", "array(expected_coordinator, found_coordinator)", later=True)
        for table in (GROUP_COORDINATOR_PLACEMENT, TRANSACTION_COORDINATOR_PLACEMENT)
    ),
    _names_brokers(COORDINATOR_LOAD, "array(broker_id)", "if_lost.broker_id", later=True),
    _names_brokers(REASSIGNMENT_BACKLOG, "array(replica_id)", "adding_replicas", "removing_replicas", later=True),
    _names_brokers(REASSIGNMENT_BACKLOG_BY_BROKER, "array(broker_id)", later=True),
)
"""Every check. `quorum` is left out, because dedicated controllers are not brokers."""
