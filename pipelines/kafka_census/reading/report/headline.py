"""The headline: at most ten lines with the problems and the command to type next; then one line per table.

Each root cause (`problems`) is one line, or a paragraph with the tables that lack answers because of it where ten lines
suffice. Only commands to copy may be wider than 80 columns.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from kafka_census.defaults import CONFIG
from kafka_census.reading.newer import age, ago
from kafka_census.reading.report.problems import REFUSED, ReportedProblem
from kafka_census.reading.report.section import Section
from kafka_census.reading.report.summary import Refusal, Report
from kafka_census.tables.problems import INCOMPLETE, NOT_KNOWN, UNREACHABLE
from kafka_census.terminal.columns import WIDTH, Shown, fit, table, wrapped
from kafka_census.terminal.human import counted

LINES = 10
"""Largest number of lines of a headline."""

_BLINDED = 5
"""Largest number of tables that a problem names; the line of each table shows the others."""

UNPUBLISHED = "NOT PUBLISHED"
"""The mark on all lines about a census that readers do not see."""


@dataclass(frozen=True)
class Next:
    """Commands to type next, about one census of a cluster.

    config     the configuration file; None where the lake was named instead
    lake       the address of the lake; None for a catalog
    published  whether readers see the census
    in_sql     whether `kafka-census sql` can query the lake: it is not a catalog, and has a publication
    """

    config: str | None
    lake: str | None
    cluster: str
    census_id: str
    published: bool
    in_sql: bool

    def about(self, problem: ReportedProblem) -> str | None:
        """The command that shows the rows of a problem; None where only the full report shows them."""
        if problem.kind in (UNREACHABLE, INCOMPLETE):
            return self._command("doctor", self._cluster)
        declared = problem.declared
        if declared is None or not self.in_sql:
            return None
        if self.published:
            return self._sql(declared.sql)
        of = f"candidate_{declared.table} WHERE {self._mine} AND ({declared.where})"
        return self._sql(f"SELECT {declared.shown} FROM {of}")

    @property
    def warnings(self) -> str | None:
        """The command that shows the rules that warn; None where only the full report shows them."""
        if not self.in_sql:
            return None
        columns = "table_name, rule, failed_rows, message"
        return self._sql(f"SELECT {columns} FROM verdicts WHERE {self._mine} AND outcome = 'warn'")

    @property
    def whole(self) -> str:
        """The command that prints the full report."""
        return self._command("report", self._cluster, "" if self.published else "--unpublished", "--full")

    @property
    def unpublished(self) -> str:
        """The command that reports the newest census that is not published."""
        return self._command("report", self._cluster, "--unpublished")

    @property
    def publish(self) -> str:
        """The command that publishes the census, if the gate allows it."""
        return self._command("publish", self._cluster, f"--census-id {self.census_id}")

    @property
    def _cluster(self) -> str:
        return f"--cluster {shlex.quote(self.cluster)}"

    @property
    def _mine(self) -> str:
        return f"census_id = '{self.census_id}'"

    def _sql(self, sql: str) -> str:
        return self._command("sql", f'-e "{sql}"')

    def _command(self, name: str, *options: str) -> str:
        where = f"--config {shlex.quote(self.config)}" if self.config not in (None, CONFIG) else ""
        if self.config is None and self.lake and name in ("report", "sql"):
            where = f"--lake {shlex.quote(self.lake)}"
        return " ".join(word for word in ("kafka-census", name, where, *options) if word)


def report_headline(report: Report, config: str | None = CONFIG, *, whole: bool = False) -> list[str]:
    """The headline of a published census; `whole`: the full report follows, so its command is left out.

    Nothing is wrong only where there is no problem, no value of one is unknown, and no rule of the gate warns.
    """
    in_sql = report.lake.root is not None
    then = Next(config, report.lake.root, report.cluster, report.census_id, published=True, in_sql=in_sql)
    title, state = f"Census {report.census_id}", _state(report)
    warns, age = bool(report.warnings), _age(report, then)
    return _headline(title, report.cluster, state, report.problems, (), then, whole, warns=warns, before=age)


def _age(report: Report, then: Next) -> list[str]:
    """How old the report is, and what became of a newer census; nothing at the end of a job that made this one."""
    if report.now is None:
        return []
    lines = [f"Published {age(report.published_at, report.now, report.max_age)}."]
    if report.newer:
        lines.append(fit(report.newer.line(report.now), WIDTH))
        lines += [f"See it: {then.unpublished}"] if report.newer.is_shown else []
    return lines


def _state(report: Report) -> str:
    risks = sum(problem.is_risk for problem in report.problems)
    known = sum(problem.kind != NOT_KNOWN for problem in report.problems) - risks
    said = [counted(known, "problem")] if known else ["not all is known"] if len(report.problems) > risks else []
    said += [counted(risks, "risk")] if risks else []
    said += [counted(len(report.warnings), "warning")] if report.warnings else []
    return ", ".join(said) or ("nothing was wrong then" if report.newer else "nothing is wrong")


def refusal_headline(refusal: Refusal, config: str | None = CONFIG, *, whole: bool = False) -> list[str]:
    """The headline of an unpublished census, with the census that readers see; for `whole` see `report_headline`."""
    in_sql = refusal.lake.root is not None and refusal.still_published is not None
    then = Next(config, refusal.lake.root, refusal.cluster, refusal.census_id, published=False, in_sql=in_sql)
    state = "refused" if refusal.causes else "not refused"
    still = ["This cluster has no published census yet."]
    if refusal.still_published:
        at, now = refusal.published_at, refusal.now
        since = f", published {age(at, now, refusal.max_age)}" if at and now else ""
        still = wrapped(f"Readers still see census {refusal.still_published}{since}.")
    title = f"{UNPUBLISHED}: census {refusal.census_id}"
    before = [f"{state.capitalize()} {ago(refusal.at, refusal.now)}."] if refusal.at and refusal.now else []
    if refusal.newer and refusal.now:
        before.append(fit(refusal.newer.line(refusal.now), WIDTH))
    after = still if refusal.causes else [*still, f"It can be published: {then.publish}"]
    return _headline(title, refusal.cluster, state, refusal.problems, after, then, whole, before=before)


def table_lines(sections: Sequence[Section], mark: str = "") -> list[str]:
    """One line per table: the number of rows, whether it is complete, its totals; `mark` precedes the title."""
    columns = (Shown(f"{mark}table"), Shown("rows", 11, right=True), Shown("complete", 8), Shown("what it says"))
    rows = [(each.table, f"{each.row_count:,}", "yes" if each.is_complete else "NO", _says(each)) for each in sections]
    return table(columns, rows)


def _headline(
    title: str,
    cluster: str,
    state: str,
    problems: Sequence[ReportedProblem],
    after: Sequence[str],
    then: Next,
    whole: bool,
    *,
    warns: bool = False,
    before: Sequence[str] = (),
) -> list[str]:
    room = WIDTH - len(f"{title} of cluster : {state}")
    first = f"{title} of cluster {fit(cluster, max(room, 1))}: {state}"
    command = then.about(problems[0]) if problems else then.warnings if warns else None
    last = [*after]
    if command:
        last.append(f"Next: {command}")
    if not whole:
        last.append(f"All of it: {then.whole}")
    return [fit(first, WIDTH), *before, *_problem_lines(problems, LINES - 1 - len(before) - len(last)), *last]


def _problem_lines(problems: Sequence[ReportedProblem], room: int) -> list[str]:
    """One paragraph per problem if they fit, or else one line per problem, the worst first."""
    sentences = [_sentence(problem) for problem in problems]
    paragraphs = [line for sentence in sentences for line in wrapped(sentence, "- ")]
    if len(paragraphs) <= room:
        return paragraphs
    if len(sentences) > room:
        left = len(sentences) - room + 1
        sentences = [*sentences[: room - 1], f"and {left} more"]
    return [fit(f"- {sentence}", WIDTH) for sentence in sentences]


def _sentence(problem: ReportedProblem) -> str:
    parts = [problem.text]
    if problem.blinds and problem.kind != REFUSED:
        more = len(problem.blinds) - _BLINDED
        named = ", ".join(problem.blinds[:_BLINDED]) + (f" and {more} more" if more > 0 else "")
        parts.append(f"blinds {counted(len(problem.blinds), 'table')}: {named}")
    return "; ".join([*parts, *(each.text for each in problem.unseen), *([problem.advice] if problem.advice else [])])


def _says(section: Section) -> str:
    """The totals without the number of rows, which has its own column, after the failed rules."""
    failed = [f"REFUSED by {', '.join(section.failed)}"] if section.failed else []
    totals = list(section.totals)
    if totals:
        totals[0] = totals[0].partition(": ")[2] or totals[0]
    return "; ".join([*failed, *(totals or [section.calm])])
