"""Statements of maintenance beside jobs that write to the same tables."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from kafka_census.errors import CensusError
from kafka_census.maintenance import maintain

OVERTAKEN = RuntimeError("[DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT] someone was faster")


@dataclass
class Busy:
    """A session whose statements fail, one error each, until there are none left."""

    errors: list[Exception]
    asked: list[str] = field(default_factory=list)

    def sql(self, statement: str) -> None:
        """Fail, or take note."""
        self.asked.append(statement)
        if self.errors:
            raise self.errors.pop(0)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two tries."""
    monkeypatch.setattr(maintain.time, "sleep", lambda _seconds: None)


def commit(spark: Any) -> None:
    """One statement."""
    maintain.commit(spark, "OPTIMIZE delta.`lake/books/calls` NOW")


def test_an_overtaken_statement_is_run_again() -> None:
    """Another writer's commit changes nothing about what is to be done."""
    spark = Busy([OVERTAKEN, OVERTAKEN])
    commit(spark)
    assert len(spark.asked) == 3


def test_a_table_that_is_never_still_is_one_clear_line() -> None:
    """After as many tries as there are; the statement is named by its beginning."""
    spark = Busy([OVERTAKEN] * 99)
    with pytest.raises(
        CensusError, match=r"^OPTIMIZE delta\S+ NOW: other jobs changed the table 10 times meanwhile; run"
    ):
        commit(spark)
    assert len(spark.asked) == maintain.TRIES


def test_another_error_goes_on_its_way() -> None:
    """At once."""
    spark = Busy([RuntimeError("the disk is full")])
    with pytest.raises(RuntimeError, match="disk is full"):
        commit(spark)
    assert len(spark.asked) == 1
