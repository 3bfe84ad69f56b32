"""Which open transactions hang: their partition waits for a marker that no coordinator will write.

The rule is that of `kafka-transactions find-hanging`: an open transaction of a partition hangs where no transactional
id has its producer id, or the id has no description, or the partition is not in the id's transaction. The three answers
are no snapshot, so partitions are asked twice (scopes `partitions`, then `recheck`), before and after the transactions:
a transaction that is open in both answers, by the same producer id and epoch from the same offset, was open in between,
and its coordinator held it then unless it hangs.

`verdict` is the first that holds:

    unknown   the partition's producers were not read, or not read again
    ended     no longer open in the second answer
    held      the partition is in the transaction of the transactional id
    unknown   a coordinator that may hold it was not read: ListTransactions is missing in part (brokers before 3.0
              lack it; no broker lists ids of a leaderless partition of __transaction_state) and lists no id, or
              the id's coordinator did not describe the id. An abort on that basis would break a prepared commit
    hanging   otherwise

A verdict of hanging has a `confidence`, low where there may be another explanation: ListTransactions leaves out ids
that the principal may not DESCRIBE, without an error (`shown_transactional_ids` says when none is hidden), or the
transaction is young and was seen only once.

`late` is Kafka's other condition, and no part of the verdict: it rests on the timestamp of a record, which its producer
sets. A timestamp that is too old makes no healthy transaction hang here, and one in the future hides none: the time of
our own first sight of the transaction (`first_seen_at`) gives an age that no producer can set.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.hanging_transactions.columns import HANGING_TRANSACTIONS
from kafka_census.tables.producer_state.columns import PRODUCER_STATE
from kafka_census.tables.shared.items import is_true, moment
from kafka_census.tables.shared.reasons import first_that_holds, not_read, words
from kafka_census.tables.shared.shown_transactional_ids import all_are_shown, shown_transactional_ids

_PARTITION = ["topic", "partition"]
_TRANSACTION = [*_PARTITION, "producer_id", "producer_epoch", "current_txn_start_offset"]
_MAX_TIMEOUT = "transaction.max.timeout.ms"
_DEFAULT_MAX_TIMEOUT_MS = 900_000


def hanging_transactions(
    *,
    producers: DataFrame,
    transactions: DataFrame,
    described: DataFrame,
    rechecked: DataFrame,
    configs: DataFrame,
    probe: DataFrame,
    acls: DataFrame,
    partitions: DataFrame,
    previous: DataFrame,
    missing: Sequence[MissingRead],
) -> DataFrame:
    """One row per open transaction of a partition, and one (producer id -1) per partition that could not be read.

    Columns: those of `HANGING_TRANSACTIONS`. Inputs are items: producers of DescribeProducers, rechecked of its second
    walk, transactions of ListTransactions, described of DescribeTransactions, configs of brokers, probe of
    DescribeTransactions' probe, acls of DescribeAcls; the rows of `producer_state` (partitions), and this table's rows
    of the previous census.
    """
    opened = _asked_again(_open(producers), rechecked)
    known = _with_id(opened, transactions, described).withColumns(
        {
            "recheck_gap": not_read(missing, "DescribeProducers", "recheck"),
            "list_gap": not_read(missing, "ListTransactions", "transactions"),
            "describe_gap": not_read(missing, "DescribeTransactions", "transactional_ids"),
            "observed_at": F.greatest("seen_at", "rechecked_at", "listed_at", "described_at"),
        }
    )
    proven = all_are_shown(not_read(missing, "DescribeAcls", "acls")).alias("all_shown")
    all_shown = shown_transactional_ids(probe, acls, configs).select(proven)
    judged = _judged(_with_age(known, configs, previous).crossJoin(F.broadcast(all_shown)))
    return judged.unionByName(_not_judged(partitions), allowMissingColumns=True).select(
        *HANGING_TRANSACTIONS.computed.names
    )


def _open(producers: DataFrame) -> DataFrame:
    """The open transactions of the first walk, each once."""
    columns = ("census_id", "cluster_id", "producer_epoch", "current_txn_start_offset", "last_timestamp", "received_at")
    return (
        producers.where(F.col("current_txn_start_offset").isNotNull())
        .groupBy(*_PARTITION, "producer_id")
        .agg(F.max_by(F.struct(*columns), "received_at").alias("open"))
        .select(*_PARTITION, "producer_id", "open.*")
        .withColumnRenamed("received_at", "seen_at")
        .withColumnRenamed("last_timestamp", "last_ms")
    )


def _asked_again(opened: DataFrame, rechecked: DataFrame) -> DataFrame:
    """Adds when the partition answered again, the error of that answer, and whether the transaction was still open."""
    answers = rechecked.groupBy(*_PARTITION).agg(
        F.max("received_at").alias("rechecked_at"), F.max(error_name("error_code")).alias("recheck_error")
    )
    still = rechecked.where(F.col("current_txn_start_offset").isNotNull())
    still = still.groupBy(*_TRANSACTION).agg(
        F.max("last_timestamp").alias("last_again"), F.max(F.lit(True)).alias("still_open")
    )
    return (
        opened.join(answers, _PARTITION, "left")
        .join(still, _TRANSACTION, "left")
        .withColumn("last_ms", F.greatest("last_ms", "last_again"))
    )


def _with_id(opened: DataFrame, transactions: DataFrame, described: DataFrame) -> DataFrame:
    """Adds the transactional id that has the producer id, and its transaction as described by its coordinator."""
    ids = transactions.groupBy("producer_id").agg(
        F.max_by(F.struct("transactional_id", "transaction_state"), "received_at").alias("listed"),
        F.max("received_at").alias("listed_at"),
    )
    reported = F.struct("error_code", "transaction_state", "transaction_timeout_ms")
    descriptions = described.groupBy("transactional_id").agg(
        F.max_by(reported, "received_at").alias("reported"), F.max("received_at").alias("described_at")
    )
    holds = described.where(F.col("topic").isNotNull()).groupBy("transactional_id", *_PARTITION)
    return (
        opened.join(ids, "producer_id", "left")
        .withColumn("transactional_id", F.col("listed.transactional_id"))
        .join(descriptions, "transactional_id", "left")
        .join(holds.agg(F.max(F.lit(True)).alias("held")), ["transactional_id", *_PARTITION], "left")
        .withColumns(
            {
                "transaction_state": F.coalesce("reported.transaction_state", "listed.transaction_state"),
                "transaction_timeout_ms": F.col("reported.transaction_timeout_ms"),
            }
        )
    )


def _with_age(known: DataFrame, configs: DataFrame, previous: DataFrame) -> DataFrame:
    """Adds the age of the transaction, by its record and by our own first sight, and whether that is late."""
    values = configs.where(F.col("name") == _MAX_TIMEOUT).select(F.expr("try_cast(value AS BIGINT)").alias("value"))
    before = previous.where(F.col("current_txn_start_offset").isNotNull()).select(
        *_TRANSACTION,
        F.col("census_id").alias("previous_census_id"),
        F.col("first_seen_at").alias("seen_before_at"),
        F.col("hanging_since").alias("hung_since"),
        F.col("censuses_hanging").alias("hung_censuses"),
    )
    of_brokers, own = F.coalesce("of_brokers", F.lit(_DEFAULT_MAX_TIMEOUT_MS)), F.col("transaction_timeout_ms")
    source = F.when(F.col("of_brokers").isNull(), "default").otherwise("broker")
    seen_too_long = F.col("seen_for_ms") > F.col("max_timeout_ms")
    return (
        known.crossJoin(F.broadcast(values.agg(F.max("value").alias("of_brokers"))))
        .join(before, _TRANSACTION, "left")
        .withColumns(
            {
                "last_timestamp": moment(F.col("last_ms")),
                "record_age_ms": F.unix_millis("observed_at") - F.col("last_ms"),
                "first_seen_at": F.coalesce("seen_before_at", "seen_at"),
                "max_timeout_ms": F.greatest(of_brokers, own.cast("bigint")),
                "max_timeout_source": F.when(own > of_brokers, "transaction").otherwise(source),
            }
        )
        .withColumn("seen_for_ms", F.unix_millis("observed_at") - F.unix_millis("first_seen_at"))
        .withColumn("late", F.when(seen_too_long, True).otherwise(F.col("record_age_ms") > F.col("max_timeout_ms")))
    )


def _judged(known: DataFrame) -> DataFrame:
    """Adds verdict, evidence, confidence, and their reasons."""
    hangs = F.col("verdict") == "hanging"
    verdicts, evidences = _verdicts(), _evidences()
    return (
        known.withColumns(
            {
                "verdict": first_that_holds(*[(holds, name) for holds, name, _ in verdicts], otherwise="hanging"),
                "why_not": first_that_holds(*[(holds, why) for holds, _, why in verdicts]),
            }
        )
        .withColumns(
            {
                "evidence": F.when(hangs, first_that_holds(*[(holds, name) for holds, name, _ in evidences])),
                "reason": F.when(hangs, first_that_holds(*[(holds, why) for holds, _, why in evidences])).otherwise(
                    F.col("why_not")
                ),
                "doubt": F.when(hangs, _doubt()),
                "hanging_since": F.when(hangs, F.coalesce("hung_since", "observed_at")),
                "censuses_hanging": F.when(hangs, F.coalesce("hung_censuses", F.lit(0)) + 1).otherwise(0),
            }
        )
        .withColumn("confidence", F.when(hangs, F.when(F.col("doubt").isNull(), "high").otherwise("low")))
    )


def _verdicts() -> tuple[tuple[Column, str, Column], ...]:
    """Condition, verdict, reason: the first true condition decides; if no condition is true, the transaction hangs."""
    not_again = F.coalesce("recheck_gap", F.lit("the partition was not asked again"))
    unlisted, described = F.col("transactional_id").isNull(), F.col("reported.error_code")
    not_described = F.coalesce("describe_gap", F.lit("DescribeTransactions did not tell of the id"))
    return (
        (F.col("recheck_error").isNotNull(), "unknown", words("DescribeProducers again: ", F.col("recheck_error"))),
        (F.col("rechecked_at").isNull(), "unknown", not_again),
        (F.col("still_open").isNull(), "ended", F.lit("it was no longer open when the partition was asked again")),
        (F.col("held"), "held", F.lit(None).cast("string")),
        (unlisted & F.col("list_gap").isNotNull(), "unknown", F.col("list_gap")),
        (~unlisted & F.col("reported").isNull(), "unknown", not_described),
        (
            ~described.isin(0, ErrorCode.TRANSACTIONAL_ID_NOT_FOUND.value),
            "unknown",
            words("DescribeTransactions: ", error_name("reported.error_code")),
        ),
    )


def _described() -> Column:
    """Whether the id's coordinator described it."""
    return is_true(F.col("reported.error_code") == 0)


