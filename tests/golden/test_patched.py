"""Our classes with the draft's fields are kafka-python's, byte for byte, at every version that those have."""

from typing import Any

import pytest

from golden.kept import Frame, codec, load, original
from golden.used import drafts

PATCHED = [name + kind for name in drafts() for kind in ("Request", "Response") if original(name + kind)]
FRAMES = [frame for frame in load() if frame.message in PATCHED]


def _handed_over(message: Any, to: Any, version: int) -> Any:
    """The same message as an object of the other class."""
    fields = {name: getattr(message, name) for name, field in to.fields.items() if field.for_version_q(version)}
    return to(version=version, **fields)


@pytest.mark.parametrize("frame", FRAMES, ids=str)
def test_what_one_reads_the_other_writes(frame: Frame) -> None:
    """Both read the same values of Kafka's frame; each writes what the other has read."""
    ours, theirs = codec(frame.message), original(frame.message)
    assert ours is not theirs
    read, known = (one.decode(frame.bytes, version=frame.version, header=True) for one in (ours, theirs))
    assert read.to_dict(json=False) == known.to_dict(json=False)
    assert _handed_over(read, theirs, frame.version).encode() == known.encode()
    assert _handed_over(known, ours, frame.version).encode() == read.encode()


@pytest.mark.parametrize("message", PATCHED)
def test_their_defaults_are_the_same(message: str) -> None:
    """At every version, those among them that Kafka's classes no longer have."""
    ours, theirs = codec(message), original(message)
    for version in range(theirs.max_version + 1):
        assert ours(version=version).encode() == theirs(version=version).encode()
