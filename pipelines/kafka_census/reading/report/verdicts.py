"""The rules of the gate that did not pass, as a report tells them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from kafka_census.census.gate.causes import Cause
from kafka_census.census.gate.verdict import Verdict as Judged
from kafka_census.reading.censuses import Record

_EXAMPLES = 3


@dataclass(frozen=True)
class Verdict:
    """One rule that did not pass; at most three failing keys."""

    table: str
    rule: str
    kind: str
    outcome: str
    checked_rows: int
    failed_rows: int
    examples: tuple[str, ...]
    message: str


def is_explained(verdict: Verdict, silent: Sequence[Cause]) -> bool:
    """Whether the verdict only repeats that these brokers did not answer."""
    return verdict.kind == "completeness" and all(
        any(example.startswith(f"broker={cause.broker_id},") and example.endswith(cause.error) for cause in silent)
        for example in verdict.examples
    )


def last_judged(rows: Sequence[Record]) -> list[Judged]:
    """The last verdict of each rule, from rows of `verdicts`."""
    names = [field.name for field in fields(Judged)]
    last = {(row["table_name"], row["rule"]): row for row in sorted(rows, key=lambda row: row["judged_at"])}
    return [Judged(**{name: row[name] for name in names}) for row in last.values()]


def not_passed(judged: Iterable[Judged]) -> tuple[Verdict, ...]:
    """The rules that did not pass, refusals first."""
    return tuple(
        Verdict(
            table=each.table_name,
            rule=each.rule,
            kind=each.kind,
            outcome=each.outcome,
            checked_rows=each.checked_rows or 0,
            failed_rows=each.failed_rows or 0,
            examples=tuple(each.failing_keys[:_EXAMPLES]),
            message=each.message,
        )
        for each in sorted(judged, key=lambda each: (each.outcome != "refuse", each.table_name, each.rule))
        if each.outcome != "pass"
    )
