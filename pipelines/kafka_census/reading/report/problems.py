"""The problems of a cluster by a census: small values, one per root cause, the worst first.

This module combines problems that rows show (`kinds`) with answers that were not read (`gate.causes`). A broker that
is down is one problem with all tables that lack its answers, whether its row, its missing answers or both show it; so
are partitions without a leader with their groups and transactional ids, and the rights that a principal lacks. Values
that are unknown because of a problem are reported with it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kafka_census.census.gate.causes import Cause
from kafka_census.declarations.kinds import INCOMPLETE, NOT_KNOWN, ROWS, UNKNOWN, UNREACHABLE, WORDS, Rows
from kafka_census.reading.report.found import Sighting, unknown_of
from kafka_census.terminal.human import counted

REFUSED = "refused"
"""The kind of a problem that is a failed rule, because of which a census was not published."""

_NAMED = 3
"""Largest number of names in a sentence."""


@dataclass(frozen=True)
class Problem:
    """One problem.

    kind    a word of `kinds.KINDS`, or REFUSED
    count   the number of affected partitions, brokers, groups, ...
    text    a sentence with the first names
    names   the known names, such as `orders-3` for partitions and `3` for brokers
    blinds  the tables that lack answers because of the problem
    unseen  sentences about values that are unknown because of the problem
    advice  the remedy, where the kind of problem has one
    table   of NOT_KNOWN, the table; else empty
    """

    kind: str
    count: int
    text: str
    names: tuple[str, ...] = ()
    blinds: tuple[str, ...] = ()
    unseen: tuple["Problem", ...] = ()
    advice: str = ""
    table: str = ""

    @property
    def rows(self) -> Rows | None:
        """The rows that show it; None for a problem that is counted without rows."""
        return UNKNOWN.get(self.table) or ROWS.get(self.kind)


def problems(seen: Mapping[str, Sighting], causes: Iterable[Cause], *, refused: bool = False) -> tuple[Problem, ...]:
    """All problems, the worst first.

    seen     the problems that rows show, and the rows that are not known, as in `Found.seen`
    causes   the causes of answers that were not read
    refused  whether the causes refused the census: then they come first
    """
    several = list(causes)
    by_word = {word: _of_rows(word, seen[word], rows) for word, rows in ROWS.items() if word in seen}
    silent = _silent(several, by_word.pop(UNREACHABLE, None))
    right = _merged([cause for cause in several if cause.root == "right"])
    unknown = [
        replace(_of_rows(NOT_KNOWN, seen[unknown_of(table)], rows), table=table)
        for table, rows in UNKNOWN.items()
        if unknown_of(table) in seen
    ]
    found = [*by_word.values(), *unknown, *silent, *right]
    unled = [cause for cause in several if cause.root == "leader"]
    if unled and "offline" in by_word:
        found[found.index(by_word["offline"])] = replace(by_word["offline"], blinds=_tables(unled))
    else:
        found += _merged(unled)
    for cause in several:
        if cause.root == "rule":
            found.append(Problem(REFUSED, 1, f"{cause.tables[0]}: {cause.what}", blinds=cause.tables))
        elif cause.root == "other":
            found += _merged([cause])
    kept = _told_with_their_causes(found)
    return tuple(sorted(kept, key=lambda each: -1 if refused and each.blinds else WORDS.index(each.kind)))


def counts(found: Iterable[Problem], incomplete: int) -> Mapping[str, int]:
    """The counts by word of `kinds.KINDS`; `incomplete` is the number of incomplete tables."""
    totals = dict.fromkeys(WORDS, 0)
    for problem in (each for one in found for each in (one, *one.unseen)):
        if problem.kind in totals:
            totals[problem.kind] += problem.count
    return totals | {INCOMPLETE: incomplete}


def _of_rows(word: str, sighting: Sighting, rows: Rows) -> Problem:
    harm = [counted(total, one, many) for total, (_, one, many) in zip(sighting.harm, rows.harm, strict=True) if total]
    sentence = f"{counted(sighting.count, rows.one, rows.many)}{_examples(sighting.names, sighting.count)}"
    return Problem(word, sighting.count, "; ".join([sentence, *harm]), sighting.names)


def _examples(names: Sequence[str], count: int) -> str:
    shown = ", ".join(names[:_NAMED])
    return f": {shown}{', ...' if count > _NAMED else ''}" if shown else ""


def _silent(causes: Iterable[Cause], down: Problem | None) -> list[Problem]:
    """Problems of brokers that did not answer, one per error; then of other brokers that are down."""
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
            found.append(_of_rows(UNREACHABLE, Sighting(count, (), others), ROWS[UNREACHABLE]))
    return found


def _unheard(error: str, causes: Sequence[Cause]) -> Problem:
    names = tuple(str(cause.broker_id) for cause in causes)
    if len(causes) == 1:
        # For a broker that is not alive there are no further details.
        text = f"broker {names[0]} did not answer ({error})" if error == "BROKER_NOT_ALIVE" else causes[0].what
    else:
        text = f"{len(causes)} brokers did not answer ({error}){_examples(names, len(names))}"
    return Problem(UNREACHABLE, len(causes), text, names, _tables(causes), advice=causes[0].advice)


def _merged(causes: Sequence[Cause]) -> list[Problem]:
    """One problem for causes with the same root; empty without causes."""
    if not causes:
        return []
    more = f", and {len(causes) - 1} more of this kind" if len(causes) > 1 else ""
    tables = _tables(causes)
    return [Problem(INCOMPLETE, len(tables), f"{causes[0].what}{more}", blinds=tables, advice=causes[0].advice)]


def _tables(causes: Iterable[Cause]) -> tuple[str, ...]:
    return tuple(sorted({table for cause in causes for table in cause.tables}))


def _told_with_their_causes(found: Sequence[Problem]) -> list[Problem]:
    """Attach unknown values of a table to the first problem because of which the table lacks answers, if any."""
    kept = list(found)
    for problem in found:
        rows = problem.rows
        if rows is None or not rows.unseen:
            continue
        blinding = next((index for index, each in enumerate(kept) if rows.table in each.blinds), None)
        if blinding is not None:
            kept[blinding] = replace(kept[blinding], unseen=(*kept[blinding].unseen, problem))
            kept.remove(problem)
    return kept
