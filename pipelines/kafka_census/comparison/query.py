"""The SQL that compares two censuses: one text, which both Spark and DuckDB run.

For each subject, a full join pairs the things of both censuses by their key. Each pair yields one row per fact that
differs; a fact is the existence of the thing or the value of one of its columns. Pairs that do not differ are filtered
before facts are made of them, so that a large unchanged table costs only its join. The placeholders
`{before_<table>}` and `{after_<table>}` stand for the frames. DuckDB gets Spark's `explode` by `EXPLODE`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kafka_census.comparison.not_read import NotRead
from kafka_census.comparison.subject import NO, Number, Subject, Unread, Words

FIELDS = {"topic": "STRING", "partition": "INT", "group_id": "STRING", "broker_id": "INT"}
"""Columns that name a thing, and their types."""

CHANGES = ("worse", "gone", "unread", "changed", "appeared", "better")
"""Every kind of change, the worst first."""

EXPLODE = "CREATE TEMP MACRO explode(items) AS unnest(items)"
"""What DuckDB runs before the comparison."""

WHOLE = -1
"""The number of the fact that a thing exists; the other facts have the numbers of their columns."""


@dataclass(frozen=True)
class Comparison:
    """The comparison of one subject.

    census_id      the previous census
    before, after  what each census did not read of the subject
    """

    subject: Subject
    census_id: str
    before: Sequence[NotRead] = ()
    after: Sequence[NotRead] = ()


@dataclass(frozen=True)
class LeftOut:
    """A subject whose table only one of the censuses has.

    census_id  the previous census
    side       before or after: the census that has the table
    """

    subject: Subject
    census_id: str
    side: str


def query(comparisons: Sequence[Comparison], left_out: Sequence[LeftOut] = (), *, one_cluster: bool = True) -> str:
    """The SQL over frames of both censuses; without comparisons it returns no rows.

    left_out     what is not compared: each is one row, if there was anything to compare
    one_cluster  whether both censuses are of the same cluster; columns `of_cluster` are compared only then

    The columns are those of `tables.changes`, without the census and its cluster.
    """
    selects = [select for one in comparisons for select in _selects(one, one_cluster=one_cluster)]
    selects += [_left_out(one) for one in left_out]
    return "\nUNION ALL\n".join(selects) or _NOTHING


def _selects(one: Comparison, *, one_cluster: bool) -> Iterator[str]:
    yield _facts(one, [column for column in one.subject.columns if one_cluster or not column.of_cluster])
    if one.subject.unread is not None and one.subject.unread.name:
        yield _scopes(one, one.subject.unread)


def _left_out(one: LeftOut) -> str:
    """One row for a subject that is not compared, unless the census that has its table has nothing in it."""
    which = "this census has no table" if one.side == "before" else "no census before has the table"
    fields = "".join(f"CAST(NULL AS {kind}) AS {name}, " for name, kind in FIELDS.items())
    return f"""SELECT '{one.subject.name}' AS subject, '{one.subject.table}' AS table_name, '' AS key, {fields}
  '' AS column_name, CAST(NULL AS STRING) AS before, CAST(NULL AS STRING) AS after, 'unread' AS change,
  '{which} {one.subject.table}' AS reason, '{_plain(one.census_id)}' AS before_census_id,
  max(observed_at) AS observed_at
FROM {{{one.side}_{one.subject.table}}} HAVING count(*) > 0"""


def _facts(one: Comparison, columns: Sequence[Words | Number]) -> str:
    """One row for every fact of a pair that differs."""
    subject, last = one.subject, len(columns) - 1
    facts = ", ".join(f"({fact})" for fact in range(WHOLE if subject.listings else 0, last + 1))
    rules = [f"WHEN {number} THEN {_differs(number, column)}" for number, column in enumerate(columns)]
    rules += [f"WHEN {WHOLE} THEN was IS NULL OR is_there IS NULL"] if subject.listings else []

    def of_fact(name: str, whole: str) -> str:
        return f"CASE fact {' '.join(f'WHEN {n} THEN {name}{n}' for n in range(last + 1))} ELSE {whole} END"

    names = " ".join(f"WHEN {n} THEN '{column.name}'" for n, column in enumerate(columns))
    changes = " ".join(f"WHEN {n} THEN {_change(n, column)}" for n, column in enumerate(columns))
    reasons = " ".join(f"WHEN {n} THEN {_reason(n, column)}" for n, column in enumerate(columns))
    return f"""SELECT {_head(subject)}, CASE fact {names} ELSE '' END AS column_name,
  {of_fact("b", "was")} AS before, {of_fact("a", "is_there")} AS after,
  CASE fact {changes} ELSE
    CASE WHEN not_read IS NOT NULL THEN 'unread' WHEN was IS NULL THEN 'appeared' ELSE 'gone' END END AS change,
  CASE fact {reasons} ELSE coalesce(not_read, why) END AS reason,
  '{_plain(one.census_id)}' AS before_census_id, observed_at
