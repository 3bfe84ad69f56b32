"""What the SQL of failure_impact costs for 300 brokers in three racks: it is linear in replicas.

The frames are made by Spark, as the transform makes them, with the settings of a large census. Each broker has two log
dirs. One partition in a hundred has two replicas in a rack, one has one replica, and one has as many in sync as its
minimum ISR.
"""

import os
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.common import session, table
from kafka_census.impact.in_spark import foretold
from kafka_census.spark.query_settings import LONG_QUERIES
from kafka_census.spark.settings import set_all
from kafka_census.tables.failure_impact.transform import rack_mates

BROKERS, SIZES = 300, (100_000, 1_000_000)


def main() -> None:
    """Wall and CPU seconds of both sizes, and their ratio."""
    spark = session()
    set_all(spark, LONG_QUERIES)
    _measured(spark, 1000)  # the plan and the JVM's compiler
    rows: list[list[Any]] = []
    for size in SIZES:
        wall, cpu, losses = _measured(spark, size)
        rows.append([f"{size:,}", BROKERS, losses, wall, cpu, cpu / size * 1e6])
    table(
        "failure_impact from its frames, two cores",
        ["partitions", "brokers", "rows", "seconds", "CPU s", "CPU us a partition"],
        rows,
    )


def _measured(spark: SparkSession, partitions: int) -> tuple[float, float, int]:
    """Wall seconds, CPU seconds of this process and its JVM, and the number of rows."""
    frames = _frames(spark, partitions)
    frames["partitions"] = frames["partitions"].cache()
    frames["partitions"].count()
    began, used = time.monotonic(), _cpu(spark)
    rows = foretold(spark, frames).collect()
    spent = time.monotonic() - began, _cpu(spark) - used, len(rows)
    frames["partitions"].unpersist()
    return spent


def _cpu(spark: SparkSession) -> float:
    """CPU seconds of the JVM."""
    jvm: Any = spark
    pid = jvm._jvm.java.lang.ProcessHandle.current().pid()
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _frames(spark: SparkSession, partitions: int) -> dict[str, DataFrame]:
    number = F.col("id").cast("int")
    first = F.pmod(number, F.lit(BROKERS)) + 1
    others = [F.pmod(first + step - 1, F.lit(BROKERS)) + 1 for step in (1, 2)]
    near = F.pmod(first + 2, F.lit(BROKERS)) + 1
    rare = number % 100
    replicas = (
        F.when(rare == 1, F.array(first))
        .when(rare == 2, F.array(first, near, others[0]))
        .otherwise(F.array(first, *others))
    )
    rack = F.transform("replicas", lambda node: F.concat(F.lit("rack-"), (node % 3).cast("string")))
    dirs = F.transform(
        "replicas", lambda node: F.concat(F.lit("/data-"), ((node + F.col("partition")) % 2).cast("string"))
    )
    facts = (
        spark.range(partitions)
        .select(
            F.format_string("topic-%05d", (number / 10).cast("int")).alias("topic"),
            (number % 10).alias("partition"),
            F.lit(True).alias("known"),
            first.alias("leader_id"),
            replicas.alias("replicas"),
            replicas.alias("isr"),
            F.array().cast("array<int>").alias("eligible"),
            F.when(rare == 3, 3).when(rare == 1, 1).otherwise(2).alias("min_isr"),
            F.lit(False).alias("unclean"),
        )
        .withColumns({"racks": rack, "dir_brokers": F.col("replicas"), "dirs": dirs})
        .withColumns(
            {
                "mates": rack_mates(),
                "dir_bytes": F.transform("replicas", lambda _node: F.lit(1_000_000).cast("bigint")),
                "groups": F.lit(None).cast("bigint"),
                "transactional_ids": F.lit(None).cast("bigint"),
            }
        )
    )
    brokers = spark.range(1, BROKERS + 1).selectExpr(
        "CAST(id AS INT) AS broker_id", "concat('rack-', CAST(id % 3 AS STRING)) AS rack", "'alive' AS state",
        "CAST(NULL AS STRING) AS groups_gap", "CAST(NULL AS STRING) AS transactional_ids_gap",
        "0L AS groups_elsewhere", "0L AS transactional_ids_elsewhere",
    )  # fmt: skip
    dirs_of = brokers.selectExpr(
        "broker_id", "explode(array('/data-0', '/data-1')) AS log_dir", "'online' AS state",
        "CAST(NULL AS STRING) AS reason", "'/data-0' AS metadata_dir", "TRUE AS configured",
    )  # fmt: skip
    return {
        "partitions": facts,
        "brokers": brokers,
        "log_dirs": dirs_of,
        "voters": spark.sql("SELECT explode(array(1001, 1002, 1003)) AS node_id"),
        "moves": spark.sql(
            "SELECT '' AS topic, 0 AS partition, 0 AS broker_id, '' AS rack, '' AS log_dir, '' AS future_log_dir "
            "WHERE 1 = 0"
        ),
        "cluster": brokers.agg(F.collect_list("broker_id").alias("alive")).selectExpr(
            "alive", "array(1001, 1002, 1003) AS voters",
            "array(1001, 1002, 1003) AS caught_up", "CAST(array() AS ARRAY<INT>) AS unheard",
            "CAST(NULL AS STRING) AS partitions_gap", "CAST(NULL AS STRING) AS moves_gap",
            "CAST(NULL AS STRING) AS quorum_gap", "TRUE AS has_quorum", "current_timestamp() AS observed_at",
        ),
    }  # fmt: skip
