"""The causes of a refusal, or of a publication as incomplete: each cause once, with every table that it affects.

A verdict is about one rule and one table, so one broker that is down refuses several tables. Here missing answers are
grouped by their cause: a broker that did not answer, for every RPC; a right that the principal lacks, on every broker
that refused; one kind of defect of one walk; a listing that may hide something. A failed expectation is a cause of its
own.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from kafka_census.census.gate.completeness import cover, described, outcome
from kafka_census.census.gate.policy import GatePolicy, advice
from kafka_census.census.gate.verdict import Verdict
from kafka_census.declarations.visibility_rules import NOT_VISIBLE
from kafka_census.kafka.error_codes import UNREACHABLE, ErrorCode
from kafka_census.pages.missing_read import MissingRead

if TYPE_CHECKING:
    from kafka_census.declarations.table import Table

Root = Literal["broker", "leader", "right", "rule", "other"]
"""The kind of a cause: a broker, a partition without a leader, a right of the principal, a failed expectation."""

_UNLED = (ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.COORDINATOR_NOT_AVAILABLE)
"""The errors answered for keys of a partition without a leader."""


@dataclass(frozen=True)
class Cause:
    """One cause.

    what     what is wrong and where, in one line
    lacks    the RPCs that lack an answer because of it
    tables   the tables that lack rows because of it
    advice   what to do; empty where `what` says so
    rule     the rule of a failed expectation, else None
    root     the kind of the cause
    error    the name of the error, if there is one
    broker_id  the broker, if the cause is a broker
    """

    what: str
    lacks: tuple[str, ...]
    tables: tuple[str, ...]
    advice: str = ""
    rule: str | None = None
    root: Root = "other"
    error: str = ""
    broker_id: int | None = None

    @property
    def line(self) -> str:
        """The whole cause in one line."""
        if self.rule is not None:
            return f"{self.tables[0]}: {self.what}"
        lacks = f"; not read: {', '.join(self.lacks)}" if self.lacks else ""
        return f"{self.what}{lacks}; lacking in {', '.join(self.tables)}" + (f"; {self.advice}" if self.advice else "")


@dataclass
class _Blinded:
    """The missing reads and tables found so far for one cause."""

    missing_reads: list[MissingRead] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)


def causes(
    tables: "Sequence[Table]", missing_reads: Sequence[MissingRead], verdicts: Iterable[Verdict], policy: GatePolicy
) -> tuple[Cause, ...]:
    """The causes of a refusal, brokers first; empty where nothing refuses.

    verdicts  of these tables, under that policy
    """
    refused = [verdict for verdict in verdicts if verdict.outcome == "refuse"]
    return (
        *gathered(
            (row, table.name)
            for table in tables
            for read in table.reads
            for row in missing_reads
            if row.walk == (read.rpc, read.scope) and outcome(row, read, policy) == "refuse"
        ),
        *_of_listings(verdict for verdict in refused if verdict.kind == "visibility"),
        *_of_rules(refused),
    )


def recalled(
    lacking: Iterable[tuple[MissingRead, str]], verdicts: Iterable[Verdict], policy: GatePolicy
) -> tuple[Cause, ...]:
    """The causes of a refusal from what the lake keeps of it; empty where the policy accepts all of them by now.

    lacking   the missing reads of `refusals`, each with the table that lacks it
    verdicts  the last ones on these tables
    """
    several = [(row, table) for row, table in lacking if row.kind != NOT_VISIBLE.lower()]  # which has a verdict
    refused = [verdict for verdict in verdicts if verdict.outcome == "refuse"]
    named = {(row.rpc, table) for row, table in several}
    # What no table requires is no row of `refusals`: only lost data refuses there.
    others = [
        verdict
        for verdict in refused
        if verdict.kind == "completeness" and (verdict.rule.partition("/")[0], verdict.table_name) not in named
    ]
    return (
        *gathered((row, table) for row, table in several if not policy.accepts(cover(row))),
        *(Cause(verdict.message, (), (verdict.table_name,)) for verdict in others),
        *_of_listings(one for one in refused if one.kind == "visibility" and not policy.accepts("visibility")),
        *_of_rules(refused),
    )


def gathered(lacking: Iterable[tuple[MissingRead, str]]) -> tuple[Cause, ...]:
    """The causes of missing reads, each given with the table that lacks it; in the order of their first read."""
    found: dict[tuple[object, ...], _Blinded] = {}
    for row, table_name in lacking:
        blinded = found.setdefault(_root(row), _Blinded())
        blinded.missing_reads.append(row)
        blinded.tables.append(table_name)
    return tuple(map(_cause, found.values()))


def _cause(blinded: _Blinded) -> Cause:
    several = tuple(dict.fromkeys(blinded.missing_reads))
    first = several[0]
    return Cause(
        what=_what(several),
        lacks=tuple(sorted({row.rpc for row in several})),
        tables=tuple(dict.fromkeys(blinded.tables)),
        advice=advice(cover(first), first.error_code),
        root=_kind(first),
        error=first.error,
        broker_id=first.broker_id,
    )


def _of_listings(refused: Iterable[Verdict]) -> Iterator[Cause]:
    """Causes from verdicts that a listing may hide something; the message is the same for every table that reads it."""
    blinded: dict[str, list[str]] = {}
    for verdict in refused:
        blinded.setdefault(verdict.message, []).append(verdict.table_name)
    for message, tables in blinded.items():
        yield Cause(message, (), tuple(tables), root="right")


def _of_rules(refused: Iterable[Verdict]) -> Iterator[Cause]:
    for verdict in refused:
        if verdict.kind not in ("completeness", "visibility"):
            yield Cause(verdict.message, (), (verdict.table_name,), rule=verdict.rule, root="rule")


def _is_of_broker(row: MissingRead) -> bool:
    return row.kind == "error_page" and row.broker_id is not None and row.error_code in UNREACHABLE


def _kind(row: MissingRead) -> Root:
    if _is_of_broker(row):
        return "broker"
    if cover(row) == "visibility" or row.kind == NOT_VISIBLE.lower():
        return "right"
    return "leader" if row.error_code in _UNLED else "other"


def _root(row: MissingRead) -> tuple[object, ...]:
    """The key of a row's cause; rows with the same cause have the same key."""
    if _is_of_broker(row):
        return "broker", row.broker_id
    if cover(row) == "visibility":
        return "right", row.error_code
    return row.rpc, row.scope, row.kind, row.error_code


def _what(several: Sequence[MissingRead]) -> str:
    """The first missing read in words (a broker without its RPC), and the number of others."""
    first = several[0]
    if _is_of_broker(first):
        message = " ".join(first.reason.split())
        return f"broker {first.broker_id} did not answer ({first.error}: {message})"
    return described(first) + (f" and {len(several) - 1} more" if len(several) > 1 else "")
