"""The compared subjects of published tables, as values; every expression is SQL that both Spark and DuckDB accept.

So `||` and not `concat`, `IS NULL` and not `<=>`, `STRING` and not `VARCHAR`; no text in double quotes, no backslash.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

NO = "CAST(NULL AS STRING)"


@dataclass(frozen=True)
class Words:
    """A column of a thing, as text; every other value is a change.

    value        the text; null in one of two censuses is no change
    unread       why the value is unknown, null where it is known: an unknown value is `unread`, and never a change
    worst_first  values, each worse than those after it; a change between other values has no direction
    of_cluster   whether the column has a meaning within one cluster only: two clusters are not compared by it
    """

    name: str
    value: str
    unread: str = NO
    worst_first: tuple[str, ...] = ()
    of_cluster: bool = False


@dataclass(frozen=True)
class Number:
    """A column of a thing: a whole number, of which a higher value is worse.

    value     the number
    unread    as in `Words`
    missed    the number of parts whose value is unknown: above 0 the number is a lower bound
    at_least  a change needs a higher value of at least this,
    factor    and of at least this many times the lower value
    """

    name: str
    value: str
    unread: str = NO
    missed: str = "0"
    at_least: int = 1
    factor: int = 1
    of_cluster: bool = False


@dataclass(frozen=True)
class Listing:
    """An RPC from whose answers a table's rows are computed: things that a missing answer would show may exist.

    node  the column with the broker whose answer shows a row; None where any answer may show it
    """

    rpc: str
    node: str | None = None


@dataclass(frozen=True)
class Unread:
    """Rows of a table, each of which stands for things that could not be read.

    rows    which rows
    scope   columns that such a row shares with the things that it stands for; empty: the row stands for all things
    name    the name of what was not read, which is one change; empty: each thing that another census has is a change
    reason  why; never null
    """

    rows: str
    scope: tuple[str, ...]
    name: str = ""
    reason: str = "reason"


@dataclass(frozen=True)
class Subject:
    """A kind of thing that is compared from one census to another.

    name        the word for a thing of this kind
    table       the published table whose rows are the things
    each        SQL that makes things of the table's rows, which are `{rows}`; `explode` makes a row of each list item
    key         columns that identify a thing; never null; empty: the text does
    text        the key as text for people, unique per thing
    columns     the columns that are compared of a thing in both censuses
    things      the condition on rows of the table that are things
    listings    the RPCs whose answers must be complete before a missing thing counts as gone; empty: only things in
                both censuses are compared, because another subject reports what appeared and went
    shows       the summary of a thing that appeared or is gone
    why         the reason for the state of a thing
    unread      rows that stand for things that were not read
    fields      columns of `changes` that name the thing, by name: topic, partition, group_id, broker_id
    """

    name: str
    table: str
    key: tuple[str, ...]
    text: str
    columns: tuple[Words | Number, ...]
    each: str = "{rows}"
    things: str = "1 = 1"
    listings: tuple[Listing, ...] = ()
    shows: str = NO
    why: str = NO
    unread: Unread | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
