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
    assert (default["user"], default["client_id"], default["ip"]) == ("<default>", "<default>", None)
    assert (default["is_default"], default["key"], default["value"]) == (True, "producer_byte_rate", 1024.5)
    assert [default[f"{name}_is_default"] for name in ("user", "client_id", "ip")] == [False, True, False]
    assert (ip["user"], ip["ip"], ip["is_default"]) == (None, "::1", False)
