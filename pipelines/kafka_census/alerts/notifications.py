"""Messages that the webhook accepted, stored in the audit table `alerts`: read before a message, appended after it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from kafka_census.alerts.facts import Facts
from kafka_census.alerts.states import Change
from kafka_census.declarations.alerts import ALERTS
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame


def open_since(spark: SparkSession, lake: Lake, names: tuple[str, ...]) -> Mapping[str, datetime]:
    """By name: since when a cluster's states are open by the accepted messages. Raises CorruptLake."""
    accepted = store.find(spark, lake, ALERTS)
    if accepted is None:
        store.require_never_written(lake, ALERTS)
        return {}
    last = accepted.where(F.col("cluster").isin(*names)).groupBy("state")
    event, since = F.max_by("event", "notified_at"), F.max_by(_micros("since"), "notified_at")
    rows = last.agg(event.alias("event"), since.alias("since"))
    return {
        row["state"]: datetime.fromtimestamp(row["since"] / 1_000_000, UTC)
        for row in rows.collect()
        if row["event"] == "opened"
    }


def remember(spark: SparkSession, lake: Lake, facts: Facts, changes: Sequence[Change], names: tuple[str, ...]) -> None:
    """Append the accepted changes in one commit, as later than those before under any of the cluster's names.

    Raises CorruptLake and Contended.
    """
    last, at = _last(spark, lake, names), facts.ended_at
    if last is not None:  # readers order changes by time, and the clock may have gone back
        at = max(at, last + timedelta(microseconds=1))
    census_id, cluster_id = (facts.census.census_id, facts.census.cluster_id) if facts.census else (None, None)
    rows = [
        (
            census_id,
            cluster_id,
            facts.cluster,
            change.state.name,
            change.event,
            change.count,
            change.since,
            at,
        )
        for change in changes
    ]
    frame = local_frame(spark, rows, ALERTS.schema)
    store.append(frame, lake, ALERTS, f"{facts.cluster}/alerts/{at.timestamp():.6f}")


def _last(spark: SparkSession, lake: Lake, names: tuple[str, ...]) -> datetime | None:
    """When the last message of a cluster was accepted."""
    accepted = store.find(spark, lake, ALERTS)
    if accepted is None:
        return None
    micros = accepted.where(F.col("cluster").isin(*names)).agg(F.max(_micros("notified_at"))).collect()[0][0]
    return None if micros is None else datetime.fromtimestamp(micros / 1_000_000, UTC)


def _micros(name: str) -> Column:
    """A time as a number, which does not depend on the time zone of a session."""
    return F.unix_micros(name)
