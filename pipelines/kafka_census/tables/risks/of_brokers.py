"""Risks of brokers and their log dirs, by the operator's thresholds."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.tables.risks.risk_rows import risk_rows
from kafka_census.tables.shared.reasons import words


def leaders_away(brokers: DataFrame, most: float) -> DataFrame:
    """Brokers of whose partitions others lead more than a share. Input: rows of `brokers`."""
    away = F.col("preferred_imbalance")
    return risk_rows(
        brokers.where((away > most) | ((F.col("state") == "alive") & F.col("preferred_leaders").isNull())),
        "broker",
        risk=F.lit("leaders_away"),
        name=F.col("broker_id"),
        holds=away > most,
        affected=F.col("preferred_elsewhere"),
        detail=words(
            *("others lead ", F.col("preferred_elsewhere"), " of ", F.col("preferred_leaders"), " of its partitions")
        ),
        why=F.col("counts_reason"),
    )


def crowded(brokers: DataFrame, most: int) -> DataFrame:
    """Brokers with more replicas than `most`. Input: rows of `brokers`."""
    replicas = F.col("replicas")
    return risk_rows(
        brokers.where((replicas > most) | ((F.col("state") == "alive") & replicas.isNull())),
        "broker",
        risk=F.lit("crowded_broker"),
        name=F.col("broker_id"),
        holds=replicas > most,
        affected=replicas,
        detail=words(replicas, f" replicas, where {most:,} are meant to be the most"),
        why=F.col("counts_reason"),
    )


def filling(log_dirs: DataFrame, most: float) -> DataFrame:
    """Log dirs that use more than a share of their volume. Input: rows of `log_dir_usage`."""
    used = 1 - F.col("usable_bytes") / F.col("total_bytes")
    unread = (F.col("state") == "not_read") | ((F.col("state") == "online") & used.isNull())
    return risk_rows(
        log_dirs.where((used > most) | unread),
        "log_dir",
        risk=F.lit("disk_filling"),
        name=words(F.col("broker_id"), ":", F.col("log_dir")),
        holds=used > most,
        affected=F.col("usable_bytes"),
        detail=words(F.round(used * 100).cast("int"), " % of its volume are used"),
        why=F.coalesce("reason", F.lit("brokers before 3.3 do not tell the size of a volume")),
    )


def too_small(log_dirs: DataFrame, backlog: DataFrame) -> DataFrame:
    """Brokers whose dirs have less space together than running moves still bring; dirs may share a volume."""
    free = log_dirs.groupBy("broker_id").agg(
        F.sum("usable_bytes").alias("free"), F.bool_or(F.col("usable_bytes").isNull()).alias("in_part")
    )
    moves = backlog.where("replicas_in > 0").join(free, "broker_id", "left")
    short = F.col("bytes_left_in") > F.col("free")
    sure = short & ~F.col("in_part")
    unknown = F.col("free").isNull() | F.col("in_part") | ((F.col("unknown_in") > 0) & ~F.coalesce(short, F.lit(False)))
    return risk_rows(
        moves.where(sure | unknown),
        "broker",
        risk=F.lit("moves_do_not_fit"),
        name=F.col("broker_id"),
        holds=sure,
        affected=F.col("bytes_left_in"),
        detail=words(F.col("bytes_left_in"), " bytes are still to come, and ", F.col("free"), " are free"),
        why=F.lit("what moves still bring, or what is free, is not known"),
    )