FROM ({_pairs(one, columns)}) AS pairs CROSS JOIN (VALUES {facts}) AS facts(fact)
WHERE CASE fact {" ".join(rules)} END"""


def _pairs(one: Comparison, columns: Sequence[Words | Number]) -> str:
    """Pairs of the same thing before and after that differ, and things that one of the censuses lacks."""
    subject = one.subject
    by_key = " AND ".join(f"b.{key} = a.{key}" for key in subject.key or ("thing",))
    either = ", ".join(f"coalesce(a.{name}, b.{name}) AS {name}" for name in ("thing", "observed_at", *_aliases()))
    both = "".join(
        f", {side}.{kind}{number} AS {side}{'' if kind == 'v' else kind}{number}"
        for number, column in enumerate(columns)
        for kind in _kinds(column)
        for side in "ba"
    )
    differ = [f"b.v{number} IS DISTINCT FROM a.v{number}" for number in range(len(columns))]
    join = "FULL OUTER" if subject.listings else "INNER"
    before, after = _not_read(one.before, "a"), _not_read(one.after, "b")
    not_read = (
        f"CASE WHEN b.thing IS NULL THEN coalesce({before}, a.other_unread) "
        f"WHEN a.thing IS NULL THEN coalesce({after}, b.other_unread) END"
    )
    return f"""
  SELECT {either}, {_there("b")} AS was, {_there("a")} AS is_there, a.why AS why, {not_read} AS not_read{both}
  FROM ({_side(subject, columns, "before", "after")}) AS b
  {join} JOIN ({_side(subject, columns, "after", "before")}) AS a ON {by_key}
  WHERE b.thing IS NULL OR a.thing IS NULL OR {" OR ".join(differ)}"""


def _side(subject: Subject, columns: Sequence[Words | Number], side: str, other: str) -> str:
    """The things of one census, without those that the other census could not read."""
    values = "".join(
        f", {expression} AS {kind}{number}"
        for number, column in enumerate(columns)
        for kind, expression in _kinds(column).items()
    )
    nodes = {listing.node: None for listing in subject.listings if listing.node and listing.node not in subject.key}
    keys = "".join(f"{name}, " for name in (*subject.key, *nodes))
    fields = ", ".join(
        f"{subject.fields.get(name, f'CAST(NULL AS {kind})')} AS f_{name}" for name, kind in FIELDS.items()
    )
    things = subject.each.replace("{rows}", f"{{{side}_{subject.table}}}") + " AS things"
    readable, other_unread = "", NO
    if subject.unread is not None:
        scope = subject.unread.scope
        same = " AND ".join(f"unread.u_{name} = things.{name}" for name in scope) or "1 = 1"
        named = "".join(f"{name} AS u_{name}, " for name in scope)
        rows = f"SELECT {named}max({subject.unread.reason}) AS u_reason FROM {{{other}_{subject.table}}} "
        rows += f"WHERE {subject.unread.rows}" + (f" GROUP BY {', '.join(scope)}" if scope else "")
        if subject.unread.name:
            readable = f" AND NOT EXISTS (SELECT 1 FROM ({rows}) AS unread WHERE {same})"
        else:
            things, other_unread = f"{things} LEFT JOIN ({rows}) AS unread ON {same}", "u_reason"
    return f"""
    SELECT {keys}{subject.text} AS thing, observed_at, {fields},
      {subject.shows} AS shown, {subject.why} AS why, {other_unread} AS other_unread{values}
    FROM {things} WHERE {subject.things}{readable}"""


def _scopes(one: Comparison, unread: Unread) -> str:
    """One row per scope that was read in only one of the censuses."""
    subject = one.subject
    fields = ", ".join(
        f"{subject.fields.get(name, f'CAST(NULL AS {kind})')} AS f_{name}" for name, kind in FIELDS.items()
    )

    def side(name: str) -> str:
        return (
            f"SELECT {', '.join(unread.scope)}, {unread.name} AS thing, observed_at, {fields}, {unread.reason} AS why "
            f"FROM {{{name}_{subject.table}}} WHERE {unread.rows}"
        )

    by_scope = " AND ".join(f"b.{name} = a.{name}" for name in unread.scope)
    either = ", ".join(
        f"coalesce(a.{name}, b.{name}) AS {name}" for name in ("thing", "observed_at", "why", *_aliases())
    )
    return f"""SELECT {_head(subject)}, '' AS column_name,
  CAST(NULL AS STRING) AS before, CAST(NULL AS STRING) AS after, 'unread' AS change, why AS reason,
  '{_plain(one.census_id)}' AS before_census_id, observed_at
