"""What ListGroups makes of an answer."""

import pytest

from harness.responses import listed_groups
from unit.rpc.answers import items


@pytest.mark.parametrize(
    ("version", "state", "kind"),
    [(6, "Empty", "classic"), (5, "Empty", "classic"), (4, "Empty", None), (3, None, None), (0, None, None)],
)
def test_list_groups_leaves_null_what_its_version_does_not_say(
    version: int, state: str | None, kind: str | None
) -> None:
    """States come with v4, types with v5; a group may have an empty name."""
    (item,) = items("ListGroups", "groups", listed_groups(""), version)
    assert (item["group_id"], item["group_state"], item["group_type"]) == ("", state, kind)
