"""Publish a census that passed the gate: one commit to `publications` makes its staged rows visible.

Readers resolve through `publications`, so rows are not seen before that commit, and are seen in all tables at once
after it. A census that was refused, or that crashed before the commit, leaves the last published census as it was.
"""

from datetime import datetime

from pyspark.sql import SparkSession

from kafka_census.census.gate.gate import Judgement
from kafka_census.census.gate.written import digest
from kafka_census.clock import Clock
from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS, REFUSALS
from kafka_census.declarations.census import Census
from kafka_census.errors import Refused
from kafka_census.errors.one_line import one_line
from kafka_census.lake import store
from kafka_census.lake.cluster_key import require_own
from kafka_census.lake.lake import Lake
from kafka_census.lake.publications import standing
from kafka_census.lake.rows import local_frame
from kafka_census.terminal.progress import Progress, timed

MOST_FILES = 50
"""Of `publications`, one file per census: readers open all files, so this many files are compacted into one."""

COMPACTED = (PUBLICATIONS, CENSUS_RUNS)
"""Audit tables that `current_*` and every job read whole. The others are read by census; minima prune their files."""


def promote(
    spark: SparkSession,
    lake: Lake,
    census: Census,
    judgement: Judgement,
    progress: Progress,
    former_names: tuple[str, ...] = (),
) -> None:
    """Publish all tables of a judgement, or none. A census that is already published stays unchanged.

    former_names  other names under which censuses of this cluster were published

    Raises Refused, with the first reason and the number of others, when the judgement refuses, and WrongCluster where
    another job has published the same cluster id under another name meanwhile.
    """
    if judgement.outcome == "refuse":
        more = f" (and {len(judgement.refusals) - 1} more)" if len(judgement.refusals) > 1 else ""
        raise Refused(f"refused: {judgement.refusals[0]}{more}")
    found = standing(spark, lake, census, former_names)
    if found.published:
        progress("already_published", census_id=census.census_id)
        return
    require_own(census.cluster_id, (census.cluster, *former_names), found.others)
    with timed(progress, "published", tables=len(judgement.tables)):
        rows = local_frame(spark, _rows(census, judgement, Clock().now()), PUBLICATIONS.schema)
        store.append(rows, lake, PUBLICATIONS, f"{census.census_id}/publications")
    if found.files >= MOST_FILES:
        _compact(spark, lake, progress)


def _compact(spark: SparkSession, lake: Lake, progress: Progress) -> None:
    """Compact the audit tables that readers read completely. The census is published even if compaction fails."""
    for table in COMPACTED:
        try:
            with timed(progress, "optimized", table=table.folder):
                store.commit(spark, lake, table, f"OPTIMIZE {lake.name_of(table)}")
        except Exception as error:  # noqa: BLE001 - reported; the next publication tries again
            progress("not_optimized", table=table.folder, error=one_line(error, str))


def write_refusal(spark: SparkSession, lake: Lake, census: Census, judgement: Judgement) -> None:
    """Record a judgement that refuses, for readers who look at what is not published. Raises CorruptLake."""
    rows = local_frame(spark, _rows(census, judgement, Clock().now()), REFUSALS.schema)
    store.append(rows, lake, REFUSALS, f"{census.census_id}/refusals/{digest(judgement.verdicts)}")


def _rows(census: Census, judgement: Judgement, now: datetime) -> list[tuple[object, ...]]:
    ids = (census.census_id, census.cluster_id, census.cluster)
    return [(*ids, *judged.row, now) for judged in judgement.tables]
