"""What DescribeClientQuotas makes of an answer."""

from typing import Any

from unit.rpc.answers import answer, items


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
