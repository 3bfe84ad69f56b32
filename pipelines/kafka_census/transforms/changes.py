"""Changes since the previously published census, by the SQL of `comparison` in Spark."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.comparison.not_read import not_read
from kafka_census.comparison.query import Comparison, query
from kafka_census.comparison.subjects import SUBJECTS
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.changes import CHANGES, COMPARED, COMPARED_IF_THERE
from kafka_census.transforms.transform import Earlier, Transform


def changes(
    *,
    ids: tuple[str, str],
    earlier: Mapping[str, Earlier],
    lacking: Mapping[str, Sequence[MissingRead]],
    missing: Sequence[MissingRead],  # noqa: ARG001 - `lacking` holds them by table, with what listings may have hidden
    **tables: DataFrame,
) -> DataFrame:
    """One row per change; no rows where `earlier` is empty. Columns: those of `CHANGES`.

    ids      the ids of this census and its cluster
    tables   the rows of this census, by table name
    lacking  the missing answers of each table, by table name
    """
    compared = [subject for subject in SUBJECTS if subject.table in earlier]
    comparisons = [
        Comparison(
            subject,
            earlier[subject.table].census_id,
            before=not_read(subject, earlier[subject.table].lacking),
            after=not_read(subject, lacking.get(subject.table, ())),
        )
        for subject in compared
    ]
    frames: dict[str, Any] = {f"after_{one.table}": tables[one.table] for one in compared}
    frames |= {f"before_{one.table}": earlier[one.table].rows for one in compared}
    census_id, cluster_id = ids
    spark = next(iter(tables.values())).sparkSession
    found = spark.sql(query(comparisons), **frames)
    return found.withColumns({"census_id": F.lit(census_id), "cluster_id": F.lit(cluster_id)}).select(
        *CHANGES.computed.names
    )


CHANGES_TRANSFORM = Transform(
    CHANGES, changes, {table.name: table for table in (*COMPARED, *COMPARED_IF_THERE)}, compares=True
)
