"""The headline: the problems by root cause and what to do, the command to type next; then one line per table.

Each root cause (`problems`) is a tree of what follows from it, with its remedy, as far as `LINES` suffice: then causes
are told in a line each. Only commands to copy may be wider than a line.
"""

from collections.abc import Sequence

from kafka_census.reading.newer import age, ago
from kafka_census.reading.report.commands import Commands
from kafka_census.reading.report.presentation import AS_IT_IS, Presentation
from kafka_census.reading.report.problems import ReportedProblem
from kafka_census.reading.report.section import Section
from kafka_census.reading.report.summary import Refusal, Report
from kafka_census.reading.report.tree import tree, what_to_do
from kafka_census.tables.problems import NOT_KNOWN
from kafka_census.terminal.columns import WIDTH, Shown, cells_of, fit, table, wrapped
from kafka_census.terminal.human import counted

LINES = 24
"""Largest number of lines of the headline of a short report."""

_SHORT_NAME = 8
"""Cells that the name of a cluster needs at least."""

UNPUBLISHED = "NOT PUBLISHED"
"""The mark on all lines about a census that readers do not see."""


def report_headline(report: Report, how: Presentation = AS_IT_IS, *, whole: bool = False) -> list[str]:
    """The headline of a published census; `whole`: the full report follows, so nothing is shortened.

    Nothing is wrong only where there is no problem, no value of one is unknown, and no rule of the gate warns.
    """
    then = Commands(how, report.cluster, report.census_id, published=True, in_sql=True)
    title, state = f"Census {report.census_id}", _state(report)
    warns, age = bool(report.warnings), _age(report, then)
    return _headline(title, state, report.problems, (), then, whole, warns=warns, before=age)


def _age(report: Report, then: Commands) -> list[str]:
    """How old the report is, and what became of a newer census; nothing at the end of a job that made this one."""
    if report.now is None:
        return []
    lines = [f"Published {age(report.published_at, report.now, report.max_age)}."]
    if report.newer:
        lines.append(fit(report.newer.line(report.now), then.how.width))
        lines += [f"See it: {then.unpublished}"] if report.newer.is_shown else []
    return lines


def _state(report: Report) -> str:
    every = [each for problem in report.problems for each in (problem, *problem.caused)]
    risks = sum(problem.is_risk for problem in every)
    known = sum(problem.kind != NOT_KNOWN for problem in every) - risks
    said = [counted(known, "problem")] if known else ["not all is known"] if len(report.problems) > risks else []
    said += [counted(risks, "risk")] if risks else []
    said += [counted(len(report.warnings), "warning")] if report.warnings else []
    return ", ".join(said) or ("nothing was wrong then" if report.newer else "nothing is wrong")


def refusal_headline(refusal: Refusal, how: Presentation = AS_IT_IS, *, whole: bool = False) -> list[str]:
    """The headline of an unpublished census, with the census that readers see; for `whole` see `report_headline`."""
    in_sql = refusal.still_published is not None
    then = Commands(how, refusal.cluster, refusal.census_id, published=False, in_sql=in_sql)
    state = "refused" if refusal.causes else "not refused"
    still = ["This cluster has no published census yet."]
    if refusal.still_published:
        at, now = refusal.published_at, refusal.now
        since = f", published {age(at, now, refusal.max_age)}" if at and now else ""
        still = wrapped(f"Readers still see census {refusal.still_published}{since}.", width=how.width)
    title = f"{UNPUBLISHED}: census {refusal.census_id}"
    before = [f"{state.capitalize()} {ago(refusal.at, refusal.now)}."] if refusal.at and refusal.now else []
    if refusal.newer and refusal.now:
        before.append(fit(refusal.newer.line(refusal.now), how.width))
    after = still if refusal.causes else [*still, f"It can be published: {then.publish}"]
    return _headline(title, state, refusal.problems, after, then, whole, before=before)


def table_lines(sections: Sequence[Section], mark: str = "", width: int = WIDTH) -> list[str]:
    """One line per table: the number of rows, whether it is complete, its totals; `mark` precedes the title."""
    columns = (Shown(f"{mark}table"), Shown("rows", 11, right=True), Shown("complete", 8), Shown("what it says"))
    rows = [(each.table, f"{each.row_count:,}", "yes" if each.is_complete else "NO", _says(each)) for each in sections]
    return table(columns, rows, width)


def _headline(
    title: str,
    state: str,
    problems: Sequence[ReportedProblem],
    after: Sequence[str],
    then: Commands,
    whole: bool,
    *,
    warns: bool = False,
    before: Sequence[str] = (),
) -> list[str]:
    width = then.how.width
    room, of = width - len(f"{title} of cluster : {state}"), "of cluster"
    if room < min(cells_of(then.cluster), _SHORT_NAME):
        room, of = room + len(" cluster"), "of"
    first = fit(f"{title} {of} {fit(then.cluster, max(room, 1))}: {state}", width)
    command = then.rows(problems[0]) if problems else then.warnings if warns else None
    last = [*after]
    if command:
        last.append(f"Next: {command}")
    if not whole:
        last.append(f"All of it: {then.whole}")
    told: Sequence[list[str]] = [[*tree(each, width), *what_to_do(each, then.remedy(each), width)] for each in problems]
    if not whole:
        told = _shortened(problems, told, LINES - 1 - len(before) - len(last), width)
    return [first, *before, *(line for lines in told for line in lines), *last]


def _shortened(
    problems: Sequence[ReportedProblem], told: Sequence[list[str]], room: int, width: int
) -> Sequence[list[str]]:
    """As many problems whole as fit, the worst first; of the others a line each, and the number of those left out."""
    whole = max(
        (each for each in range(len(told) + 1) if sum(map(len, told[:each])) + min(len(told) - each, 1) <= room),
        default=0,
    )
    room -= sum(map(len, told[:whole]))
    others = problems[whole:]
    lines = [fit(f"- {each.text}", width) for each in others]
    if len(lines) > room:
        lines = [*lines[: room - 1], f"- and {len(lines) - room + 1} more"]
    return [*told[:whole], lines]


def _says(section: Section) -> str:
    """The totals without the number of rows, which has its own column, after the failed rules."""
    failed = [f"REFUSED by {', '.join(section.failed)}"] if section.failed else []
    totals = list(section.totals)
    if totals:
        totals[0] = totals[0].partition(": ")[2] or totals[0]
    return "; ".join([*failed, *(totals or [section.calm])])
