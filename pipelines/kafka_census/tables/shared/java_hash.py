"""Java's `String.hashCode` of a column, and the partition Kafka derives from it.

Kafka places a group on partition `Utils.abs(groupId.hashCode()) % n` of
`__consumer_offsets` (GroupCoordinatorService.partitionFor), and hashCode runs over
UTF-16 units: sum of unit[i] * 31^(length-1-i), wrapped to 32 bits. Two forms, equal
for every string, null for null:

    frame.select(java_hash(F.col("group_id")))                              # a vectorised UDF
    spark.sql(f"SELECT {java_hash_sql('group_id')} FROM group_ids")         # built-in SQL functions only

Spark strings are UTF-8 bytes, so a lone surrogate exists in them only as malformed
bytes (ED A0 80). Both forms hash what the JVM reads from such bytes, U+FFFD; a Kafka
broker does the same, so its group ids never hold a lone surrogate.
"""

import codecs
import re
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_census.tables.shared.arrow_function import arrow_function

NOT_APPLICABLE = "the formula does not apply: Redpanda places ids by a hash of its own"

_INVERSE_OF_31 = pow(31, -1, 2**32)
_NOT_ASCII, _CONTINUATION, _CONTINUATION_MASK, _FOUR_BYTES = 0x80, 0x80, 0xC0, 0xF0  # marks of a byte of UTF-8
_ENCODED_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")
_UNIT = np.dtype("<u2")


def java_hash(text: Column) -> Column:
    """`String.hashCode` of a string column, INT."""
    return arrow_function(hash_codes, (pa.string(),), "int")(text)


def offsets_partition(hash_code: Column, partitions: Column) -> Column:
    """`Utils.abs(hash_code) % partitions`, INT; null without partitions.

    `Utils.abs` of the smallest int is 0, neither 2^31 nor a bit mask
    (org.apache.kafka.common.utils.Utils): "polygenelubricants" goes to partition 0.
    """
    absolute = F.when(hash_code == F.lit(-(2**31)), F.lit(0)).otherwise(F.abs(hash_code.cast("bigint")))
    return F.when(partitions > 0, absolute % partitions).cast("int")


def formula_applies(cluster_id: Column) -> Column:
    """Whether a cluster's brokers place ids by this hash: Redpanda's do not; its cluster ids begin with `redpanda.`."""
    return ~cluster_id.startswith("redpanda.")


def java_hash_sql(text: str) -> str:
    """`String.hashCode` of a string expression, as a SQL expression of type INT.

    `text` goes into the SQL unchanged. Tens of times slower than the UDF; for users of SQL alone, who can define a
    function: `CREATE TEMPORARY FUNCTION java_hash(s STRING) RETURNS INT RETURN …`.
    """
    units = f"regexp_extract_all(hex(encode({text}, 'UTF-16BE')), '....', 0)"
    # Unsigned 32-bit arithmetic in a BIGINT never overflows (ANSI mode would raise); the sign comes last.
    step = "(h, unit) -> (h * 31 + CAST(conv(unit, 16, 10) AS BIGINT)) % 4294967296"
    signed = "h -> CAST(IF(h > 2147483647, h - 4294967296, h) AS INT)"
    return f"aggregate({units}, 0L, {step}, {signed})"


def hash_codes(text: pa.Array) -> pa.Array:
    """`String.hashCode` of each string of an Arrow array (string or large_string), as int32; null for null.

    One pass over all strings laid end to end. With w[i] = unit[i] * 31^-i modulo 2^32
    (31 is odd, so it has an inverse) and its running sum S, the hash of the units
    from a up to b is (S[b] - S[a]) * 31^(b-1).
    """
    units, ends = _utf16(text)
    size = max(1 << len(units).bit_length(), 1 << 16)
    sums = np.zeros(len(units) + 1, np.uint32)
    np.cumsum(np.multiply(units, _powers(_INVERSE_OF_31, size)[: len(units)], dtype=np.uint32), out=sums[1:])
    # ends[k] is where string k starts and k-1 ends; 31^(b-1) = 31^b * 31^-1, which holds for b = 0 too.
    sums_at, scale = sums[ends], _powers(31, size)[ends[1:]] * np.uint32(_INVERSE_OF_31)
    hashes = ((sums_at[1:] - sums_at[:-1]) * scale).view(np.int32)
    return pa.array(hashes, mask=text.is_null().to_numpy(zero_copy_only=False) if text.null_count else None)


@lru_cache(maxsize=4)
def _powers(base: int, count: int) -> npt.NDArray[np.uint32]:
    """base^0 ... base^(count-1) modulo 2^32; cached, since every batch of a column needs the same powers."""
    factors = np.full(count, base, np.uint32)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint32)


def _utf16(text: pa.Array) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]:
    """The UTF-16 units of all strings laid end to end, and the positions before, between and after the strings."""
    width = np.dtype(np.int64 if pa.types.is_large_string(text.type) else np.int32)
    _, offsets, data = text.buffers()
    if data is None or not len(text):  # Arrow may leave out empty buffers
        return np.zeros(0, np.uint8), np.zeros(len(text) + 1, np.int64)
    # An array may be a slice of its buffers: bytes outside the slice belong to other arrays.
    ends = np.frombuffer(offsets, width, len(text) + 1, text.offset * width.itemsize)
    raw = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]]
    ends = (ends - ends[0]).astype(np.int64)
    if not len(raw) or raw.max() < _NOT_ASCII:  # every byte is a unit
        return raw, ends
    first = (raw & _CONTINUATION_MASK) != _CONTINUATION
    starts = ends[:-1]
    try:
        utf16 = raw.tobytes().decode("utf-8").encode("utf-16-le")
    except UnicodeDecodeError:
        return _utf16_of_malformed(raw.tobytes(), ends)
    if not first[starts[starts < len(raw)]].all():  # two malformed strings that only together are well-formed
        return _utf16_of_malformed(raw.tobytes(), ends)
    # A character is one unit, or two if its UTF-8 takes four bytes; its first byte counts for it.
    units_at = first.astype(np.int64) + (raw >= _FOUR_BYTES)
    return np.frombuffer(utf16, _UNIT), np.append(0, np.cumsum(units_at))[ends]


def _utf16_of_malformed(
    raw: bytes, ends: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]:
    """As `_utf16`, string by string: malformed bytes at the end of one must not swallow the start of the next."""
    texts = [raw[a:b].decode("utf-8", "java").encode("utf-16-le") for a, b in pairwise(ends)]
    units = np.frombuffer(b"".join(texts), _UNIT)
    return units, np.append(0, np.cumsum([len(utf16) // 2 for utf16 in texts]))


def _replace_as_java(error: UnicodeError) -> tuple[str, int]:
    """One U+FFFD where `new String(bytes, UTF_8)` puts one.

    Python and Java both replace each longest start of a character, except that Java
    reads an encoded surrogate, even one cut short, as one character.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    surrogate = _ENCODED_SURROGATE.match(error.object, error.start)
    return "\ufffd", surrogate.end() if surrogate else error.end


codecs.register_error("java", _replace_as_java)
