"""A report as lines of the width of its presentation; only paths and commands to copy may be longer.

The short report is the headline and one line per table. The full report continues with the answers that were not read
(each cause once, with a number by which tables refer to it), the worst rows of each table, and the verdicts.
"""

import os
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from kafka_census.census.gate.causes import Cause
from kafka_census.reading.report.headline import UNPUBLISHED, refusal_headline, report_headline, table_lines
from kafka_census.reading.report.presentation import AS_IT_IS, Presentation
from kafka_census.reading.report.section import Section
from kafka_census.reading.report.summary import Refusal, Report
from kafka_census.reading.report.verdicts import Verdict
from kafka_census.terminal.columns import fit, table, wrapped
from kafka_census.terminal.human import counted, short_path


def short_report_lines(report: Report, how: Presentation = AS_IT_IS) -> list[str]:
    """The lines of a published census: the problems, and one line per table."""
    return [*report_headline(report, how), "", *table_lines(report.sections, width=how.width)]


def short_refusal_lines(refusal: Refusal, how: Presentation = AS_IT_IS) -> list[str]:
    """The same lines for an unpublished census, marked as such; without tables where none were read."""
    tables = ["", *table_lines(refusal.sections, f"{UNPUBLISHED} ", how.width)] if refusal.sections else []
    return [*refusal_headline(refusal, how), *tables]


def report_lines(report: Report, how: Presentation = AS_IT_IS) -> list[str]:
    """The lines of a published census: problems, answers that were not read, tables, verdicts, and the lake."""
    width = how.width
    lines = [*report_headline(report, how, whole=True), "", "=" * width]
    lines += [fit(f"Kafka cluster id {report.cluster_id}", width), _times(report), "=" * width]
    lines += ["", *_unread_lines(report.causes, width)]
    for section in report.sections:
        lines += ["", *_section_lines(section, report.causes, width)]
    explained = report.explained
    others = [verdict for verdict in report.verdicts if verdict not in explained]
    lines += ["", *_verdict_lines(others, report.passed, len(explained), width)]
    lines += ["", *_lake_lines(report, width)]
    return lines


def refusal_lines(refusal: Refusal, how: Presentation = AS_IT_IS) -> list[str]:
    """The lines of an unpublished census: the reasons, its tables, each marked, and the census that readers still see.

    Each cause is reported once, with all tables that lack answers because of it; a failed rule with the number of
    failed rows, three examples and the remedy.
    """
    refused = [verdict for verdict in refusal.verdicts if verdict.outcome == "refuse"]
    causes = [cause for cause in refusal.causes if cause.rule is None]
    lines = refusal_headline(refusal, how, whole=True)
    if causes:
        lines += ["", *_unread_lines(causes, how.width)]
    for section in refusal.sections:
        lines += ["", *_section_lines(section, causes, how.width, f"{UNPUBLISHED} ")]
    for verdict in refused:
        if verdict.kind not in ("completeness", "visibility"):
            lines += ["", *_verdict(verdict, how.width)]
    warnings = len(refusal.verdicts) - len(refused)
    return [*lines, "", f"{counted(warnings, 'warning')} besides."] if warnings else lines


def _times(report: Report) -> str:
    if report.observed_from is None or report.observed_to is None:
        return f"published {_stamp(report.published_at)}"
    seconds = (report.observed_to - report.observed_from).total_seconds()
    return f"observed {_stamp(report.observed_from)} within {seconds:.0f} s, published {_stamp(report.published_at)}"


def _stamp(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%SZ}"


