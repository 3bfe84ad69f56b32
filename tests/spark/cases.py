"""Many cases of a transform in one Spark plan, which takes longer than all their rows.

Each case has brokers, producers, topics, groups and transactional ids of its own, and gets its rows back as if it were
alone. What is missing wherever it was asked is missing for every case of a plan: cases that lack the same are computed
together.
"""

import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.table import Table
from kafka_census.lake.union import union
from kafka_census.pages.missing_read import MissingRead
from spark.landed_items import compute, rows_by

Found = dict[str, dict[Any, Row]]
"""Rows by case and key."""

Inputs = Mapping[str, Any]
"""Items by role; `missing` reads and `previous` rows; `alone` where what is read holds for all topics or groups."""


@dataclass
class Case:
    """A case, and the columns that are expected of its rows, by key."""

    inputs: Inputs
    key: Any
    rows: dict[Any, Mapping[str, Any]] = field(default_factory=dict)

    def gives(self, **columns: Any) -> "Case":
        return self.also(self.key, **columns)

    def also(self, key: Any, **columns: Any) -> "Case":
        self.rows[key] = columns
        return self

    def table(self, columns: str, rows: Mapping[Any, Any]) -> "Case":
        """Rows by key have these values in some columns, whose names are given with spaces between.

        The values are a tuple; the value of one column may stand alone.
        """
        names = columns.split()
        for key, values in rows.items():
            of_row = values if len(names) != 1 or isinstance(values, tuple) else (values,)
            self.rows[key] = {**self.rows.get(key, {}), **dict(zip(names, of_row, strict=True))}
        return self

    def check(self, rows: Mapping[Any, Row]) -> None:
        """The case has these rows and no others, with the expected values."""
        asked = {key: self.rows.get(key, {}) for key in rows}
        told = {key: {name: rows[key][name] for name in columns} for key, columns in asked.items()}
        assert told == self.rows, f"{told} is not {self.rows}"


Story = Generator[Inputs, dict[Any, Row], None]
"""A test that yields what is read, gets the rows, and asserts; the rows are `previous` of what it yields next."""


def told(rows: Mapping[Any, Row], columns: str) -> dict[Any, Any]:
    """Some columns of each row by its key: a value for one column, else a tuple."""
    names = columns.split()
    return {key: row[names[0]] if len(names) == 1 else tuple(row[name] for name in names) for key, row in rows.items()}


NAMES = {"group_id", "resource_name", "topic", "topic_id", "topics", "transactional_id"}
IDS = {
    *("adding_replicas", "asked_node_id", "broker_id", "broker_name", "eligible_leader_replicas", "found_coordinator"),
    *("isr", "last_known_elr", "leader_id", "listed_by", "node_id", "offline_replicas", "producer_id"),
    *("removing_replicas", "replica_id", "replicas", "source_id"),
}
OF_CASE = re.compile(r"\b([1-9]\d\d)(?:~|(\d{6})\b)")
"""Names of the 101st case begin with `101~`, and its brokers are 101 million and some."""


def by_case(spark: SparkSession, table: Table, cases: Mapping[str, Case], key: Callable[[Row], Any]) -> Found:
    """The rows of each case by a key, in one query."""
    together: dict[tuple[frozenset[MissingRead], str], dict[int, str]] = {}
    for number, name in enumerate(cases, 100):
        everywhere = frozenset(one for one in cases[name].inputs.get("missing", ()) if one.broker_id is None)
        together.setdefault((everywhere, name if "alone" in cases[name].inputs else ""), {})[number] = name
    frames = []
    for (everywhere, alone), numbers in together.items():
        inputs: dict[str, list[Any]] = {"missing": list(everywhere)}
        for number, name in numbers.items():
            roles = {role: items for role, items in cases[name].inputs.items() if role != "alone"}
            for role, items in roles.items():
                own = [one for one in items if role != "missing" or one.broker_id is not None]
                inputs.setdefault(role, []).extend(own if alone else (_apart(one, "", number) for one in own))
        frames.append(compute(spark, table, **inputs).withColumn("alone", F.lit(alone)))
    found: Found = {name: {} for name in cases}
    names = dict(enumerate(cases, 100))
    for row in rows_by(union(frames), "alone", *table.key).values():
        values = row.asDict(recursive=True)
        case = values.pop("alone")
        if not case:
            case = names[next(int(of[1]) for name in table.key if (of := OF_CASE.match(str(values[name]))))]
            values = {name: _alone(value) for name, value in values.items()}
        row_of_case = Row(**values)
        assert key(row_of_case) not in found[case], f"{key(row_of_case)} comes twice"
        found[case][key(row_of_case)] = row_of_case
    return found


