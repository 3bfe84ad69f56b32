"""A verdict: the result of one rule for one table. Verdicts are written to `audit/verdicts`."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Literal

from pyspark.sql import SparkSession

from kafka_census.declarations.audit import VERDICTS
from kafka_census.declarations.census import Census
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame

Kind = Literal["completeness", "visibility", "time", "expectation"]
Severity = Literal["critical", "warning"]
Result = Literal["pass", "warn", "refuse"]


@dataclass(frozen=True)
class Verdict:
    """One row of `audit/verdicts`, without the census and the time; fields as the table's columns."""

    table_name: str
    rule: str
    kind: Kind
    severity: Severity
    outcome: Result
    checked_rows: int
    failed_rows: int
    failing_keys: tuple[str, ...]
    message: str


def write(spark: SparkSession, lake: Lake, census: Census, verdicts: Sequence[Verdict], judged_at: datetime) -> None:
    """Append all verdicts of one judgement in one commit.

    The same verdicts again add nothing; another judgement of the same census (after a
    resume, or under another policy) adds its own rows, which differ in `judged_at`.
    """
    rows = [
        {
            "census_id": census.census_id,
            "cluster_id": census.cluster_id,
            **asdict(verdict),
            "failing_keys": list(verdict.failing_keys),
            "judged_at": judged_at,
        }
        for verdict in verdicts
    ]
    frame = local_frame(spark, [tuple(row[name] for name in VERDICTS.columns) for row in rows], VERDICTS.schema)
    store.append(frame, lake, VERDICTS, f"{census.census_id}/verdicts/{digest(verdicts)}")


def digest(verdicts: Sequence[Verdict]) -> str:
    """A hash that is the same for the same judgement."""
    return hashlib.sha256(repr(tuple(verdicts)).encode()).hexdigest()[:16]
