"""What a census says, on a terminal of 80 columns: a published one, or one that the gate refused.

`summary` reads a lake with Spark into small values, `views` says what is worth reading in
each table and what is worst, `render` makes lines of them and knows no Spark. They are imported when a report is
made: others take only `text` from here, and the gate's types bring Great Expectations.
"""

import sys
from typing import TYPE_CHECKING, TextIO

from kafka_census.census import Census
from kafka_census.display import write_lines
from kafka_census.lake.lake import Lake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafka_census.pages.landed_census import LandedCensus
    from kafka_census.quality.gate import Judgement

__all__ = ["print_refusal", "print_report"]


def print_report(
    spark: "SparkSession",
    lake: Lake,
    cluster_id: str | None = None,
    out: TextIO | None = None,
    limit: int = 15,
    landed: "LandedCensus | None" = None,
) -> None:
    """Print the last published census of a cluster, or of every cluster of the lake.

    At most `limit` rows per table, the worst first. `out` is stdout when None. A lake or
    cluster without a published census is reported in a line. A census that this job has `landed` is read where
    its tables are in memory.
    """
    from kafka_census.report.render import report_lines
    from kafka_census.report.summary import read_reports

    stream = sys.stdout if out is None else out
    reports = read_reports(spark, lake, cluster_id, limit, landed)
    if not reports:
        write_lines(["nothing is published in this lake yet"], stream)
    for report in reports:
        write_lines(report_lines(report), stream)


def print_refusal(
    spark: "SparkSession",
    lake: Lake,
    census: Census,
    judgement: "Judgement",
    out: TextIO | None = None,
    limit: int | None = 15,
    landed: "LandedCensus | None" = None,
) -> None:
    """Print what a refused census found, marked as not published, then why the gate refused it.

    At most `limit` rows per table; no tables at all for None. Each cause is reported once, with what it blinds.
    `landed` as `print_report`.
    """
    from kafka_census.report.render import refusal_lines
    from kafka_census.report.summary import read_refusal

    stream = sys.stdout if out is None else out
    write_lines(refusal_lines(read_refusal(spark, lake, census, judgement, limit, landed)), stream)
