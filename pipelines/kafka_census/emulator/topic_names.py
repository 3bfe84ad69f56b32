"""Which names a topic may have, as `org.apache.kafka.common.internals.Topic` validates them."""

import re

_POSSIBLE = re.compile(r"(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}")


def is_possible(topic: str) -> bool:
    """Whether a topic may have this name at all; if not, the code is 17."""
    return _POSSIBLE.fullmatch(topic) is not None
