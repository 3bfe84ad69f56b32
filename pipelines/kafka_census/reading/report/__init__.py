"""The report of a published or refused census, on a terminal of 80 columns.

`summary` reads a lake with Spark into small values, `view.py` of a table defines which of its rows are shown and which
are worst, `problems` derives the problems, `headline` and `render` format the lines. These modules are imported when a
report is made, because they bring Spark.
"""

import sys
from typing import TYPE_CHECKING, TextIO

from kafka_census.declarations.given import NOTHING, Given
from kafka_census.lake.cluster_key import EVERY, Names
from kafka_census.lake.lake import Lake
from kafka_census.terminal.display import write_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

    from pyspark.sql import SparkSession

    from kafka_census.pages.landed_census import LandedCensus
    from kafka_census.reading.report.summary import Refusal, Report

__all__ = ["print_refusal", "print_report"]


def print_report(
    spark: "SparkSession",
    lake: Lake,
    names: Names = EVERY,
    out: TextIO | None = None,
    limit: int = 0,
    landed: "LandedCensus | None" = None,
    given: Given = NOTHING,
    max_age: "timedelta | None" = None,
) -> "Sequence[Report]":
    """Print the last published census of a cluster, or of every cluster of the lake; returns the printed reports.

    names   the names of that cluster, or `EVERY`
    limit   number of rows of each table, the worst first, in a full report; 0: the headline, and one line per table
    out     the stream; None: stdout
    landed  a census that this job has landed, whose tables are read from memory
    given   the options by which the commands of the headline find the configuration
    max_age  the age at which a published census is stale; None: never

    A lake or cluster without a published census is reported in one line.
    """
    from kafka_census.reading.report.render import report_lines, short_report_lines
    from kafka_census.reading.report.summary import read_reports

    stream = sys.stdout if out is None else out
    reports = read_reports(spark, lake, names, limit, landed, max_age)
    if not reports:
        write_lines(["nothing is published in this lake yet"], stream)
    for number, report in enumerate(reports):
        write_lines([""] if number else [], stream)
        write_lines((report_lines if limit else short_report_lines)(report, given), stream)
    return reports


def print_refusal(refusal: "Refusal", out: TextIO | None = None, limit: int = 0, given: Given = NOTHING) -> None:
    """Print why the gate refused a census, and its tables, marked as not published.

    The options are those of `print_report`. Each cause is reported once, with the tables that lack answers.
    """
    from kafka_census.reading.report.render import refusal_lines, short_refusal_lines

    lines = (refusal_lines if limit else short_refusal_lines)(refusal, given)
    write_lines(lines, sys.stdout if out is None else out)
