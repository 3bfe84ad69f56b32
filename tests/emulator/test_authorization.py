"""What a principal may, name by name and for all names at once."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kafka_emulator.authorization import Access, Operation, Resource
from kafka_emulator.declared_security import AclSection, SecuritySection
from kafka_emulator.names import Run, names

TOPIC, GROUP = Resource.TOPIC, Resource.GROUP
NAMES = names(Run("t-", 12, 2), ["a", "secret"])


def access(*acls: dict[str, Any], **security: Any) -> Access:
    made = [AclSection(**{"resource_type": "TOPIC"} | acl) for acl in acls]
    return Access(SecuritySection(acls=tuple(made), **{"super_users": ()} | security))


def test_everything_is_allowed_without_an_authorizer_or_to_a_super_user() -> None:
    for everything in (access(authorizer=False), access(super_users=("User:ANONYMOUS",))):
        assert everything.allows(Operation.DELETE, GROUP, "g")
        assert everything.visible(Operation.DESCRIBE, TOPIC, NAMES) is NAMES
    assert not access().allows(Operation.DESCRIBE, Resource.CLUSTER)
    assert len(access().visible(Operation.DESCRIBE, TOPIC, NAMES)) == 0


ACLS = st.fixed_dictionaries(
    {
        "operation": st.sampled_from(["ALL", "READ", "WRITE", "DESCRIBE"]),
        "permission": st.sampled_from(["ALLOW", "ALLOW", "DENY"]),
        "resource_name": st.sampled_from(["*", "a", "t-", "t-0", "t-03", "s", "gone"]),
        "pattern_type": st.sampled_from(["LITERAL", "PREFIXED"]),
    }
)


@given(st.lists(ACLS, max_size=5), st.sampled_from([Operation.READ, Operation.DESCRIBE]))
def test_what_is_visible_is_what_is_allowed(acls: list[dict[str, Any]], operation: Operation) -> None:
    narrow = access(*acls)
    allowed = [name for name in NAMES if narrow.allows(operation, TOPIC, name)]
    assert list(narrow.visible(operation, TOPIC, NAMES)) == allowed
