"""Publish a census that the gate let pass: copy what was staged, then make it visible in one commit.

Readers resolve through `publications`, so copied rows are not seen before that commit,
and are seen in all tables at once after it. A census that was refused, or that crashed
on the way, leaves the one published last as it was; publishing again goes on from there.
"""

from dataclasses import astuple
from datetime import datetime

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.census import Census
from kafka_census.clock import Clock
from kafka_census.errors import Refused
from kafka_census.progress import Progress, timed
from kafka_census.publish.publications import is_published
from kafka_census.quality.gate import Judgement
from kafka_census.tables import TABLES, store
from kafka_census.tables.books import PUBLICATIONS
from kafka_census.tables.lake import Lake
from kafka_census.tables.rows import local_frame


def promote(spark: SparkSession, lake: Lake, census: Census, judgement: Judgement, progress: Progress) -> None:
    """Publish all tables of a judgement, or none. A census that is already published stays as it is.

    Raises Refused, with the first reason and the number of others, when the judgement refuses.
    """
    if judgement.outcome == "refuse":
        more = f" (and {len(judgement.refusals) - 1} more)" if len(judgement.refusals) > 1 else ""
        raise Refused(f"refused: {judgement.refusals[0]}{more}")
    if is_published(spark, lake, census.census_id):
        progress("already_published", census_id=census.census_id)
        return
    for judged in judgement.tables:
        table = next(table for table in TABLES if table.name == judged.table_name)
        with timed(progress, "copied", table=table.name, rows=judged.row_count):
            rows = store.read(spark, lake, store.staged(table)).where(F.col("census_id") == census.census_id)
            store.replace_census(rows, lake, table, census.census_id)
    with timed(progress, "published", tables=len(judgement.tables)):
        rows = local_frame(spark, _publications(census, judgement, Clock().now()), PUBLICATIONS.schema)
        store.append(rows, lake, PUBLICATIONS, f"{census.census_id}/publications")


def _publications(census: Census, judgement: Judgement, now: datetime) -> list[tuple[object, ...]]:
    return [
        (
            census.census_id,
            census.cluster_id,
            census.cluster,
            judged.table_name,
            judged.is_complete,
            [astuple(missing) for missing in judged.missing],
            judged.visibility,
            judged.row_count,
            judged.warnings,
            judged.observed_from,
            judged.observed_to,
            now,
        )
        for judged in judgement.tables
    ]
