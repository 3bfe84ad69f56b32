"""A verdict: the result of one rule for one table."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["completeness", "visibility", "time", "expectation"]
Severity = Literal["critical", "warning"]
Result = Literal["pass", "warn", "refuse"]


@dataclass(frozen=True)
class Verdict:
    """One row of `audit/verdicts`, without the census and the time; fields as the table's columns."""

    table_name: str
    rule: str
    kind: Kind
    severity: Severity
    outcome: Result
    checked_rows: int
    failed_rows: int
    failing_keys: tuple[str, ...]
    message: str
