"""What a published table says that was not so, and what was so that it lacks: rows against an emulator's event log.

A census takes time, and the cluster changes meanwhile. So a table must hold every fact that was so throughout it,
may hold any that was so at some time in it, and nothing else (`kafka_emulator.truth`).
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from kafka_emulator.truth import Fact, sometime, throughout

Value = Mapping[str, Any]


def untruths(
    rows: Mapping[str, Value], facts: Iterable[Fact], kind: str, begin: datetime, end: datetime
) -> Iterator[str]:
    """One line for each row that was never so, and for each fact that no row tells; none when all is true.

    rows   by the facts' key: of their values those that the table has a column for
    kind   of facts, such as "group"
    begin  and end: when the first answer was asked for, and when the last one was received
    """
    known = list(facts)
    always, ever = throughout(known, kind, begin, end), sometime(known, kind, begin, end)
    for key in sorted(always.keys() - rows.keys()):
        yield f"{kind} {key} is missing"
    for key, row in sorted(rows.items()):
        so = ever.get(key, [])
        if not any(all(fact.get(name) == value for name, value in row.items()) for fact in so):
            yield f"{kind} {key} was never {dict(row)}, but {so or 'absent'}"
