"""The gate's judgement of a census that readers do not see, without judging its rows again; nothing is written.

Completeness of the answers is judged from the landed pages, under the current policy. Verdicts on rows are read from
`audit/verdicts`; a census that was staged and never judged has none.
"""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.census.gate.causes import causes
from kafka_census.census.gate.gate import Judgement, TableJudgement, judge_answers
from kafka_census.census.gate.policy import GatePolicy
from kafka_census.census.gate.verdict import Verdict
from kafka_census.declarations.audit import VERDICTS
from kafka_census.declarations.census import Census
from kafka_census.declarations.table import Table
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.pages.landed_census import LandedCensus

_OF_ANSWERS = ("completeness", "visibility")


def recalled(
    spark: SparkSession, lake: Lake, census: Census, tables: tuple[Table, ...], policy: GatePolicy, landed: LandedCensus
) -> Judgement:
    """The judgement of a census. Its rows are not counted: `row_count` of each table is the number of landed items.

    Raises CorruptLake when landed pages or routes are missing.
    """
    answers = judge_answers(tables, policy, landed)
    of_rows = _of_rows(spark, lake, census)
    verdicts = tuple(verdict for each in answers.values() for verdict in each.verdicts) + of_rows
    said = tuple(
        TableJudgement(
            table_name=table.name,
            is_complete=not answers[table.name].missing,
            missing=answers[table.name].missing,
            visibility=answers[table.name].visibility,
            warnings=sum(each.table_name == table.name and each.outcome == "warn" for each in verdicts),
            row_count=landed.items,
            observed_from=None,
            observed_to=None,
        )
        for table in tables
    )
    refused = any(verdict.outcome == "refuse" for verdict in verdicts)
    why = causes(tables, landed.missing_reads, verdicts, policy)
    return Judgement("refuse" if refused else "publish", said, why, verdicts)


def _of_rows(spark: SparkSession, lake: Lake, census: Census) -> tuple[Verdict, ...]:
    """The last judgement's verdicts on rows and times."""
    written = store.rows(spark, lake, VERDICTS, census.census_id).where(~F.col("kind").isin(*_OF_ANSWERS))
    rows = written.withColumn("judged_at", F.unix_micros("judged_at")).collect()
    last = max((row.judged_at for row in rows), default=None)
    return tuple(
        Verdict(
            row.table_name,
            row.rule,
            row.kind,
            row.severity,
            row.outcome,
            row.checked_rows,
            row.failed_rows,
            tuple(row.failing_keys),
            row.message,
        )
        for row in rows
        if row.judged_at == last
    )
