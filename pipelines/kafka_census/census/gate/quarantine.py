"""Rows that failed an expectation, kept with its name: `audit/quarantine`.

Verdicts count failing rows and show some keys; quarantine holds the rows themselves, as JSON, up to a limit for each
expectation. The rows are looked up in the staged table with Spark, by the keys of failing rows. The table
shows what was wrong; the gate alone decides what is published.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from kafka_census.census.gate.outcome import Outcome, key_text
from kafka_census.declarations.audit import QUARANTINE
from kafka_census.declarations.census import Census
from kafka_census.declarations.table import Table
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame

_WORDS = ("rule", "severity", "row_key")


@dataclass(frozen=True)
class Failed:
    """The failed outcomes of a table; an outcome of a check between tables has keys and no rows."""

    table: Table
    outcomes: tuple[Outcome, ...]

    @property
    def of_rows(self) -> bool:
        """Whether the keys are those of the table's rows."""
        return all(outcome.key == self.table.key for outcome in self.outcomes)


def write(
    spark: SparkSession,
    lake: Lake,
    census: Census,
    failed: Sequence[Failed],
    staged: Mapping[str, DataFrame],
    at: datetime,
    app_id: str,
) -> int:
    """Append the failing rows of one judgement in one commit; returns the number of keys. Without keys, no commit.

    staged  the staged rows of this census by table name
    app_id  writing the same judgement again adds nothing
    """
    some = [each for each in failed if any(outcome.failing for outcome in each.outcomes)]
    if not some:
        return 0
    frames = [_rows(spark, each, staged[each.table.name]) for each in some]
    identity = [F.lit(census.census_id).alias("census_id"), F.lit(census.cluster_id).alias("cluster_id")]
    rows = reduce(DataFrame.unionByName, frames).select(*identity, "*", F.lit(at).alias("quarantined_at"))
    store.append(rows, lake, QUARANTINE, app_id)
    return sum(len(outcome.failing) for each in some for outcome in each.outcomes)


def _rows(spark: SparkSession, failed: Failed, staged: DataFrame) -> DataFrame:
    """One row per failing row and rule: (table_name, rule, severity, row_key, row)."""
    table = failed.table
    typed = [StructField(name, table.schema[name].dataType) for name in table.key] if failed.of_rows else []
    schema = StructType([*typed, *(StructField(name, StringType()) for name in _WORDS)])
    values = [
        (*(key if typed else ()), outcome.rule, outcome.severity, key_text(outcome.key, key))
        for outcome in failed.outcomes
        for key in dict.fromkeys(outcome.failing)
    ]
    keys = local_frame(spark, values, schema)
    name = F.lit(table.name).alias("table_name")
    if not typed:
        return keys.select(name, *_WORDS, F.lit(None).cast("string").alias("row"))
    rows = staged.select(F.struct(*table.columns).alias("_row"))
    same = reduce(lambda a, b: a & b, [keys[key].eqNullSafe(F.col(f"_row.{key}")) for key in table.key])
    return rows.join(F.broadcast(keys), same).select(name, *_WORDS, F.to_json("_row").alias("row"))
