"""Owners from a table of the lake that the operator keeps, such as an export of a service catalog.

`owners_table: NAME` is `<root>/operator/NAME`, a Delta table, or `operator_NAME` in the lake's catalog. A row is one
pattern, with the columns of a CSV file of owners (`config.owners`) and `position`, a number: rows have no order of
their own, and the first pattern that matches counts.
"""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.config.owners import FREE, REQUIRED, of_rows
from kafka_census.declarations.owners import Owner
from kafka_census.errors import ConfigError
from kafka_census.lake import store
from kafka_census.lake.lake import Lake

LAYER, POSITION = "operator", "position"
MOST = 20_000
"""Rows: the driver reads them, and each row of a published table is compared with every prefix."""


def owners_in(spark: SparkSession, lake: Lake, name: str) -> tuple[Owner, ...]:
    """The table's entries by position. Raises ConfigError, and CorruptLake where the table is damaged."""
    where = f"owners_table: {lake.name(LAYER, name)}"
    frame = store.found(spark, lake, LAYER, name)
    if frame is None:
        raise ConfigError(f"{where} does not exist: write it, or take owners or owners_file")
    lacks = sorted({*REQUIRED, POSITION} - {*frame.columns})
    if lacks:
        raise ConfigError(f"{where} has no column {lacks[0]}; needed are {', '.join(sorted(REQUIRED))} and {POSITION}")
    texts = [F.col(name).cast("string") for name in frame.columns if name in REQUIRED | FREE]
    rows = frame.orderBy(POSITION, "kind", "pattern").select(POSITION, *texts).limit(MOST + 1).collect()
    if len(rows) > MOST:
        raise ConfigError(f"{where} has more than {MOST:,} rows: take prefixes that end in * for names alike")
    return of_rows((f"{where}, {POSITION} {row[POSITION]}", row.asDict()) for row in rows)
