"""What is compared of a published table, as values; every expression is SQL that Spark and DuckDB read alike.

So `||` and not `concat`, `IS NULL` and not `<=>`, `STRING` and not `VARCHAR`; no text in double quotes, no backslash.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

NO = "CAST(NULL AS STRING)"


@dataclass(frozen=True)
class Words:
    """A column of a thing, as text: that it is another one is a change.

    value        the text; where it is null in one of two censuses there is nothing to compare, and no change
    unread       why the value is not known, null where it is: then it is `unread`, and never a change
    worst_first  the values that are worse than those after them; a change between others has no direction
    of_cluster   it means something within a cluster only: two clusters are not compared by it
    """

    name: str
    value: str
    unread: str = NO
    worst_first: tuple[str, ...] = ()
    of_cluster: bool = False


@dataclass(frozen=True)
class Number:
    """A column of a thing, a whole number that is worse the higher it is.

    value     the number
    unread    as of `Words`
    missed    of how many parts it is not known: the number is a lower bound where that is above 0
    at_least  it changed where the higher of two is as high as that,
    factor    and as many times the lower one
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
    """An RPC whose answers a table's rows are made of: what it does not show may be there all the same.

    node  the column with the broker that has to show a row; None where any answer may have shown it
    """

    rpc: str
    node: str | None = None


@dataclass(frozen=True)
class Unread:
    """Rows of a table that each stand for things that could not be read.

    rows    which rows
    scope   columns that such a row shares with the things it stands for
    name    what was not read, as text
    reason  why
    """

    rows: str
    scope: tuple[str, ...]
    name: str
    reason: str = "reason"


@dataclass(frozen=True)
class Subject:
    """A kind of thing, compared from one census to another.

    name        what a thing of it is called
    table       the published table whose rows are its things
    key         columns that name a thing; never null
    text        the key for people, different for each thing
    columns     what is compared of a thing that is in both censuses
    things      which rows of the table are things
    listings    what has to be whole for a thing that is not there to be gone; none: the subject is only compared where
                it is in both, as another one tells what came and went
    shows       what is shown of a thing that appeared or is gone
    why         why a thing is as it is
    unread      rows that stand for things which were not read
    fields      columns of `changes` that name the thing, by name: topic, partition, group_id, node_id
    """

    name: str
    table: str
    key: tuple[str, ...]
    text: str
    columns: tuple[Words | Number, ...]
    things: str = "1 = 1"
    listings: tuple[Listing, ...] = ()
    shows: str = NO
    why: str = NO
    unread: Unread | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
