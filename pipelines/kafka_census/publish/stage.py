"""Compute the tables of a census from its landed pages, and stage them to be judged.

Staging again replaces the census's staged rows, so a step that was cut off is simply
repeated. Nothing here asks Kafka anything.
"""

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from kafka_census.census import Census
from kafka_census.progress import Progress, timed
from kafka_census.publish.publications import census_before
from kafka_census.quality.census_pages import CensusPages, walks_of
from kafka_census.quality.page_chain import Walk
from kafka_census.tables import store
from kafka_census.tables.lake import Lake
from kafka_census.tables.rows import local_frame
from kafka_census.tables.table import Table
from kafka_census.transforms import TRANSFORMS

_GAP = StructType(
    [
        StructField("rpc", StringType()),
        StructField("scope", StringType()),
        StructField("node_id", IntegerType()),
        StructField("error", StringType()),
        StructField("error_message", StringType()),
    ]
)


def stage(spark: SparkSession, lake: Lake, census: Census, tables: tuple[Table, ...], progress: Progress) -> None:
    """Compute each table and replace its staged rows of this census. Raises CorruptLake when pages are missing."""
    landed = look(spark, lake, census.census_id, tables)
    for table in tables:
        with timed(progress, "staged", table=table.name):
            frame = compute(spark, lake, table, census.census_id, census.cluster_id, landed)
            store.replace_census(frame, lake, store.staged(table), census.census_id)


@dataclass(frozen=True)
class Looked:
    """What a look at the headers of the landed pages tells the transforms.

    gaps     what is missing among the pages, each (broker, error) once
    retried  walks of which a page was asked again
    """

    gaps: DataFrame
    retried: frozenset[Walk]


def look(spark: SparkSession, lake: Lake, census_id: str, tables: tuple[Table, ...]) -> Looked:
    """Look at the pages that these tables read."""
    census_pages, walks = CensusPages(spark, lake, census_id), walks_of(tables)
    headers = census_pages.headers(walks)
    found = dict.fromkeys(defect.gap for defect in census_pages.defects(walks, headers))
    retried = frozenset(header.walk for header in headers if header.try_no)
    return Looked(local_frame(spark, list(found), _GAP), retried)


def compute(
    spark: SparkSession, lake: Lake, table: Table, census_id: str, cluster_id: str, landed: Looked | None = None
) -> DataFrame:
    """One table of one census, from its landed pages and, where it compares, the census published before."""
    landed = landed or look(spark, lake, census_id, (table,))
    census_pages = CensusPages(spark, lake, census_id)
    transform = next(transform for transform in TRANSFORMS if transform.table.name == table.name)
    roles = {role: census_pages.items(*walk, retried=walk in landed.retried) for role, walk in transform.inputs.items()}
    roles["gaps"] = landed.gaps
    if transform.previous:
        roles["previous"] = _previous(spark, lake, table, cluster_id, census_id)
    return transform.function(**roles)


def _previous(spark: SparkSession, lake: Lake, table: Table, cluster_id: str, census_id: str) -> DataFrame:
    """The rows of the census published before this one; none of them on the first."""
    before = census_before(spark, lake, table.name, cluster_id, census_id)
    if before is None:
        return local_frame(spark, [], table.schema)
    rows = store.read(spark, lake, table)
    return rows.where((F.col("census_id") == before) & (F.col("cluster_id") == cluster_id))
