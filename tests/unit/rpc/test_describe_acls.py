"""What DescribeAcls makes of an answer."""

from typing import Any

from kafka.protocol.admin import DescribeAclsResponse

from unit.rpc.answers import items


def _acls(**codes: int) -> Any:
    resource = DescribeAclsResponse.DescribeAclsResource
    acl = resource.AclDescription
    given = {"resource_type": 2, "pattern_type": 4, "operation": 8, "permission_type": 3} | codes
    entry = acl(principal="User:a", host="*", operation=given["operation"], permission_type=given["permission_type"])
    of = resource(
        resource_type=given["resource_type"], resource_name="t-", pattern_type=given["pattern_type"], acls=[entry]
    )
    return DescribeAclsResponse(throttle_time_ms=0, error_code=0, error_message=None, resources=[of])


def test_describe_acls_is_a_row_an_entry() -> None:
    """By Kafka's names in lower case; a later Kafka's code keeps its number."""
    (item,) = items("DescribeAcls", "acls", _acls(), 3)
    assert item == {
        "resource_type": "topic",
        "resource_name": "t-",
        "pattern_type": "prefixed",
        "principal": "User:a",
        "host": "*",
        "operation": "describe",
        "permission": "allow",
    }
    (later,) = items("DescribeAcls", "acls", _acls(operation=99), 3)
    assert later["operation"] == "unknown_99"
