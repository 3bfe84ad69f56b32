"""A report as lines of at most 80 columns; only paths and commands to copy may be longer."""

import os
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from kafka_census.human import counted
from kafka_census.pages.missing_read import MissingRead
from kafka_census.quality.causes import Cause
from kafka_census.report.summary import Refusal, Report, Section, Verdict
from kafka_census.report.text import WIDTH, fit, table, wrapped
from kafka_census.wording import short_path

UNPUBLISHED = "NOT PUBLISHED"
"""Stands on every table of a refused census."""


def report_lines(report: Report) -> list[str]:
    """A published census: its tables, the verdicts, what was not read, where it all is."""
    lines = ["=" * WIDTH, fit(f"Census {report.census_id} of cluster {report.cluster}", WIDTH)]
    lines += [fit(f"Kafka cluster id {report.cluster_id}", WIDTH), _times(report), "=" * WIDTH]
    for section in report.sections:
        lines += ["", *_section_lines(section)]
    lines += ["", *_verdict_lines(report.verdicts, report.passed)]
    lines += ["", *_missing_lines(report.missing)]
    lines += ["", *_lake_lines(report)]
    return lines


def refusal_lines(refusal: Refusal) -> list[str]:
    """A refused census: what it found, each table marked; then why it was refused, and what readers go on to see.

    Each cause is reported once, with all that it blinds; a failed rule with how many, three examples and what to do.
    """
    lines = []
    if refusal.sections:
        lines += ["=" * WIDTH, fit(f"{UNPUBLISHED}: what census {refusal.census_id} found", WIDTH), "=" * WIDTH]
    for section in refusal.sections:
        lines += ["", *_section_lines(section, f"{UNPUBLISHED} "), ""]
    lines += ["=" * WIDTH, fit(f"REFUSED: census {refusal.census_id} of cluster {refusal.cluster}", WIDTH), "=" * WIDTH]
    for cause in refusal.causes:
        if cause.rule is None:
            lines += ["", *_cause(cause)]
    refused = [verdict for verdict in refusal.verdicts if verdict.outcome == "refuse"]
    for verdict in refused:
        if verdict.kind not in ("completeness", "visibility"):
            lines += ["", *_verdict(verdict)]
    warnings = len(refusal.verdicts) - len(refused)
    if warnings:
        lines += ["", f"{counted(warnings, 'warning')} besides."]
    still = f"readers go on to see census {refusal.still_published}" if refusal.still_published else (
        "this cluster has no published census yet"
    )  # fmt: skip
    return [*lines, "", *wrapped(f"Nothing was published; {still}.")]


def _times(report: Report) -> str:
    if report.observed_from is None or report.observed_to is None:
        return f"published {_stamp(report.published_at)}"
    seconds = (report.observed_to - report.observed_from).total_seconds()
    return f"observed {_stamp(report.observed_from)} within {seconds:.0f} s, published {_stamp(report.published_at)}"


def _stamp(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%SZ}"


def _section_lines(section: Section, mark: str = "") -> list[str]:
    lines = [*wrapped(f"{mark}{section.table}: {section.headline}"), "-" * WIDTH]
    if section.failed:
        lines += wrapped(f"REFUSED, so do not rely on these rows: {', '.join(section.failed)}")
    if not section.is_complete:
        why = f"without {', '.join(section.missing)}" if section.missing else (
            "something may have been hidden from this principal"
        )  # fmt: skip
        visible = "" if section.visibility == "proven" else f"; visibility {section.visibility}"
        lines += wrapped(f"INCOMPLETE: {why}{visible}")
    for total in section.totals:
        lines += wrapped(total)
    if not section.rows:
        return [*lines, *([] if section.failed else wrapped(section.calm))]
    lines += ["", *table(section.columns, section.rows)]
    if section.worth > len(section.rows):
        lines.append(f"... and {section.worth - len(section.rows):,} more")
    for number, note in enumerate(section.notes, 1):
        lines += wrapped(note, f"[{number}] ")
    return lines


def _cause(cause: Cause) -> list[str]:
    """What is wrong, which answers are not there, which tables lack them, what to do."""
    lines = wrapped(f"REFUSE {cause.what}", "", "  ")
    if cause.lacks:
        lines += wrapped(f"not read: {', '.join(cause.lacks)}", "  ")
    lines += wrapped(f"lacking in {counted(len(cause.tables), 'table')}: {', '.join(cause.tables)}", "  ")
    return lines + (wrapped(cause.advice, "  ") if cause.advice else [])


def _verdict_lines(verdicts: Sequence[Verdict], passed: int) -> list[str]:
    failed = f"{counted(len(verdicts), 'rule')} did not pass" if verdicts else "none failed"
    lines = [f"verdicts: {counted(passed, 'rule')} passed, {failed}", "-" * WIDTH]
    for verdict in verdicts:
        lines += _verdict(verdict)
    return lines


def _verdict(verdict: Verdict) -> list[str]:
    """One rule: what, how many, three examples; its message says what to do."""
    lines = wrapped(f"{verdict.outcome.upper()} {verdict.table}: {verdict.rule}", "", "  ")
    lines += wrapped(verdict.message, "  ")
    if verdict.failed_rows:
        lines.append(f"  {verdict.failed_rows:,} of {verdict.checked_rows:,} failed")
    for example in verdict.examples:
        lines += wrapped(example, "    e.g. ")
    return lines


def _missing_lines(missing: Sequence[tuple[MissingRead, Sequence[str]]]) -> list[str]:
    lines = [f"not read: {counted(len(missing), 'answer')}" if missing else "not read: nothing", "-" * WIDTH]
    for each, tables in missing:
        who = "any broker" if each.node_id is None else f"broker {each.node_id}"
        lines += wrapped(f"{each.rpc}, {who}: {each.error}", "", "  ")
        lines += wrapped(f"{each.reason}; lacking in {', '.join(tables)}", "  ")
    return lines


def _lake_lines(report: Report) -> list[str]:
    where = report.lake.root or f"catalog {report.lake.catalog}"
    lines = [f"lake: {where}", "-" * WIDTH]
    if report.sections:
        lines += ["Ask it yourself:", command(report)]
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
    """One statement that runs as it stands."""
    section = report.sections[0]
    name = report.lake.name("published", section.table)
    column = section.counted_by
    where = f'census_id = "{report.census_id}"'
    return f"SELECT {column}, count(*) AS {section.rows_are} FROM {name} WHERE {where} GROUP BY {column}"
