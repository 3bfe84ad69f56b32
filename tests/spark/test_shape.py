"""The differences that make a table an older release's, and those that make it another table."""

import pytest
from pyspark.sql.types import StructType

from kafka_census.lake.shape import difference

pytestmark = pytest.mark.usefixtures("spark")  # it reads DDL

WANTED = "census_id STRING, n INT, items ARRAY<STRUCT<x: STRING, y: INT, l: ARRAY<INT>>>"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (WANTED, ()),
        ("census_id STRING, n INT", ("column items is missing",)),
        ("census_id STRING, n INT, items ARRAY<STRUCT<x: STRING, l: ARRAY<INT>>>", ("column items.y is missing",)),
        (WANTED.replace("n INT", "n BIGINT"), ("column n is bigint, not int",)),
        (WANTED.replace("l: ARRAY<INT>", "l: INT"), ("column items.l is int, not array<int>",)),
        (WANTED.replace("l: ARRAY<INT>", "l: ARRAY<DATE>"), ("column items.l is date, not int",)),
        (f"{WANTED}, more INT", ("column more is unknown",)),
        (WANTED.replace("y: INT", "y: INT, z: INT"), ("column items.z is unknown",)),
        (WANTED.replace("x: STRING, y: INT", "y: INT, x: STRING"), ("the columns of items are in another order",)),
        (WANTED.replace("census_id STRING, n INT", "n INT, census_id STRING"), ("the columns are in another order",)),
        ("census_id STRING, m INT", ("column n is missing", "column items is missing", "column m is unknown")),
    ],
)
def test_differences_in_words(found: str, said: tuple[str, ...]) -> None:
    """The order of columns counts only where it is asked for, that within a list always."""
    is_, wanted = StructType.fromDDL(found), StructType.fromDDL(WANTED)
    assert difference(is_, wanted, ordered=True).phrases == said
    unordered = tuple(one for one in said if one != "the columns are in another order")
    assert difference(is_, wanted, ordered=False).phrases == unordered
