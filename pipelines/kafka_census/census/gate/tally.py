"""Counts of rows, from which our own rules are judged: all tables of a census in a few Spark queries.

Great Expectations would query Spark for each table, and several times more for each rule that fails, with the same
numbers: the number of rows, and the number that break the rule. Rows that break a rule are then looked up, again in one
query.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.judged import UNIQUE, Subject, breaks
from kafka_census.errors.one_line import one_line
from kafka_census.lake.union import union
from kafka_census.spark.side_by_side import side_by_side

_ROWS, _TOTAL = "rows", "total "
_SHARES = 2
"""Queries for each that runs at a time: one that has much to count does not leave the others idle for long."""


@dataclass(frozen=True)
class Tally:
    """The counts of one subject.

    failed  by rule: rows that break it
    totals  by rule: the number of the whole table that the rule is about
    twice   rows whose unique columns other rows have as well
    raised  by rule: the error, in one line, of a rule that Spark could not compute
    """

    rows: int
    failed: Mapping[str, int]
    totals: Mapping[str, int] = field(default_factory=dict)
    twice: int = 0
    raised: Mapping[str, str] = field(default_factory=dict)


def tallies(
    subjects: Sequence[Subject], numbers: Mapping[str, DataFrame], at_once: int = 1, *, one_task: bool
) -> tuple[dict[str, Tally], dict[str, Mapping[str, Any]]]:
    """The tally of each subject, and the only row of each frame of `numbers`, both by name.

    at_once   number of queries at the same time, each of which counts a share of the subjects
    one_task  the rows are so few that one task counts them all

    Raises Spark's error where rows cannot be read. A rule that Spark cannot compute (an overflow, say) does not prevent
    the others from being counted.
    """
    asked = {("numbers", name): frame for name, frame in numbers.items()}
    for subject in subjects:
        asked["rules", subject.name] = _broken(subject, tuple(subject.rules))
        if subject.unique:
            asked["unique", subject.name] = _twice(subject)
    raised: dict[str, Mapping[str, str]] = {}
    try:
        found = _shared_out(asked, at_once, one_task=one_task)
    except Exception:  # noqa: BLE001 - what is still wrong without such rules is raised below
        # Where Spark 4.2 computes a count as a subquery, the error is py4j's own.
        raised = {subject.name: _raising(subject) for subject in subjects}
        for subject in subjects:
            fine = tuple(rule for rule in subject.rules if rule not in raised[subject.name])
            asked["rules", subject.name] = _broken(subject, fine)
        found = _shared_out(asked, at_once, one_task=one_task)
    return (
        {subject.name: _tally(subject.name, found, raised.get(subject.name, {})) for subject in subjects},
        {name: found["numbers", name] for name in numbers},
    )


def failing_keys(
    failed: Sequence[tuple[Subject, str]], most: int, *, one_task: bool
) -> dict[tuple[str, str], tuple[tuple[object, ...], ...]]:
    """The first keys of rows that break a rule, by subject and rule, at most `most` each; also for `key_is_unique`."""
    if not failed:
        return {}
    frames = []
    for subject, rule in failed:
        broken = _of_twice(subject) if rule == UNIQUE else subject.frame.where(breaks(subject.rules[rule]))
        first = broken.select(*subject.key).orderBy(*subject.key).limit(most)
        values = F.to_json(F.struct(*[F.col(name).alias(str(index)) for index, name in enumerate(subject.key)]))
        frames.append(first.select(F.lit(subject.name).alias("of"), F.lit(rule).alias("rule"), values.alias("key")))
    keys = {(subject.name, rule): subject.key for subject, rule in failed}
    found: dict[tuple[str, str], list[tuple[object, ...]]] = {which: [] for which in keys}
    for row in union(frames, one_task=one_task).collect():
        which, values = (row["of"], row["rule"]), json.loads(row["key"])
        # JSON leaves nulls out.
        found[which].append(tuple(values.get(str(index)) for index in range(len(keys[which]))))
    return {which: tuple(keys) for which, keys in found.items()}


def _broken(subject: Subject, rules: Sequence[str]) -> DataFrame:
    """One row: the number of rows, by rule the number of rows that break it, and the totals."""
    counted = [f"count_if({breaks(subject.rules[rule])}) AS `{rule}`" for rule in rules]
    totals = [f"{sql} AS `{_TOTAL}{rule}`" for rule, sql in subject.totals.items()]
    return subject.frame.selectExpr(f"count(*) AS {_ROWS}", *counted, *totals)


def _twice(subject: Subject) -> DataFrame:
    """One row: the number of rows that share their key with another row."""
    return _of_twice(subject).selectExpr(f"coalesce(sum(count), 0) AS {UNIQUE}")


def _of_twice(subject: Subject) -> DataFrame:
    return subject.frame.groupBy(*subject.unique).count().where("count > 1")


def _raising(subject: Subject) -> Mapping[str, str]:
    """The error of each rule that cannot be counted, evaluated one by one."""
    raised = {}
    for rule in subject.rules:
        try:
            _broken(subject, (rule,)).collect()
        except PySparkException as error:
            raised[rule] = one_line(error, str)
    return raised


def _shared_out(
    frames: Mapping[tuple[str, str], DataFrame], at_once: int, *, one_task: bool
) -> dict[tuple[str, str], dict[str, Any]]:
    """The only row of each frame, by queries, `at_once` at a time: to plan one takes longer than to run it."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    if not frames:
        return found

    def count(share: Mapping[tuple[str, str], DataFrame]) -> None:
        found.update(_rows_of(share, one_task=one_task))

    asked = list(frames.items())
    parts = min(_SHARES * at_once, len(asked))
    shares = {f"share {number}": partial(count, dict(asked[number::parts])) for number in range(parts)}
    side_by_side(asked[0][1].sparkSession, shares, {}, at_once)
    return found


def _rows_of(frames: Mapping[tuple[str, str], DataFrame], *, one_task: bool) -> dict[tuple[str, str], dict[str, Any]]:
    """The only row of each frame, of which there is at least one, in one query: as JSON, since their columns differ."""
    alike = [
        frame.selectExpr(f"'{kind}' AS kind", f"'{name}' AS name", "to_json(struct(*)) AS row")
        for (kind, name), frame in frames.items()
    ]
    rows = union(alike, one_task=one_task).collect()
    return {(row["kind"], row["name"]): json.loads(row["row"]) for row in rows}


def _tally(name: str, found: Mapping[tuple[str, str], Mapping[str, Any]], raised: Mapping[str, str]) -> Tally:
    counted = dict(found["rules", name])
    rows = counted.pop(_ROWS)
    totals = {rule.removeprefix(_TOTAL): number for rule, number in counted.items() if rule.startswith(_TOTAL)}
    failed = {rule: number for rule, number in counted.items() if not rule.startswith(_TOTAL)}
    return Tally(rows, failed, totals, found.get(("unique", name), {}).get(UNIQUE, 0), raised)
