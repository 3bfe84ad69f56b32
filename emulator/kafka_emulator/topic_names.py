"""Valid names of topics, as `org.apache.kafka.common.internals.Topic` checks them."""

import re

_POSSIBLE = re.compile(r"(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}")
_LONGEST = 249


def is_possible(topic: str) -> bool:
    """Whether a topic may have this name; if not, the code is 17."""
    return _POSSIBLE.fullmatch(topic) is not None


def what_is_wrong(topic: str) -> str:
    """Why a topic may not have this name, in Kafka's words."""
    if not topic:
        why = "the empty string is not allowed"
    elif topic in (".", ".."):
        why = f"'{topic}' is not allowed"
    elif len(topic) > _LONGEST:
        why = f"the length of '{topic}' is longer than the max allowed length {_LONGEST}"
    else:
        why = f"'{topic}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"
    return f"Topic name is invalid: {why}"