def _evidences() -> tuple[tuple[Column, str, Column], ...]:
    """Condition, evidence, reason, for transactions that hang."""
    transactional_id, state = F.col("transactional_id"), F.coalesce("transaction_state", F.lit("?"))
    return (
        (
            transactional_id.isNull(),
            "no_transactional_id",
            words("no transactional id was listed that has producer id ", F.col("producer_id")),
        ),
        (~_described(), "no_description", words("transactional id ", transactional_id, " has no description")),
        (
            F.lit(True),
            "not_in_transaction",
            words("the transaction of ", transactional_id, " (", state, ") does not have the partition"),
        ),
    )


def _doubt() -> Column:
    """Another explanation for a transaction that seems to hang; null where there is none."""
    unlisted = F.col("transactional_id").isNull()
    hidden = F.lit("its id may be hidden: brokers do not list ids that the principal may not DESCRIBE")
    once = F.col("hung_since").isNull() & ~is_true(F.col("late"))
    return first_that_holds(
        (unlisted & ~is_true(F.col("all_shown")), hidden),
        (once, F.lit("seen once, and not late: a coordinator that just moves, or a stale replica, looks the same")),
    )


def _not_judged(partitions: DataFrame) -> DataFrame:
    """One row per partition whose producers are not all known: an unseen transaction may hang there."""
    return partitions.where(F.col("reason").isNotNull()).select(
        "census_id",
        "cluster_id",
        "observed_at",
        *_PARTITION,
        F.lit(-1).cast("bigint").alias("producer_id"),
        F.lit("unknown").alias("verdict"),
        "reason",
        F.lit(0).alias("censuses_hanging"),
    )


HANGING_TRANSACTIONS_TRANSFORM = Transform(
    HANGING_TRANSACTIONS,
    hanging_transactions,
    {
        "producers": ("DescribeProducers", "partitions"),
        "transactions": ("ListTransactions", "transactions"),
        "described": ("DescribeTransactions", "transactional_ids"),
        "rechecked": ("DescribeProducers", "recheck"),
        "configs": ("DescribeConfigs", "brokers"),
        "probe": ("DescribeTransactions", "probe"),
        "acls": ("DescribeAcls", "acls"),
        "partitions": PRODUCER_STATE,
    },
    previous=True,
)
