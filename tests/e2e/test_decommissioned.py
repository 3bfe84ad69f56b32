"""A broker without replicas that was stopped owes nothing; once unregistered it is reported once, and then no more."""

from typing import Any

from pyspark.sql import Row
from pyspark.sql import functions as F

from e2e.losses import GONE, HEALED, LATER, STOPPED, UNREGISTERED, Losses
from kafka_census.tables.audit import PUBLICATIONS, ROUTES, VERDICTS
from kafka_census.tables.brokers import BROKERS
from kafka_census.tables.config_drift import CONFIG_DRIFT
from kafka_census.tables.log_dir_usage import LOG_DIR_USAGE
from kafka_census.tables.table import Table


def of_it(lost: Losses, table: Table, where: str, *censuses: int) -> list[Row]:
    """The rows of these censuses, in order, for which a condition holds."""
    ids: list[Any] = [lost.ids[number] for number in censuses]
    return lost.census.rows(table).where(where).where(F.col("census_id").isin(ids)).orderBy("census_id").collect()


def test_the_censuses_after_it_publish_complete(lost: Losses) -> None:
    """No page of the broker is due once it is stopped, and nothing is missing: it is fenced, and holds no replica."""
    assert len(lost.ids) == LATER + 1
    rows = of_it(lost, PUBLICATIONS, "true", STOPPED, UNREGISTERED, LATER)
    assert {(row.is_complete, len(row.missing)) for row in rows} == {(True, 0)}
    owed = of_it(lost, ROUTES, f"broker_id = {GONE}", HEALED, STOPPED, UNREGISTERED, LATER)
    assert {row.census_id for row in owed} == {lost.ids[HEALED]}


def test_a_stopped_broker_is_fenced_and_its_rows_say_what_to_do(lost: Losses) -> None:
    reason = (
        f"broker {GONE} was not asked: it is fenced and holds no replica; if it was decommissioned: kafka-cluster.sh "
        f"unregister --bootstrap-server HOST:PORT --id {GONE}"
    )
    [dirs] = of_it(lost, LOG_DIR_USAGE, f"broker_id = {GONE}", STOPPED)
    assert (dirs.state, dirs.reason) == ("not_read", reason)
    drift = of_it(lost, CONFIG_DRIFT, f"resource_type = 'broker' AND resource_name = '{GONE}'", STOPPED)
    assert [row.reason for row in drift if row.kind == "not_read"] == [reason]
    fenced = "rule = 'fenced_broker_has_replicas' AND outcome = 'warn'"
    [warned] = of_it(lost, VERDICTS, fenced, HEALED, STOPPED, UNREGISTERED, LATER)
    assert (warned.census_id, list(warned.failing_keys)) == (lost.ids[STOPPED], [f"broker_id={GONE}"])
    assert "kafka-cluster.sh unregister" in warned.message


def test_a_broker_that_is_gone_has_no_rows_as_if_it_had_not_answered(lost: Losses) -> None:
    assert of_it(lost, LOG_DIR_USAGE, f"broker_id = {GONE}", UNREGISTERED, LATER) == []
    assert of_it(lost, CONFIG_DRIFT, "kind = 'not_read'", UNREGISTERED, LATER) == []


def test_it_is_a_row_and_one_warning_once(lost: Losses) -> None:
    """In the census directly after the last one that knew the broker; later censuses do not mention it."""
    rows = of_it(lost, BROKERS, f"broker_id = {GONE}", *range(HEALED, LATER + 1))
    assert [row.state for row in rows] == ["alive", "fenced", "gone"]
    assert [row.census_id for row in rows] == lost.ids[HEALED:LATER]
    gone = f"rule = 'broker_is_still_seen' AND outcome = 'warn' AND array_contains(failing_keys, 'broker_id={GONE}')"
    [warned] = of_it(lost, VERDICTS, gone, *range(HEALED, LATER + 1))
    assert warned.census_id == lost.ids[UNREGISTERED]
    assert "not seen any more" in warned.message
