"""What a row of the table failure_impact says on a terminal, and the exit code that follows from its verdict."""

from collections.abc import Mapping, Sequence
from typing import Any

from kafka_census.terminal.columns import wrapped
from kafka_census.terminal.human import counted

SAFE, UNSAFE, UNKNOWN = 0, 4, 3
"""Exit codes: a script restarts a broker only after 0."""

_CODES = {"safe": SAFE, "unknown": UNKNOWN}


def exit_code(verdict: str, *, accepts_degraded: bool = False) -> int:
    """0 for safe, 3 for unknown, else 4; `accepts_degraded`: also 0 for degrades."""
    return SAFE if accepts_degraded and verdict == "degrades" else _CODES.get(verdict, UNSAFE)


def lines(row: Mapping[str, Any]) -> Sequence[str]:
    """A row in words: verdict, reason, examples, and what moves where."""
    kind = "nothing lost" if row["kind"] == "nothing" else f"{row['kind'].replace('_', ' ')} {row['name']}"
    said = [f"{kind}: {row['verdict']}", *wrapped(f"{row['reason']}.")]
    if row["examples"]:
        said += wrapped(f"Partitions: {row['examples']}.")
    if row["leaders_moving"]:
        to = ", ".join(f"{heir['leaders']:,} to broker {heir['broker_id']}" for heir in row["leaders_to"])
        said += wrapped(f"{counted(row['leaders_moving'], 'leader moves', 'leaders move')}: {to}.")
    moving = [
        counted(row[f"{ids}_moving"], noun)
        for ids, noun in (("groups", "group"), ("transactional_ids", "transactional id"))
        if row[f"{ids}_moving"]
    ]
    if moving:
        stranded = sum(row[f"{ids}_stranded"] or 0 for ids in ("groups", "transactional_ids"))
        left = f", and {stranded:,} of them find none" if stranded else ""
        said += wrapped(f"{' and '.join(moving)} must find another coordinator{left}.")
    if row["at_min_isr_partitions"]:
        at = counted(row["at_min_isr_partitions"], "partition is", "partitions are")
        said += wrapped(f"{at} at the minimum ISR afterwards: one more loss stops writes.")
    if row["keeps_quorum"] and row["kind"] != "nothing":
        said.append(f"Metadata quorum: {row['voters_left']} voters caught up, {row['voters_needed']} needed.")
    return said
