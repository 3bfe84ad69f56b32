"""What DescribeAcls makes of an answer."""

from typing import Any

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages.kip_1062 import DescribeAclsResponse
from unit.rpc.answers import items, over_the_wire, page_of, sent


def _acls(follows: Any = None, **codes: int) -> Any:
    resource = DescribeAclsResponse.DescribeAclsResource
    acl = resource.AclDescription
    given = {"resource_type": 2, "pattern_type": 4, "operation": 8, "permission_type": 3} | codes
    entry = acl(principal="User:a", host="*", operation=given["operation"], permission_type=given["permission_type"])
    of = resource(
        resource_type=given["resource_type"], resource_name="t-", pattern_type=given["pattern_type"], acls=[entry]
    )
    return DescribeAclsResponse(
        throttle_time_ms=0, error_code=0, error_message=None, resources=[of], next_cursor=follows
    )


def test_describe_acls_is_a_row_an_entry() -> None:
    """By Kafka's names in lower case; a later Kafka's code keeps its number."""
    for version, way in ((1, 1), (3, 1), (4, 0)):
        (item,) = items("DescribeAcls", "acls", _acls(), version, way=way)
        assert item == {
            "resource_type": "topic",
            "resource_name": "t-",
            "pattern_type": "prefixed",
            "principal": "User:a",
            "host": "*",
            "operation": "describe",
            "permission": "allow",
            "error_code": 0,
        }
    (later,) = items("DescribeAcls", "acls", _acls(operation=99), 3, way=1)
    assert later["operation"] == "unknown_99"


def test_describe_acls_pages_by_the_broker_s_cursor_at_v4() -> None:
    """Limit and cursor are sent there, and not below; the pattern type is part of the position."""
    ask = Ask((), ("t-", 2, 4), 7)
    asked = sent("DescribeAcls", "acls", 4, ask)
    assert (page_of(asked), asked.resource_type_filter) == ((7, ("t-", 2, 4)), 1)
    assert page_of(sent("DescribeAcls", "acls", 3, ask, way=1)) == (2000, None)
    api = rpc("DescribeAcls", "acls").apis[0]
    follows = DescribeAclsResponse.Cursor(resource_name="u", resource_type=2, pattern_type=3)
    assert api.next_cursor(over_the_wire(_acls(follows), 4)) == ("u", 2, 3)
    assert api.next_cursor(over_the_wire(_acls(), 4)) is None


def test_describe_acls_without_authorizer_is_an_item() -> None:
    """Not a missing page: it is all there is to know of that cluster's ACLs. A denial stays a page's error."""

    def failed(code: int) -> Any:
        return DescribeAclsResponse(throttle_time_ms=0, error_code=code, error_message="no", resources=[])

    for version, way in ((3, 1), (4, 0)):
        api = rpc("DescribeAcls", "acls").apis[way]
        assert api.error(over_the_wire(failed(54), version)) == (0, None)
        (item,) = items("DescribeAcls", "acls", failed(54), version, way=way)
        assert {name: value for name, value in item.items() if value is not None} == {"error_code": 54}
        assert api.error(over_the_wire(failed(31), version)) == (31, "no")
        assert items("DescribeAcls", "acls", failed(31), version, way=way) == []
