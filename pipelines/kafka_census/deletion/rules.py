"""When a group may be deleted, as frozen values."""

import re
from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class DeletionRules:
    """The fields of `deletion` in the configuration.

    empty_for      how long a group must have been empty, with unchanged offsets
    censuses       the smallest number of complete censuses that must show it
    protect        patterns of group ids that are never deleted: * matches any text, ? one character
    expires_after  age of a plan's last census at which the plan can no longer be applied
    max_deletes    the largest number of groups that a plan deletes, over all runs
    """

    empty_for: timedelta
    censuses: int
    protect: tuple[str, ...]
    expires_after: timedelta
    max_deletes: int


def protecting(pattern: str) -> str:
    """A pattern of `protect` as a regular expression for a whole group id."""
    parts = (".*" if each == "*" else "." if each == "?" else re.escape(each) for each in pattern)
    return rf"\A(?s:{''.join(parts)})\z"
