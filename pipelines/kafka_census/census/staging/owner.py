"""The column `owner` of a table, by the patterns of `declarations.owners`.

The owner of a name that stands in the list is decided here, once, and rows look names up in a set. So a list of
thousands of names costs a row one lookup per owner, and only prefixes are compared one by one.
"""

from collections import defaultdict
from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_census.declarations.owners import Owner
from kafka_census.declarations.table import Table
from kafka_census.lake.ddl import quoted


def owner_of(table: Table, owners: Sequence[Owner]) -> Column:
    """The owner of a row of the table; null where nobody has it."""
    found = [F.expr(_of_kind(kind, name, owners)) for kind, name in table.owned_by]
    return F.coalesce(*found, F.lit(None).cast("string"))


def _of_kind(kind: str, name: str, owners: Sequence[Owner]) -> str:
    """In SQL: one expression costs the driver the same for any number of patterns, and is as deep for all of them."""
    prefixes: list[tuple[str, str]] = []
    owner_by_name: dict[str, str] = {}
    for owner in owners:
        for pattern in (pattern for of, pattern in owner.patterns if of == kind):
            if pattern.endswith("*"):
                prefixes.append((pattern[:-1], owner.name))
            elif pattern not in owner_by_name:
                earlier = (of for prefix, of in prefixes if pattern.startswith(prefix))
                owner_by_name[pattern] = next(earlier, owner.name)
    names = defaultdict(list)
    for listed, of in owner_by_name.items():
        names[of].append(quoted(listed))
    cases = [(f"({name}) IN ({', '.join(listed)})", of) for of, listed in names.items()]
    cases += [(f"startswith({name}, {quoted(prefix)})", of) for prefix, of in prefixes]
    return f"CASE {' '.join(f'WHEN {is_so} THEN {quoted(of)}' for is_so, of in cases)} END" if cases else "NULL"
