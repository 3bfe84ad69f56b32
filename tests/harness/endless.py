"""Brokers whose listing never ends: each page has a next cursor, which was never used before.

`StandIn({ListGroupsRequest: endless_groups(items=False)}, features={PAGINATION: 1})`
"""

from typing import Any

from harness.responses import listed_groups
from harness.standin import Script
from kafka_messages.kip_1062 import ListGroupsResponse


def endless_groups(*, items: bool, every: int = 0) -> Script:
    """ListGroups in pages: one group per page with `items`, otherwise no group except on every nth page (`every`)."""

    def answer(request: Any, _n: int) -> Any:
        number = int(request.cursor.group_id) if request.cursor else 0
        full = items or (every and number % every == every - 1)
        here = [f"{number:09d}"] if full else []
        return listed_groups(*here, next_cursor=ListGroupsResponse.Cursor(group_id=f"{number + 1:09d}"))

    return answer
