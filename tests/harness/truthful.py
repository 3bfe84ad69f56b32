"""False rows and missing facts of a published table, by comparison with an emulator's event log.

A census takes time, and the cluster changes meanwhile. So a table must contain every fact that held throughout the
census, may contain facts that held at some time in it, and nothing else (`kafka_emulator.truth`).
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from kafka_emulator.truth import Fact, sometime, throughout

Value = Mapping[str, Any]


def untruths(
    rows: Mapping[str, Value], facts: Iterable[Fact], kind: str, begin: datetime, end: datetime
) -> Iterator[str]:
    """One line for each row that was never true, and for each fact without a row; empty when all is true.

    rows   by the facts' key: the values for which the table has a column
    kind   the kind of facts, such as "group"
    begin  and end: the times of the first request and of the last answer
    """
    known = list(facts)
    always, ever = throughout(known, kind, begin, end), sometime(known, kind, begin, end)
    for key in sorted(always.keys() - rows.keys()):
        yield f"{kind} {key} is missing"
    for key, row in sorted(rows.items()):
        so = ever.get(key, [])
        if not any(all(fact.get(name) == value for name, value in row.items()) for fact in so):
            yield f"{kind} {key} was never {dict(row)}, but {so or 'absent'}"
