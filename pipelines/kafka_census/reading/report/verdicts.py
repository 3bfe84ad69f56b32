"""The rules of the gate that did not pass, as a report tells them."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.census.gate.causes import Cause
from kafka_census.declarations.audit import VERDICTS
from kafka_census.lake import store
from kafka_census.lake.lake import Lake

_EXAMPLES = 3


@dataclass(frozen=True)
class Verdict:
    """One rule that did not pass; at most three failing keys."""

    table: str
    rule: str
    kind: str
    outcome: str
    checked_rows: int
    failed_rows: int
    examples: tuple[str, ...]
    message: str


def is_explained(verdict: Verdict, silent: Sequence[Cause]) -> bool:
    """Whether the verdict only repeats that these brokers did not answer."""
    return verdict.kind == "completeness" and all(
        any(example.startswith(f"broker={cause.broker_id},") and example.endswith(cause.error) for cause in silent)
        for example in verdict.examples
    )


def verdicts_of(spark: SparkSession, lake: Lake, cluster_id: str, census_id: str) -> tuple[tuple[Verdict, ...], int]:
    """The last verdict of each rule that did not pass, refusals first, and the number of rules that passed."""
    judged = store.find(spark, lake, VERDICTS)
    if judged is None:
        return (), 0
    mine = (F.col("census_id") == census_id) & (F.col("cluster_id") == cluster_id)
    # Sorted in Python, because Spark reads the rows once more to sort them.
    rows = judged.where(mine).withColumn("judged_at", F.unix_millis("judged_at")).collect()
    last = {(row.table_name, row.rule): row for row in sorted(rows, key=lambda row: row.judged_at)}
    open_rows = [row for row in last.values() if row.outcome != "pass"]
    verdicts = [
        Verdict(
            table=row.table_name,
            rule=row.rule,
            kind=row.kind,
            outcome=row.outcome,
            checked_rows=row.checked_rows or 0,
            failed_rows=row.failed_rows or 0,
            examples=tuple(row.failing_keys[:_EXAMPLES]),
            message=row.message,
        )
        for row in sorted(open_rows, key=lambda row: (row.outcome != "refuse", row.table_name, row.rule))
    ]
    return tuple(verdicts), len(last) - len(verdicts)
