"""Verdicts on completeness, from the missing reads of page chains: one verdict for each walk that a table reads."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from kafka_census.census.gate.policy import Cover, GatePolicy, advice, cover_of
from kafka_census.census.gate.verdict import Result, Verdict
from kafka_census.pages.header import Header, WalkName
from kafka_census.pages.missing_read import MissingRead

if TYPE_CHECKING:
    from kafka_census.declarations.table import Read, Table

KEYS_SHOWN = 20


@dataclass(frozen=True)
class Walked:
    """The landed pages of one walk: the number of chains, and the times of the first and last page.

    observed_from      when its first page was requested
    first_received_at  when its first page was received
    observed_to        when its last page was received
    """

    chains: int
    observed_from: datetime | None
    first_received_at: datetime | None
    observed_to: datetime | None


def walked(headers: Iterable[Header]) -> dict[WalkName, Walked]:
    """Every landed walk, by (rpc, scope)."""
    walks: defaultdict[WalkName, list[Header]] = defaultdict(list)
    for header in headers:
        walks[header.walk].append(header)
    return {walk: _walked(rows) for walk, rows in walks.items()}


def _walked(rows: Sequence[Header]) -> Walked:
    return Walked(
        chains=len({row.chain_id for row in rows}),
        observed_from=min((row.requested_at for row in rows if row.requested_at), default=None),
        first_received_at=min((row.received_at for row in rows if row.received_at), default=None),
        observed_to=max((row.received_at for row in rows if row.received_at), default=None),
    )


def completeness_rule(rpc: str, scope: str) -> str:
    """The name of the rule that a walk is complete."""
    return f"{rpc}/{scope} is complete"


def judge_read(
    table: "Table", read: "Read", missing_reads: Sequence[MissingRead], seen: Walked | None, policy: GatePolicy
) -> tuple[Verdict, list[MissingRead]]:
    """The verdict on one walk for one table, and what the table is missing because of it.

    A read that is not required never makes its table incomplete and refuses only when data was lost: values that depend
    on it are null in the table, with the reason beside them.
    """
    mine = [row for row in missing_reads if row.walk == (read.rpc, read.scope)]
    outcomes = [outcome(row, read, policy) for row in mine]
    worst: Result = "refuse" if "refuse" in outcomes else "warn" if mine else "pass"
    chains = seen.chains if seen else 0
    named = [row for row, result in zip(mine, outcomes, strict=True) if result == worst]
    verdict = Verdict(
        table_name=table.name,
        rule=completeness_rule(read.rpc, read.scope),
        kind="completeness",
        severity="critical" if read.required else "warning",
        outcome=worst,
        checked_rows=chains,
        failed_rows=len(mine),
        failing_keys=tuple(_key(row) for row in [*named, *(row for row in mine if row not in named)][:KEYS_SHOWN]),
        message=_message(named, worst) if named else f"all {chains} chains of {read.rpc} ended",
    )
    missing = {(row.rpc, -1 if row.broker_id is None else row.broker_id, row.error, row.reason): row for row in mine}
    return verdict, [missing[key] for key in sorted(missing)] if read.required else []


def cover(row: MissingRead) -> Cover:
    """The setting that covers a missing read."""
    return cover_of(row.kind, row.error_code)


def outcome(row: MissingRead, read: "Read", policy: GatePolicy) -> Result:
    """The outcome of a missing read for a table that reads the walk."""
    covered = cover(row)
    tolerated = policy.accepts(covered) or (not read.required and covered != "nothing")
    return "warn" if tolerated else "refuse"


def _key(row: MissingRead) -> str:
    broker = "any" if row.broker_id is None else row.broker_id
    chain = "" if row.chain_id is None else f", chain={row.chain_id}"
    return f"broker={broker}{chain}, error={row.error}"


def described(row: MissingRead) -> str:
    """A missing read in words: the broker, the RPC, and the name of the error."""
    who = "no broker" if row.broker_id is None else f"broker {row.broker_id}"
    if row.kind == "error_page" and row.broker_id is not None:
        return f"{who} did not answer {row.rpc} ({_with_name(row)})"
    where = "" if row.broker_id is None else f" of {who}"
    name = "" if row.error in row.reason else f" ({row.error})"
    return f"{row.rpc}{where}: {row.reason}{name}"


def _message(rows: Sequence[MissingRead], outcome: Result) -> str:
    """The first missing read in words, the number of others, and the advice where the outcome is a refusal."""
    first = rows[0]
    more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    return f"{described(first)}{more}" + (f"; {advice(cover(first), first.error_code)}" if outcome == "refuse" else "")


def _with_name(row: MissingRead) -> str:
    name, message = row.error, " ".join(row.reason.split())
    return message if message.startswith(name) else f"{name}: {message}"
