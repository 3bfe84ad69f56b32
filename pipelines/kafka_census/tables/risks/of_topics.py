"""Risks of topics: conditions over their partitions, counted in one aggregate, and over their configs.

One partition is enough for a risk to be open; it is unknown where none shows it and some are not known.
"""

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.risk_policy import RiskPolicy
from kafka_census.tables.risks.risk_rows import IDS, risk_rows
from kafka_census.tables.shared.reasons import words

_SEVERAL = "size(replicas) > 1"
_MIN_ISR_UNKNOWN = f"{_SEVERAL} AND min_isr_effective IS NULL"


@dataclass(frozen=True)
class _OfTopic:
    """A risk of a topic's partitions: SQL over rows of `partitions`, when it is not known, and why."""

    word: str
    holds: str
    unknown: str = "false"
    why: str = ""


def _of_topics(policy: RiskPolicy) -> tuple[_OfTopic, ...]:
    min_isr_why = "the minimum ISR of some partitions is not known"
    return (
        _OfTopic("one_replica", "size(replicas) = 1"),
        _OfTopic(
            "no_replica_to_spare",
            f"{_SEVERAL} AND min_isr_effective >= size(replicas)",
            _MIN_ISR_UNKNOWN,
            min_isr_why,
        ),
        _OfTopic("min_isr_one", f"{_SEVERAL} AND min_isr_effective = 1", _MIN_ISR_UNKNOWN, min_isr_why),
        _OfTopic(
            "one_rack",
            f"{_SEVERAL} AND replicas_sharing_rack = size(replicas) - 1",
            # A cluster without racks has no such risk; one that has them for some brokers may have.
            f"{_SEVERAL} AND replicas_sharing_rack IS NULL AND size(racks) > 0",
            "the racks of some replicas are not known",
        ),
        _OfTopic(
            "one_coordinator",
            "topic IN ('__consumer_offsets', '__transaction_state', '__share_group_state') AND size(isr) = 1",
        ),
        _OfTopic("few_internal_replicas", f"is_internal AND size(replicas) < {policy.internal_replicas}"),
    )


def risks_of_topics(partitions: DataFrame, policy: RiskPolicy) -> DataFrame:
    """Rows of topics with at least one partition that shows a risk, or may show it. Input: rows of `partitions`."""
    several = _of_topics(policy)
    counts = [
        count
        for one in several
        for count in (
            F.count_if(F.expr(one.holds)).alias(f"{one.word}_holds"),
            F.count_if(F.expr(one.unknown)).alias(f"{one.word}_unknown"),
        )
    ]
    topics = (
        partitions.where("partition >= 0")
        .groupBy(*IDS, F.col("topic").alias("name"))
        .agg(F.max("observed_at").alias("observed_at"), F.count("*").alias("of"), *counts)
    )
    each = F.array(
        *[
            F.struct(
                F.lit(one.word).alias("risk"),
                F.col(f"{one.word}_holds").alias("holds"),
                F.col(f"{one.word}_unknown").alias("unknown"),
                F.lit(one.why).alias("why"),
            )
            for one in several
        ]
    )
    rows = topics.select(*IDS, "name", "observed_at", "of", F.inline(each)).where("holds > 0 OR unknown > 0")
    return risk_rows(
        rows,
        "topic",
        risk=F.col("risk"),
        name=F.col("name"),
        holds=F.col("holds") > 0,
        affected=F.col("holds"),
        detail=words(F.col("holds"), " of ", F.col("of"), " partitions"),
        why=F.col("why"),
    )


def unclean(configs: DataFrame) -> DataFrame:
    """Topics whose configs allow unclean elections, or were not read. Input: rows of `configs`."""
    is_set = "name = 'unclean.leader.election.enable' AND value = 'true'"
    return risk_rows(
        configs.where(f"resource_type = 'topic' AND (reason IS NOT NULL OR {is_set})"),
        "topic",
        risk=F.lit("unclean_election"),
        name=F.col("resource_name"),
        holds=F.col("reason").isNull(),
        detail=words("by its source: ", F.col("source")),
        why=F.col("reason"),
    )
