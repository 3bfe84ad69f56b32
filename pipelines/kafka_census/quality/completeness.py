"""From the defects of the page chains to verdicts: one for each walk that a table reads."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from kafka_census.pages.header import Header, WalkName
from kafka_census.pages.page_chain import Defect
from kafka_census.quality.policy import Cover, GatePolicy, advice, cover_of
from kafka_census.quality.verdict import Result, Verdict
from kafka_census.tables.table import Read, Table

KEYS_SHOWN = 20


@dataclass(frozen=True)
class Missing:
    """Something a table was computed without; `node_id` None where any broker would have done."""

    rpc: str
    node_id: int | None
    error: str
    reason: str


@dataclass(frozen=True)
class Walked:
    """What was landed of one walk: how many chains, and from when to when.

    observed_from      when its first page was asked for
    first_received_at  when its first page was received
    observed_to        when its last page was
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


def is_complete(rpc: str, scope: str) -> str:
    """The name of the rule that a walk is whole."""
    return f"{rpc}/{scope} is complete"


def judge_read(
    table: Table, read: Read, defects: Sequence[Defect], seen: Walked | None, policy: GatePolicy
) -> tuple[Verdict, list[Missing]]:
    """The verdict on one walk for one table, and what the table is missing because of it.

    A read that is not required never makes its table incomplete and refuses only when
    data was lost: what hangs on it is null in the table, with the reason beside it.
    """
    mine = [row for row in defects if row.walk == (read.rpc, read.scope)]
    outcomes = [outcome(row, read, policy) for row in mine]
    worst: Result = "refuse" if "refuse" in outcomes else "warn" if mine else "pass"
    chains = seen.chains if seen else 0
    named = [row for row, result in zip(mine, outcomes, strict=True) if result == worst]
    verdict = Verdict(
        table_name=table.name,
        rule=is_complete(read.rpc, read.scope),
        kind="completeness",
        severity="critical" if read.required else "warning",
        outcome=worst,
        checked_rows=chains,
        failed_rows=len(mine),
        failing_keys=tuple(_key(row) for row in [*named, *(row for row in mine if row not in named)][:KEYS_SHOWN]),
        message=_message(named, worst) if named else f"all {chains} chains of {read.rpc} ended",
    )
    missing = {Missing(row.rpc, row.node_id, error(row), row.message) for row in mine if read.required}
    return verdict, sorted(missing, key=lambda m: (m.rpc, -1 if m.node_id is None else m.node_id, m.error, m.reason))


def cover(row: Defect) -> Cover:
    """Which setting covers a defect."""
    return cover_of(row.defect, row.error_code)


def outcome(row: Defect, read: Read, policy: GatePolicy) -> Result:
    """What a defect of a walk does to a table that reads it."""
    covered = cover(row)
    tolerated = policy.accepts(covered) or (not read.required and covered != "nothing")
    return "warn" if tolerated else "refuse"


def error(row: Defect) -> str:
    """The name of what is wrong."""
    return row.gap[3]


def _key(row: Defect) -> str:
    node = "any" if row.node_id is None else row.node_id
    chain = "" if row.chain_id is None else f", chain={row.chain_id}"
    return f"node={node}{chain}, error={error(row)}"


def described(row: Defect) -> str:
    """A defect in words: who, what, and the name of what is wrong."""
    who = "no broker" if row.node_id is None else f"broker {row.node_id}"
    if row.defect == "error_page" and row.node_id is not None:
        return f"{who} did not answer {row.rpc} ({_with_name(row)})"
    where = "" if row.node_id is None else f" of {who}"
    name = "" if error(row) in row.message else f" ({error(row)})"
    return f"{row.rpc}{where}: {row.message}{name}"


def _message(rows: Sequence[Defect], outcome: Result) -> str:
    """The first defect in words, how many more there are, and what to do where it refuses."""
    first = rows[0]
    more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    return f"{described(first)}{more}" + (f"; {advice(cover(first), first.error_code)}" if outcome == "refuse" else "")


def _with_name(row: Defect) -> str:
    name, message = error(row), " ".join(row.message.split())
    return message if message.startswith(name) else f"{name}: {message}"
