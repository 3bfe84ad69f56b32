"""A problem: something in a cluster that a person would call wrong or risky, declared once for every reader.

The terminal's headline, `--fail-on`, the HTML page, Markdown, metrics, states of the webhook, Prometheus' rules and the
runbook are all made from these declarations, which are values without Spark. Spark and DuckDB both run the SQL. What to
do about a problem is declared with it, so that every reader gives the same advice.

The logic has three values: a row shows a problem, or does not, or a value that was not read leaves that open. Every
reader reports the third case; none takes such a row for a healthy one.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

Severity = Literal["critical", "warning", "risk"]

SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "risk")
"""The worst first. critical: clients cannot work; warning: they may soon not; risk: one loss or change away from it."""


@dataclass(frozen=True)
class Impact:
    """A further total of the rows of a problem, shown unless it is 0: the SQL of what a row adds, and its sentences."""

    sql: str
    one: str
    many: str


@dataclass(frozen=True)
class Remedy:
    """What to do about a problem.

    text     one sentence, without Markdown
    command  a command to copy, of Kafka's tools or `kafka-census`; words in capitals stand for what is not known
    more     what helps besides, in Markdown: for the runbook
    fills    columns of the table whose values of a row take the place of their names in capitals in the command
    """

    text: str
    command: str
    more: str
    fills: tuple[str, ...] = ()

    def filled(self, row: Mapping[str, object]) -> str:
        """The command for a row of the problem, quoted for a shell; what is null, or not in the row, stays in capitals.

        row  values by column
        """
        known = {name.upper(): str(row[name]) for name in self.fills if row.get(name) is not None}
        if not known:
            return self.command
        names = re.compile(rf"\b({'|'.join(known)})\b")
        return shlex.join(names.sub(lambda found: known[found[0]], word) for word in shlex.split(self.command))


@dataclass(frozen=True)
class Problem:
    """One kind of problem, which rows of one published table show.

    word      the name in `--fail-on`, metric, state, alert, and the heading of the runbook
    table     the name of the table
    meaning   what is counted, as a phrase
    where     the condition on rows that show the problem, in SQL
    unknown   the condition on rows of which that is not known, in SQL
    name      the name of such a row, an SQL expression
    shown     the columns that a query of these rows shows
    one       the sentence after the number 1; `many` after another number
    effect    what the problem means for clients or operators, as a clause
    remedy    what to do
    order     SQL expressions that sort the worst rows first; empty: by name
    impact    further totals of these rows
    unseen    whether these rows are unknown because an answer is missing
    trend     whether it compares with an earlier census: a row without that is no news, and leaves only its metric open
    lost      the condition on rows that the loss of broker {broker} explains, in SQL; empty: of no row
    lasting   how long Prometheus waits before the alert, for what passes by itself; empty: not at all
    """

    word: str
    severity: Severity
    table: str
    meaning: str
    where: str
    unknown: str
    name: str
    shown: str
    one: str
    many: str
    effect: str
    remedy: Remedy
    order: tuple[str, ...] = ()
    impact: tuple[Impact, ...] = ()
    unseen: bool = False
    trend: bool = False
    lost: str = ""
    lasting: str = ""

    def of_losses(self, losses: Sequence[Sequence[int]]) -> tuple["Problem", ...]:
        """The problem of the rows that each loss of brokers explains, and no earlier one; then that of other rows."""
        told = [" OR ".join(f"({self.lost.format(broker=broker)})" for broker in brokers) for brokers in losses]
        parts = [[*(f"coalesce({each}, false) = false" for each in told[:nth]), one] for nth, one in enumerate(told)]
        parts.append([f"coalesce({each}, false) = false" for each in told])
        return tuple(replace(self, where=" AND ".join(f"({each})" for each in (self.where, *part))) for part in parts)

    @property
    def sql(self) -> str:
        """The rows that show it, of the last published census of every cluster."""
        return f"SELECT {self.shown} FROM current_{self.table} WHERE {self.where}"


@dataclass(frozen=True)
class Problems:
    """What the rows of a table can show; `row` and `rows` name one of them and several."""

    row: str
    rows: str
    shown: tuple[Problem, ...] = ()


def sentence(clause: str) -> str:
    """A clause or phrase of a declaration as a sentence."""
    return f"{clause[0].upper()}{clause[1:]}."
