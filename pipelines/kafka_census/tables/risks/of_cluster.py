"""Risks of the cluster as a whole: releases, the metadata quorum, and who may do what."""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.risks.risk_rows import IDS, of_cluster, risk_rows
from kafka_census.tables.shared.reasons import not_read, words


def mixed(brokers: DataFrame) -> DataFrame:
    """The cluster, where alive brokers differ in their release or in the features that they support."""
    features = F.transform("features", lambda one: F.struct(one["feature"], one["max_version"]))
    known = F.col("release_at_least").isNotNull()
    alive = (
        brokers.where("state = 'alive'")
        .groupBy(*IDS)
        .agg(
            F.max("observed_at").alias("observed_at"),
            F.sort_array(F.collect_set("release_at_least")).alias("releases"),
            F.count_distinct(F.when(known, F.to_json(F.sort_array(features)))).alias("levels"),
            F.count_if(~known).alias("silent"),
        )
    )
    differ = (F.size("releases") > 1) | (F.col("levels") > 1)
    detail = F.when(F.size("releases") > 1, words("releases of at least ", F.array_join("releases", ", "))).otherwise(
        "brokers support different levels of features"
    )
    return risk_rows(
        alive.where(differ | (F.col("silent") > 0)),
        "cluster",
        risk=F.lit("mixed_releases"),
        holds=differ,
        affected=F.size("releases"),
        detail=detail,
        why=words(F.col("silent"), " brokers did not tell their release"),
    )


def voters_to_spare(quorum: DataFrame) -> DataFrame:
    """The cluster, where the loss of one more voter leaves no majority."""
    voters = quorum.groupBy(*IDS).agg(
        F.max("observed_at").alias("observed_at"),
        F.count_if(F.col("role") == "voter").alias("voters"),
        F.count_if((F.col("role") == "voter") & F.col("caught_up")).alias("well"),
        F.count_if((F.col("role") == "voter") & F.col("caught_up").isNull()).alias("unheard"),
        F.max(F.when(F.col("role") == "unknown", F.col("reason"))).alias("unread"),
    )
    majority = F.floor(F.col("voters") / 2) + 1
    spare, at_best = F.col("well") - majority, F.col("well") + F.col("unheard") - majority
    none, unknown = (F.col("voters") > 0) & (at_best < 1), F.col("unread").isNotNull() | ((spare < 1) & (at_best >= 1))
    detail = words(F.col("well"), " of ", F.col("voters"), " voters are caught up, ", majority, " are a majority")
    why = F.coalesce("unread", words(F.col("unheard"), " voters are not known to be caught up"))
    return risk_rows(
        voters.where(none | unknown),
        "cluster",
        risk=F.lit("no_voter_to_spare"),
        holds=none,
        affected=F.col("well"),
        detail=detail,
        why=why,
    )


def grants(acls: DataFrame, brokers: DataFrame, missing: Sequence[MissingRead]) -> list[DataFrame]:
    """Principals with dangerous grants, and the cluster without an authorizer; unknown where ACLs were not read."""
    unread = not_read(missing, "DescribeAcls", "acls")
    nobody_checks = F.array_contains("dangers", "no_authorizer")
    granted = (
        acls.where(F.col("is_dangerous") & ~nobody_checks)
        .groupBy(*IDS, "principal")
        .agg(
            F.max("observed_at").alias("observed_at"),
            F.count("*").alias("entries"),
            F.array_join(F.sort_array(F.array_distinct(F.flatten(F.collect_list("dangers")))), ", ").alias("kinds"),
        )
    )
    unknown = of_cluster(brokers).where(unread.isNotNull())
    return [
        risk_rows(
            granted,
            "principal",
            risk=F.lit("dangerous_grants"),
            name=F.col("principal"),
            holds=F.lit(True),
            affected=F.col("entries"),
            detail=words(F.col("entries"), " entries: ", F.col("kinds")),
        ),
        risk_rows(
            acls.where(nobody_checks),
            "cluster",
            risk=F.lit("no_authorizer"),
            holds=F.lit(True),
            detail=F.lit("everyone may do everything"),
        ),
        *(
            risk_rows(unknown, "cluster", risk=F.lit(word), why=unread)
            for word in ("dangerous_grants", "no_authorizer")
        ),
    ]
