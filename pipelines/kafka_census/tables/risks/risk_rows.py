"""The rows of a risk: open where its condition holds, else unknown."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

IDS = ["census_id", "cluster_id"]


def risk_rows(
    rows: DataFrame,
    subject: str,
    *,
    risk: Column,
    name: Column | None = None,
    holds: Column | None = None,
    affected: Column | None = None,
    detail: Column | None = None,
    why: Column | None = None,
) -> DataFrame:
    """Rows of risks: open where `holds` is true, else unknown. What is not given is null, and the name empty."""
    null = F.lit(None)
    is_open = F.lit(False) if holds is None else F.coalesce(holds, F.lit(False))
    return rows.select(
        *IDS,
        "observed_at",
        risk.alias("risk"),
        F.lit(subject).alias("subject"),
        (F.lit("") if name is None else name).cast("string").alias("name"),
        F.when(is_open, null if affected is None else affected).cast("bigint").alias("affected"),
        F.when(is_open, null if detail is None else detail).cast("string").alias("detail"),
        F.when(is_open, "open").otherwise("unknown").alias("state"),
        F.when(~is_open, null if why is None else why).cast("string").alias("reason"),
    )


def of_cluster(brokers: DataFrame) -> DataFrame:
    """One row of the cluster, with the time of the latest answer."""
    return brokers.groupBy(*IDS).agg(F.max("observed_at").alias("observed_at"))
