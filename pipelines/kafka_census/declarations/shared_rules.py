"""Rules about Kafka as SQL that Spark and DuckDB both run: tables are computed by them, and `impact --live` answers.

Each function gets SQL expressions and returns one.
"""

from kafka_census.declarations.releases import from_release

TOPIC_SOURCE = 1
"""DescribeConfigsResponse.ConfigSource of a value that is set on the topic."""

CAPS_SINCE = "3.7"
"""From this release on a leader caps min.insync.replicas at the number of replicas."""

FETCH_TIMEOUT_MS = 2000
"""controller.quorum.fetch.timeout.ms, by default."""


def topics_own(topic_source: str, leader_value: str) -> str:
    """Whether the value that a topic is reported with counts: it is set on the topic, or its leader's is not known."""
    return f"({topic_source} = {TOPIC_SOURCE} OR {leader_value} IS NULL)"


def effective_min_isr(raw: str, replicas: str, release: str) -> str:
    """What a leader enforces: the raw minimum, capped at the replicas where its release does so; or null."""
    caps = f"{release} IN ({', '.join(repr(each) for each in sorted(from_release(CAPS_SINCE)))})"
    capped = f"CASE WHEN {caps} THEN {replicas} WHEN NOT {caps} THEN {raw} END"
    return f"CASE WHEN {raw} <= {replicas} THEN {raw} WHEN {raw} > {replicas} THEN {capped} END"


def caught_up(lag_ms: str, log_end: str, high_watermark: str) -> str:
    """Whether a replica of the metadata log has all that is committed; null where its leader has not heard of it."""
    return (
        f"CASE WHEN coalesce({lag_ms} <= {FETCH_TIMEOUT_MS}, FALSE) THEN TRUE "
        f"WHEN {log_end} IS NOT NULL AND {high_watermark} IS NOT NULL THEN {log_end} >= {high_watermark} END"
    )
