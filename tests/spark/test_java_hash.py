"""Both forms of the hash equal the JVM's, for every string."""

import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas import functions

from harness import oracle
from kafka_census.tables.shared.arrow_function import arrow_function
from kafka_census.tables.shared.java_hash import hash_codes, java_hash, java_hash_sql, offsets_partition
from kafka_emulator.arithmetic import java_hash as by_definition

KNOWN = {"": 0, "a": 97, "polygenelubricants": -(2**31), "é": 233, "😀": 1772899, "Aa": 2112, "BB": 2112}
MALFORMED = [b"\xed\xa0\x80", "😀".encode()[:2], "😀".encode()[2:]]
"""A lone surrogate, and halves of a character, which lie end to end in Arrow and are not one."""

STRINGS = 40_000


ALPHABETS = (
    "abcxyz-._0189",
    "aé€😀\U0010ffff\x00\x7f\x80\u07ff\u0800\ud7ff\ue000",
    "".join(map(chr, (*range(0, 0xD800, 7), *range(0xE000, 0x110000, 77)))),
)
"""Characters of a typical group id, of all widths, and of any plane."""
BYTES = b"\xed\xa0\x80\xbf\xf0\x9f\x90\xf4\xf5\xe0\xc0\xc2\x41\x8f\xe2\x82"


def said_by_jvm(texts: Sequence[bytes]) -> list[int]:
    """`new String(bytes, UTF_8).hashCode()` of each."""
    lines = "".join(f"{text.hex()}\n" for text in texts)
    command = oracle.java_program(Path(oracle.__file__).with_name("JavaHash.java"))
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [int(line) for line in done.stdout.splitlines()]


def random_text(chance: random.Random) -> bytes:
    """UTF-8 of characters of one alphabet, malformed bytes, or any bytes."""
    alphabet = chance.choice((*ALPHABETS, BYTES, None))
    size = chance.randrange(30)
    if isinstance(alphabet, str):
        return "".join(chance.choices(alphabet, k=size)).encode()
    return bytes(chance.choices(alphabet, k=size)) if alphabet else chance.randbytes(size)


def test_both_forms_are_the_jvms_on_random_strings(spark: SparkSession) -> None:
    """40,000 strings, including malformed ones: neither form ever differs from the JVM's answer."""
    chance = random.Random(31)
    texts = [text.encode() for text in KNOWN] + MALFORMED + [random_text(chance) for _ in range(STRINGS)]
    frame = spark.createDataFrame([(text,) for text in (*texts, None)], "utf8 BINARY").select(
        "utf8", F.col("utf8").cast("string").alias("text")
    )
    *ours, null = frame.select("utf8", java_hash(F.col("text")), F.expr(java_hash_sql("text"))).collect()
    jvm = dict(zip(texts, said_by_jvm(texts), strict=True))
    assert len(ours) == len(texts)
    assert [row for row in ours if not row[1] == row[2] == jvm[bytes(row[0])]] == []
    assert {text: jvm[text.encode()] for text in KNOWN} == KNOWN
    assert tuple(null) == (None, None, None)


def test_spark_without_arrow_udfs_gives_the_same(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark 4.0 has pandas UDFs only, in which nulls are NaN: for strings, integers and fractions."""
    monkeypatch.delattr(functions, "arrow_udf")
    texts = spark.createDataFrame([(0, None), *enumerate(KNOWN, 1)], "id INT, text STRING").coalesce(1)
    rows = texts.select("id", java_hash(F.col("text"))).collect()
    assert sorted(tuple(row) for row in rows) == [(0, None), *enumerate(KNOWN.values(), 1)]
    assert texts.where("id = 0").select(java_hash(F.col("text"))).collect() == [(None,)]
    tail = arrow_function(added, (pa.float64(), pa.int32()), "double")
    pairs = spark.createDataFrame([(1.5, 3), (None, None), (2.5, None)], "x DOUBLE, k INT").coalesce(1)
    assert [row[0] for row in pairs.select(tail("x", "k")).collect()] == [4.5, None, None]


def added(x: pa.Array, k: pa.Array) -> pa.Array:
    assert (x.type, k.type) == (pa.float64(), pa.int32())
    return pc.add(x, k)


@given(st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]))), st.integers(0, 5), st.booleans())
def test_every_array_is_hashed_by_definition(texts: list[str | None], start: int, large: bool) -> None:
    """Any strings, including nulls and empty ones; also slices of an array and 64-bit offsets."""
    array = pa.array(texts, pa.large_string() if large else pa.string()).slice(start)
    assert hash_codes(array).to_pylist() == [None if text is None else by_definition(text) for text in texts[start:]]


def test_a_byte_that_is_malformed_alone_is_replaced() -> None:
    """0x80 is the least byte that is not ASCII."""
    assert hash_codes(pa.array([b"a\x80"]).view(pa.string())).to_pylist() == [by_definition("a\ufffd")]


def test_partition_is_kafkas_absolute_value_modulo(spark: SparkSession) -> None:
    """Utils.abs of the smallest int is 0 (not 2^31, not a bit mask); without partitions the result is null."""
    smallest, largest = -(2**31), 2**31 - 1
    hashes = [
        (smallest, 50, 0),
        (largest, 50, 47),
        (-1, 50, 1),
        (-51, 50, 1),
        (0, 50, 0),
        (7, 0, None),
        (7, None, None),
    ]
    frame = spark.createDataFrame(hashes, "hash INT, partitions INT, expected INT")
    rows = frame.select(offsets_partition(F.col("hash"), F.col("partitions")).alias("actual"), "expected").collect()
    assert [row.actual for row in rows] == [row.expected for row in rows]
