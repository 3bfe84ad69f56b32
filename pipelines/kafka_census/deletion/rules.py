"""When a group may be deleted, as frozen values."""

import re
from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class DeletionRules:
    """The fields of `deletion` in the configuration.

    empty_for      for how long a group must have been empty, its offsets unmoved
    censuses       in how many complete censuses, at least
    protect        patterns of group ids that are never deleted: * is anything, ? one character
    expires_after  age of its last census at which a plan can no longer be applied
    max_deletes    groups that a plan deletes at most, all runs together
    """

    empty_for: timedelta
    censuses: int
    protect: tuple[str, ...]
    expires_after: timedelta
    max_deletes: int


def protecting(pattern: str) -> str:
    """A pattern of `protect` as a regular expression for all of a group id."""
    parts = (".*" if each == "*" else "." if each == "?" else re.escape(each) for each in pattern)
    return rf"\A(?s:{''.join(parts)})\z"
