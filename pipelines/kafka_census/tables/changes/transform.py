"""Changes since the previously published census, by the SQL of `comparison` in Spark."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.comparison.not_read import not_read
from kafka_census.comparison.query import Comparison, LeftOut, query
from kafka_census.comparison.subjects import SUBJECTS
from kafka_census.declarations.transform import Earlier, Transform
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.changes.columns import CHANGES, COMPARED, COMPARED_IF_THERE


def changes(
    *,
    ids: tuple[str, str],
    earlier: Mapping[str, Earlier],
    lacking: Mapping[str, Sequence[MissingRead]],
    missing: Sequence[MissingRead],  # noqa: ARG001 - `lacking` holds them by table, with what listings may have hidden
    **tables: DataFrame,
) -> DataFrame:
    """One row per change, and per subject whose table only one of the censuses has. Columns: those of `CHANGES`.

    There are no rows where `earlier` is empty: this is the first census.

    ids      the ids of this census and its cluster
    tables   the rows of this census, by table name
    earlier  the tables of the census before, also those that this census lacks
    lacking  the missing answers of each table, by table name
    """
    compared = [subject for subject in SUBJECTS if subject.table in earlier and subject.table in tables]
    last = max((one.census_id for one in earlier.values()), default="")
    left_out = [
        LeftOut(subject, last, "after" if subject.table in tables else "before")
        for subject in SUBJECTS
        if last and (subject.table in tables) != (subject.table in earlier)
    ]
    comparisons = [
        Comparison(
            subject,
            earlier[subject.table].census_id,
            before=not_read(subject, earlier[subject.table].lacking),
            after=not_read(subject, lacking.get(subject.table, ())),
        )
        for subject in compared
    ]
    names = {one.table for one in (*compared, *(left.subject for left in left_out))}
    frames: dict[str, Any] = {f"after_{name}": tables[name] for name in names if name in tables}
    frames |= {f"before_{name}": earlier[name].rows for name in names if name in earlier}
    census_id, cluster_id = ids
    spark = next(iter(tables.values())).sparkSession
    found = spark.sql(query(comparisons, left_out), **frames)
    return found.withColumns({"census_id": F.lit(census_id), "cluster_id": F.lit(cluster_id)}).select(
        *CHANGES.computed.names
    )


CHANGES_TRANSFORM = Transform(
    CHANGES, changes, {table.name: table for table in (*COMPARED, *COMPARED_IF_THERE)}, compares=True
)