def each_case(table: Table, cases: Mapping[str, Case], key: Callable[[Row], Any]) -> Callable[..., None]:
    """The test of all cases: each has these rows and no others, with the expected values."""
    found: Found = {}

    @pytest.mark.parametrize("name", cases)
    def test_every_case(spark: SparkSession, name: str) -> None:
        found.update(found or by_case(spark, table, cases, key))
        cases[name].check(found[name])

    return test_every_case


class Stories(dict[str, Callable[[], Story]]):
    """The stories of a table by name; what they yield first is computed together, then what they yield next."""

    def __init__(self, table: Table, key: Callable[[Row], Any]) -> None:
        super().__init__()
        self.table, self.key = table, key

    def story(self, tell: Callable[[], Story]) -> Callable[[], Story]:
        self[tell.__name__] = tell
        return tell

    def each(self) -> Callable[..., None]:
        failed: dict[str, Exception | None] = {}

        @pytest.mark.parametrize("name", self)
        def test_every_story(spark: SparkSession, name: str) -> None:
            failed.update(failed or self._failures(spark))
            if error := failed[name]:
                raise error

        return test_every_story

    def _failures(self, spark: SparkSession) -> dict[str, Exception | None]:
        """What did not hold, by story."""
        told = {name: tell() for name, tell in self.items()}
        asked = {name: next(story) for name, story in told.items()}
        failed: dict[str, Exception | None] = dict.fromkeys(told)
        while asked:
            cases = {name: Case(asked.get(name, {}), None) for name in told}
            found = by_case(spark, self.table, cases, self.key)
            for name in list(asked):
                try:
                    before = [row.asDict() for row in found[name].values()]
                    asked[name] = {"previous": before} | told[name].send(found[name])
                except StopIteration:
                    del asked[name]
                except Exception as error:  # noqa: BLE001 - raised again by the test of that story
                    failed[name] = error
                    del asked[name]
        return failed


def _apart(value: Any, name: str, number: int) -> Any:
    """An item, a value in it, or a missing read, as those of the case with that number."""
    if isinstance(value, MissingRead):
        return replace(value, broker_id=_apart(value.broker_id, "broker_id", number))
    if isinstance(value, Mapping):
        of_broker = value.get("resource_type") == "broker"
        names = {key: "broker_name" if of_broker and key == "resource_name" else key for key in value}
        return {key: _apart(inner, names[key], number) for key, inner in value.items()}
    if isinstance(value, list):
        return [_apart(inner, name, number) for inner in value]
    if name in IDS and value is not None and int(value) >= 0:
        return type(value)(f"{number}{int(value):06}")
    return f"{number}~{value}" if name in NAMES and isinstance(value, str) else value


def _alone(value: Any) -> Any:
    """A computed value as that of a case alone."""
    if isinstance(value, dict):
        return {key: _alone(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_alone(inner) for inner in value]
    if isinstance(value, str):
        return OF_CASE.sub(lambda of: str(int(of[2])) if of[2] else "", value)
    return int(str(value)[3:]) if type(value) is int and OF_CASE.fullmatch(str(value)) else value
