"""The kinds of problems of a report, the worst first: the headline names them, and `--fail-on` accepts their words.

This module holds values only, without Spark, because a command line lists them. Spark and DuckDB both accept the SQL,
so that the command of the headline finds the rows that the headline counted. Most of this file is one list, whose
order is that of the headline: hence its length.

The logic has three values: a row shows a problem, or does not, or a value that was not read leaves that open. The
headline, the HTML file and alerts report the third case; none of them takes such a row for a healthy one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kafka_census.comparison.subjects import UNREAD_PARTITIONS
from kafka_census.errors import ConfigError, TroubleFound


@dataclass(frozen=True)
class Rows:
    """The rows of a published table that show a kind of problem.

    table    the name of the table
    where    the condition on its rows, in SQL
    unknown  the condition on rows of which it is not known whether they show the problem, in SQL
    shown    the columns that a query of these rows shows
    name     the name of such a row, an SQL expression
    one      the sentence after the number 1; `many` after another number
    harm     further totals of these rows, shown unless they are 0: the SQL of what a row adds, then `one` and `many`
    unseen   whether these rows are unknown because an answer is missing
    """

    table: str
    where: str
    unknown: str
    shown: str
    name: str
    one: str
    many: str
    harm: tuple[tuple[str, str, str], ...] = ()
    unseen: bool = False


@dataclass(frozen=True)
class Kind:
    """One kind of problem.

    word     the word for `--fail-on`
    meaning  a description of what is counted
    rows     the rows that show it; None for a kind that is counted without rows
    """

    word: str
    meaning: str
    rows: Rows | None = None


_CANNOT_COMMIT = (
    ("groups_unable_to_commit", "group cannot commit", "groups cannot commit"),
    (
        "transactional_ids_unable_to_commit",
        "transactional id cannot commit",
        "transactional ids cannot commit",
    ),
)
_PARTITION = "concat(topic, '-', partition)"
_LOG_DIR = "concat(broker_id, ':', log_dir)"
_NO_STATUS = "coalesce(status, 'UNKNOWN') = 'UNKNOWN'"
_DIR_NOT_READ = "coalesce(state, 'not_read') = 'not_read'"
_OVER = "('Empty', 'CompleteCommit', 'CompleteAbort', 'Dead')"

UNREACHABLE, INCOMPLETE, NOT_KNOWN = "unreachable", "incomplete", "not_known"

KINDS = (
    Kind(
        "offline",
        "partitions without a leader",
        Rows(
            "under_min_isr_partitions",
            "status = 'OFFLINE'",
            _NO_STATUS,
            "topic, partition, replicas, isr, reason",
            _PARTITION,
            "partition is offline",
            "partitions are offline",
            _CANNOT_COMMIT,
        ),
    ),
    Kind(
        "under_min_isr",
        "partitions with fewer in-sync replicas than min.insync.replicas: they refuse acks=all writes",
        Rows(
            "under_min_isr_partitions",
            "status = 'UNDER'",
            _NO_STATUS,
            "topic, partition, replicas, isr, min_isr_effective",
            _PARTITION,
            "partition is under min ISR",
            "partitions are under min ISR",
            _CANNOT_COMMIT,
        ),
    ),
    Kind(
        UNREACHABLE,
        "brokers that are down or fenced, or did not answer",
        Rows(
            "brokers",
            "state IN ('not_alive', 'fenced')",
            "state IS NULL",
            "broker_id, state, replicas, offline_replicas",
            "broker_id",
            "broker is down",
            "brokers are down",
        ),
    ),
    Kind(
        "voters_behind",
        "voters of the metadata quorum that are not known to be caught up: behind, or not heard by the leader",
        Rows(
            "quorum",
            "role = 'voter' AND caught_up IS NOT TRUE",
            "coalesce(role, 'unknown') = 'unknown'",
            "replica_id, lag_offsets, lag_ms, reason",
            "replica_id",
            "voter of the metadata quorum is not known to be caught up",
            "voters of the metadata quorum are not known to be caught up",
        ),
    ),
    Kind(
        "log_dir_offline",
        "log dirs whose disk failed",
        Rows(
            "log_dir_usage",
            "state = 'offline'",
            _DIR_NOT_READ,
            "broker_id, log_dir, replicas, reason",
            _LOG_DIR,
            "log dir is offline",
            "log dirs are offline",
        ),
    ),
    Kind(
        "under_replicated",
        "partitions that lack in-sync replicas and still take acks=all writes (UNDER_REPLICATED, or AT the minimum)",
        Rows(
            "under_min_isr_partitions",
            "status IN ('AT', 'UNDER_REPLICATED')",
            _NO_STATUS,
            "topic, partition, status, replicas, isr, min_isr_effective",
            _PARTITION,
            "partition is under-replicated",
            "partitions are under-replicated",
        ),
    ),
    Kind(
        "disk_low",
        "log dirs with less than a tenth of their volume free",
        Rows(
            "log_dir_usage",
            "usable_bytes < total_bytes / 10",
            f"{_DIR_NOT_READ} OR state = 'online' AND (usable_bytes IS NULL OR total_bytes IS NULL)",
            "broker_id, log_dir, state, usable_bytes, total_bytes, reason",
            _LOG_DIR,
            "log dir has less than a tenth of its volume free",
            "log dirs have less than a tenth of their volume free",
        ),
    ),
    Kind(
        "stalled",
        "replicas on the move that got no byte since the previous census",
        Rows(
            "reassignment_backlog",
            "stalled",
            "coalesce(kind, '') <> 'remove' AND stalled IS NULL AND (bytes_left = 0 AND in_isr) IS NOT TRUE",
            "topic, partition, source_id, replica_id, bytes_left",
            _PARTITION,
            "replica on the move is stalled",
            "replicas on the move are stalled",
        ),
    ),
    Kind(
        "hanging",
        "transactions that nobody will end, beyond doubt",
        Rows(
            "hanging_transactions",
            "verdict = 'hanging' AND confidence = 'high'",
            "coalesce(verdict, 'unknown') = 'unknown' OR verdict = 'hanging' AND coalesce(confidence, 'low') = 'low'",
            "topic, partition, producer_id, transactional_id, hanging_since",
            _PARTITION,
            "transaction hangs, readers wait",
            "transactions hang, readers wait",
        ),
    ),
    Kind(
        "transaction_late",
        "transactions that their coordinator holds for longer than their timeout, also while it commits or aborts them",
        Rows(
            "transaction_coordinator_placement",
            "over_timeout",
            f"over_timeout IS NULL AND coalesce(described_state NOT IN {_OVER}, true)",
            "transactional_id, described_state, duration_ms, transaction_timeout_ms, found_coordinator",
            "transactional_id",
            "transaction is open for longer than its timeout",
            "transactions are open for longer than their timeout",
        ),
    ),
    Kind(
        "streams_not_ready",
        "streams groups in the state NotReady: they wait for topics and process nothing",
        Rows(
            "group_lag",
            "group_state = 'NotReady'",
            "coalesce(group_type, 'streams') = 'streams' AND group_state IS NULL",
            "group_id, group_state, members, lag_total",
            "group_id",
            "streams group is not ready",
            "streams groups are not ready",
        ),
    ),
    Kind(
        "coordinators_disagree",
        "groups whose coordinator is not the same by formula, by listing and by FindCoordinator, or that have none",
        Rows(
            "group_coordinator_placement",
            "agreement NOT IN ('agree', 'unknown')",
            "coalesce(agreement, 'unknown') = 'unknown'",
            "group_id, agreement, expected_coordinator, listed_by, found_coordinator, reason",
            "group_id",
            "group has no coordinator, or the sources name different ones",
            "groups have no coordinator, or the sources name different ones",
        ),
    ),
    Kind(
        "out_of_range",
        "committed offsets outside the log of their partition",
        Rows(
            "consumer_lag",
            "range IN ('before_start', 'after_end')",
            "coalesce(range, 'unknown') = 'unknown' AND coalesce(topic_state, 'unknown') <> 'gone'",
            "group_id, topic, partition, range, committed_offset, log_start_offset, high_watermark",
            "concat(group_id, ' at ', topic, '-', partition)",
            "committed offset is outside its log",
            "committed offsets are outside their log",
        ),
    ),
    Kind(
        "not_desired",
        "configs that are not as the desired state asks for",
        Rows(
            "config_drift",
            "kind = 'not_desired'",
            "coalesce(kind, 'not_read') = 'not_read'",
            "resource_type, resource_name, name, value, expected, reason",
            "concat(resource_type, ' ', resource_name, ' ', name)",
            "config is not as desired",
            "configs are not as desired",
        ),
    ),
    Kind(INCOMPLETE, "tables that were published as incomplete"),
    Kind(
        "lag_unknown",
        "groups with offsets or ends that could not be read",
        Rows(
            "group_lag",
            f"{UNREAD_PARTITIONS} > 0 OR offsets_reason IS NOT NULL",
            f"{UNREAD_PARTITIONS} IS NULL AND offsets_reason IS NULL",
            "group_id, partitions_missed, offsets_reason, lag_reason",
            "group_id",
            "group has unknown lag",
            "groups have unknown lag",
            unseen=True,
        ),
    ),
    Kind(
        NOT_KNOWN, "partitions, log dirs, groups, ... of which it is not known whether they show one of these problems"
    ),
)
"""Every kind, the worst first."""

WORDS = tuple(kind.word for kind in KINDS)

ROWS: Mapping[str, Rows] = {kind.word: kind.rows for kind in KINDS if kind.rows is not None}
"""The rows that show a kind, by its word; the headline, the HTML file and alerts all count these."""

_NOUNS = {
    "under_min_isr_partitions": ("partition", "partitions"),
    "brokers": ("broker", "brokers"),
    "quorum": ("replica of the metadata quorum", "replicas of the metadata quorum"),
    "log_dir_usage": ("log dir", "log dirs"),
    "reassignment_backlog": ("replica on the move", "replicas on the move"),
    "hanging_transactions": ("open transaction", "open transactions"),
    "transaction_coordinator_placement": ("transactional id", "transactional ids"),
    "group_lag": ("group", "groups"),
    "group_coordinator_placement": ("coordinator of a group", "coordinators of groups"),
    "consumer_lag": ("committed offset", "committed offsets"),
    "config_drift": ("config", "configs"),
}


def _unknown(table: str) -> Rows:
    """The rows of a table of which one of its kinds is not known."""
    mine = [rows for rows in ROWS.values() if rows.table == table]
    holds = " OR ".join(f"({each})" for each in dict.fromkeys(rows.unknown for rows in mine))
    noun, nouns = _NOUNS[table]
    shown = ", ".join(dict.fromkeys(name for rows in mine for name in rows.shown.split(", ")))
    text = "not known to be well"
    return Rows(table, holds, "false", shown, mine[0].name, f"{noun} is {text}", f"{nouns} are {text}", unseen=True)


UNKNOWN: Mapping[str, Rows] = {table: _unknown(table) for table in _NOUNS}
"""The rows of NOT_KNOWN, by table."""


def require_none(words: Iterable[str], census: str, counts: Mapping[str, int]) -> None:
    """Raise TroubleFound if one of these words has a count above 0; `census` names the census in the message."""
    found = [f"{counts[word]:,} {word}" for word in words if counts[word]]
    if found:
        raise TroubleFound(f"{census} shows what --fail-on names: {', '.join(found)}")


def require_computed(words: Iterable[str], tables: Iterable[str]) -> None:
    """Raise ConfigError for a word whose table is not among these, because that word could never fail."""
    computed = set(tables)
    for kind in KINDS:
        if kind.word in words and kind.rows is not None and kind.rows.table not in computed:
            raise ConfigError(
                f"--fail-on {kind.word} needs the table {kind.rows.table}, which is not surveyed: add it to `tables`"
            )
