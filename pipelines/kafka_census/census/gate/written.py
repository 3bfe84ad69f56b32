"""The verdicts of a judgement as rows of `audit/verdicts`."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from pyspark.sql import SparkSession

from kafka_census.census.gate.verdict import Verdict
from kafka_census.declarations.audit import VERDICTS
from kafka_census.declarations.census import Census
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame


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
