"""The kinds of problems of a report, the worst first: the headline names them, and `--fail-on` accepts their words.

This module holds values only, without Spark, because a command line lists them. Spark and DuckDB both accept the SQL,
so that the command of the headline finds the rows that the headline counted.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kafka_census.errors import ConfigError, TroubleFound


@dataclass(frozen=True)
class Rows:
    """The rows of a published table that show a kind of problem.

    table   the name of the table
    where   the condition on its rows, in SQL
    shown   the columns that a query of these rows shows
    name    the name of such a row, an SQL expression
    one     the sentence after the number 1; `many` after another number
    harm    further totals of these rows, shown unless they are 0: the SQL of what a row adds, then `one` and `many`
    unseen  whether these rows are unknown because an answer is missing
    """

    table: str
    where: str
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

UNREACHABLE, INCOMPLETE = "unreachable", "incomplete"

KINDS = (
    Kind(
        "offline",
        "partitions without a leader",
        Rows(
            "under_min_isr_partitions",
            "status = 'OFFLINE'",
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
            "broker_id, state, replicas, offline_replicas",
            "broker_id",
            "broker is down",
            "brokers are down",
        ),
    ),
    Kind(
        "voters_behind",
        "voters of the metadata quorum that are not caught up",
        Rows(
            "quorum",
            "role = 'voter' AND NOT caught_up",
            "replica_id, lag_offsets, lag_ms, reason",
            "replica_id",
            "voter of the metadata quorum is behind",
            "voters of the metadata quorum are behind",
        ),
    ),
    Kind(
        "log_dir_offline",
        "log dirs whose disk failed",
        Rows(
            "log_dir_usage",
            "state = 'offline'",
            "broker_id, log_dir, replicas, reason",
            "concat(broker_id, ':', log_dir)",
            "log dir is offline",
            "log dirs are offline",
        ),
    ),
    Kind(
        "stalled",
        "replicas on the move that got no byte since the previous census",
        Rows(
            "reassignment_backlog",
            "stalled",
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
            "topic, partition, producer_id, transactional_id, hanging_since",
            _PARTITION,
            "transaction hangs, readers wait",
            "transactions hang, readers wait",
        ),
    ),
    Kind(INCOMPLETE, "tables that were published as incomplete"),
    Kind(
        "lag_unknown",
        "groups with offsets or ends that could not be read",
        Rows(
            "group_lag",
            "partitions_missed > partitions_without_commit OR offsets_reason IS NOT NULL",
            "group_id, partitions_missed, offsets_reason, lag_reason",
            "group_id",
            "group has unknown lag",
            "groups have unknown lag",
            unseen=True,
        ),
    ),
)
"""Every kind, the worst first."""

WORDS = tuple(kind.word for kind in KINDS)

ROWS: Mapping[str, Rows] = {kind.word: kind.rows for kind in KINDS if kind.rows is not None}
"""The rows that show a kind, by its word; the headline, the HTML file and alerts all count these."""


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
