"""What the RPCs of ACLs, quotas and credentials make of an answer."""

from typing import Any

import pytest

from unit.rpc.answers import EVERYTHING, answer, items, over_the_wire, rows, sent, way_of


def _acls(operation: int) -> Any:
    acl = {"principal": "User:a", "host": "*", "operation": operation, "permission_type": 3}
    return answer(
        "DescribeAcls", resources=[{"resource_type": 2, "resource_name": "t-", "pattern_type": 4, "acls": [acl]}]
    )


@pytest.mark.parametrize("version", [1, 3, 4])
def test_describe_acls_is_a_row_an_entry(version: int) -> None:
    """By Kafka's names in lower case; a later Kafka's code keeps its number."""
    for operation, name in ((8, "describe"), (99, "unknown_99")):
        found = rows("DescribeAcls", "acls", _acls(operation), version)
        assert found == [("topic", "t-", "prefixed", "User:a", "*", name, "allow", 0)]
    assert sent("DescribeAcls", "acls", version, EVERYTHING).resource_type_filter == 1


@pytest.mark.parametrize("version", [3, 4])
def test_describe_acls_without_authorizer_is_an_item(version: int) -> None:
    """Not a missing page: it is all there is to know of that cluster's ACLs. A denial stays a page's error."""
    error = way_of("DescribeAcls", "acls", version).error
    none, denied = (answer("DescribeAcls", error_code=code, error_message="no") for code in (54, 31))
    assert error(over_the_wire(none, version)) == (0, None)
    (item,) = items("DescribeAcls", "acls", none, version)
    assert {name: value for name, value in item.items() if value is not None} == {"error_code": 54}
    assert error(over_the_wire(denied, version)) == (31, "no")
    assert items("DescribeAcls", "acls", denied, version) == []


def test_describe_client_quotas_is_a_row_a_key_of_an_entity() -> None:
    """A name that is null on the wire is the default entity; null in the row is: not part of the entity."""

    def entry(key: str, value: float, **names: str | None) -> dict[str, Any]:
        entity = [{"entity_type": kind.replace("_", "-"), "entity_name": name} for kind, name in names.items()]
        return {"entity": entity, "values": [{"key": key, "value": value}]}

    entries = [entry("producer_byte_rate", 1024.5, user="<default>", client_id=None), entry("rate", 1.0, ip="::1")]
    default, ip = items("DescribeClientQuotas", "quotas", answer("DescribeClientQuotas", entries=entries), 1)
    none, key = {"ip": None, "ip_is_default": False}, {"key": "producer_byte_rate", "value": 1024.5}
    names = {"user": "<default>", "user_is_default": False, "client_id": "<default>", "client_id_is_default": True}
    assert default == names | none | key | {"is_default": True}
    assert (ip["user"], ip["ip"], ip["is_default"]) == (None, "::1", False)


def test_describe_user_scram_credentials_is_a_row_a_mechanism() -> None:
    credentials = [{"mechanism": 1, "iterations": 4096}, {"mechanism": 2, "iterations": 8192}]
    gone = {"user": "gone", "error_code": 91, "error_message": "no such user"}
    response = answer("DescribeUserScramCredentials", results=[{"user": "a", "credential_infos": credentials}, gone])
    assert rows("DescribeUserScramCredentials", "scram_users", response, 0) == [
        ("a", 0, "SCRAM-SHA-256", 4096),
        ("a", 0, "SCRAM-SHA-512", 8192),
        ("gone", 91, None, None),
    ]
