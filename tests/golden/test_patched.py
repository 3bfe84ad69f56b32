"""Our classes with the draft's fields have the defaults of kafka-python's, at every version that those have."""

import pytest

from golden.kept import codec, original
from golden.used import drafts

PATCHED = [name + kind for name in drafts() for kind in ("Request", "Response") if original(name + kind)]


@pytest.mark.parametrize("message", PATCHED)
def test_their_defaults_are_the_same(message: str) -> None:
    """At every version, those among them that Kafka's classes no longer have."""
    ours, theirs = codec(message), original(message)
    for version in range(theirs.max_version + 1):
        assert ours(version=version).encode() == theirs(version=version).encode()
