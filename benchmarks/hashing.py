"""Java's hashCode of a column against Spark's own hash(), on 4,000,000 group ids of 24 characters."""

from pyspark.sql import functions as F

from benchmarks.common import best, session, table
from kafka_census.transforms.java_hash import java_hash, java_hash_sql

ROWS = 4_000_000
SQL_ROWS = 200_000


def main() -> None:
    """Rows a second of the Arrow UDF, of the SQL form and of Spark's murmur3."""
    spark = session()
    ids = spark.range(ROWS).select(F.format_string("consumer-group-%09d", "id").alias("group_id")).cache()
    few = ids.limit(SQL_ROWS).cache()
    counted = ids.count() and few.count()

    def rate(frame: object, column: object, rows: int) -> float:
        seconds, _ = best(lambda: frame.select(F.sum(column.cast("long"))).collect(), 3)  # type: ignore[attr-defined]
        return rows / seconds

    murmur = rate(ids, F.hash("group_id"), ROWS)
    arrow = rate(ids, java_hash(F.col("group_id")), ROWS)
    sql = rate(few, F.expr(java_hash_sql("group_id")), SQL_ROWS)
    table(
        f"Hash of {ROWS:,} group ids of 24 characters, two cores ({counted and 'cached'})",
        ["form", "rows/s", "against hash()"],
        [
            ["Spark hash() (murmur3)", int(murmur), 1.0],
            ["java_hash, Arrow UDF (aim 0.4)", int(arrow), arrow / murmur],
            ["java_hash_sql", int(sql), sql / murmur],
        ],
    )
