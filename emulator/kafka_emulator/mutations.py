"""Frames that no broker writes: a valid frame, changed at random, in the same way for the same seed.

The size in front stays correct, so that the fault is inside: the reader has the whole frame
and must detect the fault. A changed frame may still be valid, with other values.
"""

from collections.abc import Callable
from random import Random

_SIZE, _CORRELATION_ID = 4, 4
_CHANGES_AT_ONCE = (1, 1, 1, 2, 3)
_LONGEST_RUN = 300

_LENGTHS = (
    b"\xff\xff",  # null as a string, and -1
    b"\x7f\xff",
    b"\x80\x00",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\xfb",
    b"\x7f\xff\xff\xff",
    b"\x80\x00\x00\x00",
    b"\x00",  # null as a varint
    b"\xff\xff\xff\xff\x0f",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
)
"""The values that replace a length or a count: null, negative, and larger than the rest of the frame."""


def mutated(frame: bytes, seed: str) -> bytes:
    """A response frame, with its size in front, after one to three changes to its header or body."""
    random, body = Random(seed), frame[_SIZE:]  # noqa: S311 - repeatable, not secret
    changed = body
    for _ in range(random.choice(_CHANGES_AT_ONCE)):
        changed = random.choice(_CHANGES)(changed, random)
    if changed == body:
        changed = body + b"\0"
    return len(changed).to_bytes(_SIZE) + changed


def _flip_bits(body: bytes, random: Random) -> bytes:
    flipped = bytearray(body)
    for _ in range(random.randint(1, 8) if body else 0):
        flipped[random.randrange(len(body))] ^= 1 << random.randrange(8)
    return bytes(flipped)


def _replace_bytes(body: bytes, random: Random) -> bytes:
    start, end = _region(body, random)
    return body[:start] + random.randbytes(end - start) + body[end:]


def _insert_bytes(body: bytes, random: Random) -> bytes:
    start, count = random.randint(0, len(body)), random.randint(1, 16)
    return body[:start] + random.randbytes(count) + body[start:]


def _insert_a_run(body: bytes, random: Random) -> bytes:
    """Insert one byte repeatedly: a run of 0xff is also a varint that does not end."""
    start, run = random.randint(0, len(body)), random.randint(1, _LONGEST_RUN)
    return body[:start] + random.choice((b"\xff", b"\x80", b"\0")) * run + body[start:]


def _delete_bytes(body: bytes, random: Random) -> bytes:
    start, end = _region(body, random)
    return body[:start] + body[end:]


def _change_a_length(body: bytes, random: Random) -> bytes:
    """Replace what may be a length: the bytes from a zero byte on."""
    zeros = [position for position, byte in enumerate(body) if not byte and position >= _CORRELATION_ID]
    start, length = random.choice(zeros or [0]), random.choice(_LENGTHS)
    return body[:start] + length + body[start + len(length) :]


def _cut_the_tail(body: bytes, random: Random) -> bytes:
    return body[: random.randint(0, max(0, len(body) - 1))]


def _swap_regions(body: bytes, random: Random) -> bytes:
    first, second, third, fourth = sorted(random.randint(0, len(body)) for _ in range(4))
    return body[:first] + body[third:fourth] + body[second:third] + body[first:second] + body[fourth:]


def _change_correlation_id(body: bytes, random: Random) -> bytes:
    return random.randbytes(_CORRELATION_ID) + body[_CORRELATION_ID:]


def _insert_tags(body: bytes, random: Random) -> bytes:
    """Insert tagged fields of no schema, in place of a byte that may stand for "no tagged fields"."""
    zeros = [position for position, byte in enumerate(body) if not byte]
    start, count = random.choice(zeros or [len(body)]), random.randint(1, 5)
    tags = b"".join(bytes([random.randrange(128), size]) + random.randbytes(size) for size in range(count))
    return body[:start] + bytes([count]) + tags + body[start + 1 :]


_CHANGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flip_bits,
    _replace_bytes,
    _insert_bytes,
    _insert_a_run,
    _delete_bytes,
    _change_a_length,
    _cut_the_tail,
    _swap_regions,
    _change_correlation_id,
    _insert_tags,
)


def _region(body: bytes, random: Random) -> tuple[int, int]:
    """Start and end of a random region of up to 16 bytes."""
    start = random.randint(0, max(0, len(body) - 1))
    return start, min(len(body), start + random.randint(1, 16))