FROM (
  SELECT {either} FROM ({side("before")}) AS b FULL OUTER JOIN ({side("after")}) AS a ON {by_scope}
  WHERE b.thing IS NULL OR a.thing IS NULL) AS scopes"""


def _head(subject: Subject) -> str:
    fields = ", ".join(f"f_{name} AS {name}" for name in FIELDS)
    return f"'{subject.name}' AS subject, '{subject.table}' AS table_name, thing AS key, {fields}"


def _aliases() -> list[str]:
    return [f"f_{name}" for name in FIELDS]


def _kinds(column: Words | Number) -> dict[str, str]:
    """Expressions by letter: v the value as text; n as a number, higher where worse; u why unknown; m unknown parts."""
    known = f"CASE WHEN {column.unread} IS NULL THEN {column.value} END"
    if isinstance(column, Number):
        number, missed = f"CAST({known} AS DOUBLE)", column.missed
    else:
        worst = len(column.worst_first)
        ranks = " ".join(f"WHEN '{word}' THEN {worst - position}" for position, word in enumerate(column.worst_first))
        number = f"CAST(CASE {known} {ranks} END AS DOUBLE)" if ranks else "CAST(NULL AS DOUBLE)"
        missed = "0"
    return {"v": f"CAST({known} AS STRING)", "n": number, "u": column.unread, "m": missed}


def _differs(n: int, column: Words | Number) -> str:
    """The condition that a value differs by enough, or is known in only one census."""
    enough = ""
    if isinstance(column, Number):
        high, low = f"greatest(bn{n}, an{n})", f"least(bn{n}, an{n})"
        enough = f" AND {high} >= {column.at_least} AND {high} >= {column.factor} * {low}"
    return (
        "was IS NOT NULL AND is_there IS NOT NULL AND ("
        f"(b{n} <> a{n}{enough}) OR (b{n} IS NULL AND bu{n} IS NOT NULL AND a{n} IS NOT NULL) "
        f"OR (a{n} IS NULL AND au{n} IS NOT NULL AND b{n} IS NOT NULL))"
    )


def _change(n: int, column: Words | Number) -> str:
    unread = f"WHEN b{n} IS NULL OR a{n} IS NULL{_not_comparable(n, column)} THEN 'unread'"
    return (
        f"CASE {unread} WHEN bn{n} IS NULL OR an{n} IS NULL THEN 'changed' "
        f"WHEN an{n} > bn{n} THEN 'worse' ELSE 'better' END"
    )


def _reason(n: int, column: Words | Number) -> str:
    reason = f"WHEN b{n} IS NULL THEN bu{n} WHEN a{n} IS NULL THEN au{n}"
    if isinstance(column, Number):
        parts = f"CAST(greatest(bm{n}, am{n}) AS STRING)"
        reason += f" WHEN 1 = 0{_not_comparable(n, column)} THEN 'not known of ' || {parts} || ' partitions'"
    return f"CASE {reason} ELSE why END"


def _not_comparable(n: int, column: Words | Number) -> str:
    """The condition that lower bounds prove nothing: they prove only a rise to a bound, or a fall from a bound."""
    if not isinstance(column, Number):
        return ""
    return f" OR (bm{n} <> am{n} AND NOT (an{n} > bn{n} AND bm{n} = 0) AND NOT (an{n} < bn{n} AND am{n} = 0))"


def _there(side: str) -> str:
    """The summary of a thing, null where the thing is missing; an empty text for a thing without a summary."""
    return f"CASE WHEN {side}.thing IS NOT NULL THEN coalesce({side}.shown, '') END"


def _not_read(reasons: Sequence[NotRead], side: str) -> str:
    """The reason why the census that lacks the thing on this side may have missed it."""
    rules = [
        f"WHEN {'1 = 1' if one.column is None else f'{side}.{one.column} = {one.broker_id}'} THEN '{_plain(one.line)}'"
        for one in reasons
    ]
    return f"CASE {' '.join(rules)} END" if rules else "CAST(NULL AS STRING)"


def _plain(text: str) -> str:
    """A text that needs no escaping in SQL. Raises ValueError for any other text."""
    if not re.fullmatch(r"[\w .,:()?-]*", text, flags=re.ASCII):
        raise ValueError(f"not plain: {text!r}")
    return text


_NOTHING = (
    "SELECT "
    + ", ".join(
        f"CAST(NULL AS {kind}) AS {name}"
        for name, kind in (
            *(("subject", "STRING"), ("table_name", "STRING"), ("key", "STRING")),
            *FIELDS.items(),
            *((name, "STRING") for name in ("column_name", "before", "after", "change", "reason", "before_census_id")),
            ("observed_at", "TIMESTAMP"),
        )
    )
    + " WHERE 1 = 0"
)
"""A query without rows, with the columns of changes."""
