"""Keys that landed items name, of any number of walks, by one pass over their pages.

A frame per walk would be analyzed, planned and read on its own: with thirty of them that takes longer than to read the
items. Of each item only the columns that are asked for are read.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from kafka_census.declarations.walk import Keys
from kafka_census.pages.header import Header, WalkName
from kafka_census.pages.read import LandedPages

ITEM = "item."
"""What the names of an item's columns begin with in SQL."""

_COLUMN = re.compile(r"\bitem\.(\w+)")


@dataclass(frozen=True)
class NamedKeys:
    """What the items of a walk say of keys.

    key     the key of an item, in SQL; an item whose key is null names none
    values  columns beside the key, in SQL
    """

    walk: WalkName
    key: str
    values: Mapping[str, str]

    def rows(self, items: str) -> str:
        """An array of (key, *values) in SQL, of the items in a column; with equal values, each key once."""
        columns = {"key": self.key, **self.values}
        column = _COLUMN.fullmatch(self.key)
        if column and not any(map(_COLUMN.search, self.values.values())):
            # Many items may name one key, such as the offsets of a group: a function per item would cost more.
            return f"transform(array_distinct({items}.{column[1]}), key -> struct({_named({**columns, 'key': 'key'})}))"
        read = dict.fromkeys(_COLUMN.findall(" ".join(columns.values())))
        zipped = f"arrays_zip({', '.join(f'{items}.{name}' for name in read)})"
        return f"transform({zipped}, item -> struct({_named(columns)}))"


def listed_keys(keys: Keys, values: Mapping[str, str]) -> NamedKeys:
    """The keys that a listing names."""
    return NamedKeys((keys.rpc, keys.scope), keys.sql(ITEM), values)


def named_keys(pages: LandedPages, named: Sequence[NamedKeys]) -> DataFrame:
    """One row per item that names a key, by the answers that count: `key`, then the values, which all have alike.

    Raises CorruptLake where the pages lack the items of an RPC.
    """
    by_walk: dict[WalkName, list[NamedKeys]] = {}
    for each in named:
        by_walk.setdefault(each.walk, []).append(each)
    cases = []
    for (rpc, scope), several in by_walk.items():
        rows = ", ".join(each.rows(pages.items_column(rpc)) for each in several)
        cases.append(f"WHEN rpc = '{rpc}' AND scope = '{scope}' THEN concat({rows})")
    rpcs = {rpc for rpc, _ in by_walk}
    return pages.that_count(rpcs).selectExpr(f"inline(CASE {' '.join(cases)} END)").where("key IS NOT NULL")


def held_open(pages: LandedPages, headers: Sequence[Header], values: Mapping[str, str]) -> DataFrame:
    """The keys that these pages hold open, with the same columns as `named_keys` gives."""
    return pages.those(headers).selectExpr(f"inline(transform(open_keys, key -> struct(key, {_named(values)})))")


def _named(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{sql} AS {name}" for name, sql in columns.items())
