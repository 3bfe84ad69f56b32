"""Java's hashCode of a column against Spark's own hash(), on 4,000,000 group ids of 24 characters.

Twice: as jobs run (without generated code), and with Spark's whole-stage code, which a UDF
cannot be part of. An Arrow UDF that returns what it got shows what any UDF pays for the way
to Python and back.
"""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import arrow_udf

from benchmarks.common import best, session, table
from kafka_census.tables.shared.java_hash import java_hash, java_hash_sql

ROWS = 4_000_000
SQL_ROWS = 200_000


def main() -> None:
    """Rows a second of each form, and the share of Spark's murmur3."""
    spark = session()
    ids = spark.range(ROWS).select(F.format_string("consumer-group-%09d", "id").alias("group_id")).cache()
    few = ids.limit(SQL_ROWS).cache()
    print(f"{ids.count() + few.count():,} rows cached")

    def rate(frame: Any, column: Column, rows: int) -> float:
        seconds, _ = best(lambda: frame.select(F.sum(column.cast("long"))).collect(), 3)
        return rows / seconds

    for title, generated in (("as jobs run", False), ("with whole-stage code", True)):
        spark.conf.set("spark.sql.codegen.wholeStage", str(generated).lower())
        spark.conf.set("spark.sql.codegen.factoryMode", "FALLBACK" if generated else "NO_CODEGEN")
        group_id = F.col("group_id")
        forms = (
            ("Spark hash() (murmur3)", rate(ids, F.hash(group_id), ROWS)),
            ("java_hash, Arrow UDF (aim 0.4)", rate(ids, java_hash(group_id), ROWS)),
            ("an Arrow UDF that does next to nothing", rate(ids, _lengths()(group_id), ROWS)),
            ("java_hash_sql", rate(few, F.expr(java_hash_sql("group_id")), SQL_ROWS)),
        )
        murmur = forms[0][1]
        rows = [[form, int(each), each / murmur] for form, each in forms]
        table(
            f"Hash of {ROWS:,} group ids of 24 characters, two cores, {title}",
            ["form", "rows/s", "against hash()"],
            rows,
        )


def _lengths() -> Any:
    """The least that a UDF of strings can do."""

    def lengths(text: pa.Array) -> pa.Array:
        return pc.binary_length(text)

    make: Any = arrow_udf
    return make(lengths, "int")
