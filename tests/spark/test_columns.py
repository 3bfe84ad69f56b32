"""A frame gets the columns of a schema, and its own columns stay as they are."""

from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, IntegerType, StringType, StructField, StructType

from kafka_census.declarations.table import Table
from kafka_census.lake import store, table_writer
from kafka_census.lake.columns import with_columns_of
from kafka_census.lake.lake import Lake

REPLICAS = StructField("replicas", ArrayType(IntegerType(), containsNull=False), metadata={"comment": "Its brokers."})
ITEMS = ArrayType(StructType([REPLICAS]), containsNull=False)
SCHEMA = StructType(
    [
        StructField("name", StringType(), metadata={"comment": "Its name."}),
        StructField("items", ITEMS, metadata={"comment": "What it has."}),
        StructField("others", ITEMS, metadata={"comment": "What it lacks."}),
    ]
)
TABLE = Table(name="nested", layer="audit", comment="-", schema=SCHEMA, key=("name",), may_lack=("others",))
ROW = ("a", [([1, 2],)])


def test_missing_columns_are_null_and_have_their_types_and_comments_where_wanted(spark: SparkSession) -> None:
    frame = spark.createDataFrame([ROW], StructType(SCHEMA.fields[:2])).select("items", "name")
    whole = with_columns_of(frame, SCHEMA, commented=False)
    assert whole.schema.simpleString() == SCHEMA.simpleString()
    assert whole.schema["others"].metadata == {}
    [row] = whole.collect()
    assert (row.name, row.items[0].replicas, row.others) == ("a", [1, 2], None)
    assert with_columns_of(frame.select("name"), SCHEMA, commented=True).schema == SCHEMA


def test_a_write_does_not_build_lists_again(spark: SparkSession, tmp_path: Path) -> None:
    lake, built = Lake(root=str(tmp_path)), "transform("
    frame = spark.createDataFrame([ROW], StructType(SCHEMA.fields[:2]))
    assert built in frame.to(SCHEMA)._jdf.queryExecution().toString()  # as Spark's own way does
    for new in (True, False):
        ordered = table_writer._ordered(frame, lake, TABLE, new=new)
        assert built not in ordered._jdf.queryExecution().toString()
        store.append(frame, lake, TABLE, f"write/{new}")
    rows = store.read(spark, lake, TABLE).select("name", F.col("items").getItem(0)["replicas"], "others").collect()
    assert [tuple(row) for row in rows] == [("a", [1, 2], None)] * 2
