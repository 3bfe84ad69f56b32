"""The problems of a cluster by a census: small values, one per root cause, the worst first.

This module combines problems that rows show (`tables.problems`) with answers that were not read (`gate.causes`). A
broker that is down is one problem, whether its row, its missing answers or both show it, with what follows from it:
rows that its loss explains, such as partitions that lack its replica, and the tables that lack its answers. So are
partitions without a leader, and the rights that a principal lacks. Values that are unknown because of a problem are
reported with it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from kafka_census.census.gate.causes import Cause
from kafka_census.declarations.problem import Problem, Remedy
from kafka_census.tables.problems import INCOMPLETE, NOT_KNOWN, PROBLEM, REMEDY, UNKNOWN, UNREACHABLE, WORDS
from kafka_census.terminal.columns import fit
from kafka_census.terminal.human import counted

REFUSED = "refused"
"""The kind of a problem that is a failed rule, because of which a census was not published."""

_NAMED, _LONGEST = 3, 60
"""Largest number of names in a sentence, and of cells of a name."""


@dataclass(frozen=True)
class ProblemCount:
    """The rows of a table that show a problem.

    count   the number of rows
    impact  further totals of the rows, in the order of `Problem.impact`
    names   the names of the worst rows, the first of them
    worst   of the worst row, the columns that fill the command of the remedy
    """

    count: int
    impact: tuple[int, ...]
    names: tuple[str, ...]
    worst: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class ReportedProblem:
    """One problem as a report tells it.

    kind    a word of `tables.problems.WORDS`, or REFUSED
    count   the number of affected partitions, brokers, groups, ...
    text    a sentence with the first names; `sentence` is without them
    names   the known names, such as `orders-3` for partitions and `3` for brokers
    blinds  the tables that lack answers because of the problem
    unseen  sentences about values that are unknown because of the problem
    caused  the problems of rows that this one explains
    advice  what the gate wants done before it publishes the census
    table   of NOT_KNOWN, the table; else empty
    command  the command of the remedy, filled from the worst row; empty for REFUSED
    sentence  empty where `text` names none of `names`
    """

    kind: str
    count: int
    text: str
    names: tuple[str, ...] = ()
    blinds: tuple[str, ...] = ()
    unseen: tuple["ReportedProblem", ...] = ()
    caused: tuple["ReportedProblem", ...] = ()
    advice: str = ""
    table: str = ""
    command: str = ""
    sentence: str = ""

    @property
    def declared(self) -> Problem | None:
        """What is declared of it; None for a problem that no rows show."""
        return UNKNOWN.get(self.table) or PROBLEM.get(self.kind)

    @property
    def remedy(self) -> Remedy | None:
        """What to do about it; None where only the rule that failed knows."""
        return REMEDY.get(self.kind)

    @property
    def worst(self) -> int:
        """The place in `WORDS` of the worst that it is or causes."""
        return min(map(WORDS.index, (self.kind, *(each.kind for each in self.caused))))

    @property
    def is_risk(self) -> bool:
        """Whether nothing is wrong yet."""
        return self.declared is not None and self.declared.severity == "risk"


def unknown_of(table: str) -> str:
    """The key in `Found.problems` of the rows of a table of which a problem is not known."""
    return f"{NOT_KNOWN} {table}"


def losses_of(shown: Mapping[str, ProblemCount], causes: Iterable[Cause]) -> Sequence[Sequence[int]]:
    """The ids of brokers that did not answer, together those of one error; then of others that are down."""
    return [tuple(map(int, loss.names)) for loss in _silent(causes, shown.get(UNREACHABLE))]


def problems(
    shown: Mapping[str, ProblemCount],
    causes: Iterable[Cause],
    explained: Mapping[str, Sequence[ProblemCount]] = MappingProxyType({}),
    *,
    refused: bool = False,
) -> tuple[ReportedProblem, ...]:
    """All problems, the worst first; of the same rank, those that cause others.

    shown      the problems that rows show, and the rows that are not known, as in `Found.problems`
    causes     the causes of answers that were not read
    explained  by word the rows that each of `losses_of` explains, and those that none does; without, none does
    refused    whether the causes refused the census: then they come first
    """
    several = list(causes)
    losses = _silent(several, shown.get(UNREACHABLE))
    left = {word: explained[word][-1] if word in explained else count for word, count in shown.items()}
    by_word = {word: _of_rows(left[word], problem) for word, problem in PROBLEM.items() if word in left}
    by_word = {word: each for word, each in by_word.items() if each.count and word != UNREACHABLE}
    silent = [replace(loss, caused=tuple(_caused(explained, nth))) for nth, loss in enumerate(losses)]
    right = _merged([cause for cause in several if cause.root == "right"])
    unknown = [
        replace(_of_rows(shown[unknown_of(table)], problem), table=table)
        for table, problem in UNKNOWN.items()
        if unknown_of(table) in shown
    ]
    found = [*by_word.values(), *unknown, *silent, *right]
    unled = [cause for cause in several if cause.root == "leader"]
    leading = next((each for each in found if "offline" in (each.kind, *(one.kind for one in each.caused))), None)
    if unled and leading:
        blinds = tuple(sorted({*leading.blinds, *_tables(unled)}))
        found[found.index(leading)] = replace(leading, blinds=blinds)
    else:
        found += _merged(unled)
    for cause in several:
        if cause.root == "rule":
            found.append(ReportedProblem(REFUSED, 1, f"{cause.tables[0]}: {cause.what}", blinds=cause.tables))
        elif cause.root == "other":
            found += _merged([cause])
    kept = _told_with_their_causes(found)
    return tuple(sorted(kept, key=lambda each: (-1 if refused and each.blinds else each.worst, not each.caused)))


def _caused(explained: Mapping[str, Sequence[ProblemCount]], nth: int) -> Iterator[ReportedProblem]:
    """What the nth loss of brokers explains, the worst first."""
    for word, problem in PROBLEM.items():
        if word in explained and explained[word][nth].count:
            yield _of_rows(explained[word][nth], problem)


def counts(found: Iterable[ReportedProblem], incomplete: int) -> Mapping[str, int]:
    """The counts by word; `incomplete` is the number of incomplete tables."""
    totals = dict.fromkeys(WORDS, 0)
    for problem in (each for one in found for each in (one, *one.unseen, *one.caused)):
        if problem.kind in totals:
            totals[problem.kind] += problem.count
    return totals | {INCOMPLETE: incomplete}


def _of_rows(found: ProblemCount, problem: Problem) -> ReportedProblem:
    totals = zip(found.impact, problem.impact, strict=True)
    impact = [counted(total, each.one, each.many) for total, each in totals if total]
    number, command = counted(found.count, problem.one, problem.many), problem.remedy.filled(found.worst)
    text = "; ".join([f"{number}{_examples(found.names, found.count)}", *impact])
    sentence = "; ".join([number, *impact])
    return ReportedProblem(problem.word, found.count, text, found.names, command=command, sentence=sentence)


def _examples(names: Sequence[str], count: int) -> str:
    shown = ", ".join(fit(name, _LONGEST) or '""' for name in names[:_NAMED])
    return f": {shown}{', ...' if count > _NAMED else ''}" if shown else ""


def _silent(causes: Iterable[Cause], down: ProblemCount | None) -> list[ReportedProblem]:
    by_error: dict[str, list[Cause]] = {}
    for cause in causes:
        if cause.root == "broker":
            by_error.setdefault(cause.error, []).append(cause)
    found = [_unheard(error, several) for error, several in by_error.items()]
    named = {name for problem in found for name in problem.names}
    if down is not None:
        others = tuple(name for name in down.names if name not in named)
        if others:
            count = down.count - len(down.names) + len(others)
            found.append(_of_rows(ProblemCount(count, (), others), PROBLEM[UNREACHABLE]))
    return found


def _unheard(error: str, causes: Sequence[Cause]) -> ReportedProblem:
    names = tuple(str(cause.broker_id) for cause in causes)
    if len(causes) == 1:
        # For a broker that is not alive there are no further details.
        text = f"broker {names[0]} did not answer ({error})" if error == "BROKER_NOT_ALIVE" else causes[0].what
    else:
        text = f"{len(causes)} brokers did not answer ({error}){_examples(names, len(names))}"
    command = REMEDY[UNREACHABLE].command
    return ReportedProblem(
        UNREACHABLE, len(causes), text, names, _tables(causes), advice=causes[0].advice, command=command
    )


def _merged(causes: Sequence[Cause]) -> list[ReportedProblem]:
    """One problem for causes with the same root; empty without causes."""
    if not causes:
        return []
    more = f", and {len(causes) - 1} more of this kind" if len(causes) > 1 else ""
    tables = _tables(causes)
    text = f"{causes[0].what}{more}"
    command = REMEDY[INCOMPLETE].command
    return [ReportedProblem(INCOMPLETE, len(tables), text, blinds=tables, advice=causes[0].advice, command=command)]


def _tables(causes: Iterable[Cause]) -> tuple[str, ...]:
    return tuple(sorted({table for cause in causes for table in cause.tables}))


def _told_with_their_causes(found: Sequence[ReportedProblem]) -> list[ReportedProblem]:
    """Attach unknown values of a table to the first problem because of which the table lacks answers, if any."""
    kept = list(found)
    for problem in found:
        declared = problem.declared
        if declared is None or not declared.unseen:
            continue
        blinding = next((index for index, each in enumerate(kept) if declared.table in each.blinds), None)
        if blinding is not None:
            kept[blinding] = replace(kept[blinding], unseen=(*kept[blinding].unseen, problem))
            kept.remove(problem)
    return kept