def _section_lines(section: Section, causes: Sequence[Cause], width: int, mark: str = "") -> list[str]:
    lines = [*wrapped(f"{mark}{section.table}: {section.headline}", width=width), "-" * width]
    if section.failed:
        lines += wrapped(f"REFUSED, so do not rely on these rows: {', '.join(section.failed)}", width=width)
    if not section.is_complete:
        numbers = ", ".join(f"({number})" for number, cause in enumerate(causes, 1) if section.table in cause.tables)
        why = f"see {numbers} above" if numbers else f"without {', '.join(section.missing)}"
        visible = "" if section.visibility == "proven" else f"; visibility {section.visibility}"
        lines += wrapped(f"INCOMPLETE: {why}{visible}", width=width)
    for total in section.totals:
        lines += wrapped(total, width=width)
    if not section.rows:
        return [*lines, *([] if section.failed else wrapped(section.calm, width=width))]
    lines += ["", *table(section.columns, section.rows, width)]
    if section.shown_rows > len(section.rows):
        lines.append(f"... and {section.shown_rows - len(section.rows):,} more")
    for number, note in enumerate(section.notes, 1):
        lines += wrapped(note, f"[{number}] ", width=width)
    return lines


def _unread_lines(causes: Sequence[Cause], width: int) -> list[str]:
    """The lines of each cause: the cause, the missing answers, the tables that lack them, and the remedy."""
    lines = [f"not read: {counted(len(causes), 'cause')}" if causes else "not read: nothing", "-" * width]
    for number, cause in enumerate(causes, 1):
        lines += wrapped(cause.what, f"({number}) ", width=width)
        lacking = f"lacking in {counted(len(cause.tables), 'table')}: {', '.join(cause.tables)}"
        not_read = f"not read: {', '.join(cause.lacks)}" if cause.lacks else ""
        for said in filter(None, (not_read, lacking, cause.advice)):
            lines += wrapped(said, "    ", width=width)
    return lines


def _verdict_lines(verdicts: Sequence[Verdict], passed: int, explained: int, width: int) -> list[str]:
    failed = f"{counted(len(verdicts) + explained, 'rule')} did not pass" if verdicts or explained else "none failed"
    lines = [f"verdicts: {counted(passed, 'rule')} passed, {failed}", "-" * width]
    for verdict in verdicts:
        lines += _verdict(verdict, width)
    return [*lines, f"{counted(explained, 'rule')} because the brokers above did not answer"] if explained else lines


def _verdict(verdict: Verdict, width: int) -> list[str]:
    """The lines of one rule: its name, the number of failed rows, three examples, and its message with the remedy."""
    lines = wrapped(f"{verdict.outcome.upper()} {verdict.table}: {verdict.rule}", "", "  ", width)
    lines += wrapped(verdict.message, "  ", width=width)
    if verdict.failed_rows:
        lines.append(f"  {verdict.failed_rows:,} of {verdict.checked_rows:,} failed")
    for example in verdict.examples:
        lines += wrapped(example, "    e.g. ", width=width)
    return lines


def _lake_lines(report: Report, width: int) -> list[str]:
    where = report.lake.root or f"catalog {report.lake.catalog}"
    lines = [f"lake: {where}", "-" * width]
    if report.sections:
        lines += ["To query it yourself:", command(report)]
    return lines


def command(report: Report) -> str:
    """A shell command that queries the first table: for a path lake, Spark's own SQL shell."""
    sql = example_sql(report)
    if report.lake.catalog:
        return f"spark-sql -e {shlex.quote(sql)}"
    folder = Path(sys.executable).parent
    path = f'PATH="{short_path(str(folder))}:$PATH" ' if (folder / "spark-sql").exists() else ""
    conf = os.environ.get("SPARK_CONF_DIR", "build/spark-conf")
    return f"{path}SPARK_CONF_DIR={shlex.quote(short_path(conf))} spark-sql -e {shlex.quote(sql)}"


def example_sql(report: Report) -> str:
    """One statement that runs unchanged."""
    section = report.sections[0]
    name = report.lake.name("published", section.table)
    column = section.counted_by
    where = f'census_id = "{report.census_id}"'
    return f"SELECT {column}, count(*) AS {section.rows_are} FROM {name} WHERE {where} GROUP BY {column}"
