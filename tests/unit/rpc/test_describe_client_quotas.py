"""What DescribeClientQuotas makes of an answer."""

from kafka.protocol.admin import DescribeClientQuotasResponse

from unit.rpc.answers import items


def test_describe_client_quotas_is_a_row_a_key_of_an_entity() -> None:
    """A name that is null on the wire is the default entity; null in the row is: not part of the entity."""
    entry = DescribeClientQuotasResponse.EntryData
    response = DescribeClientQuotasResponse(
        throttle_time_ms=0,
        error_code=0,
        error_message=None,
        entries=[
            entry(
                entity=[
                    entry.EntityData(entity_type="user", entity_name="<default>"),
                    entry.EntityData(entity_type="client-id", entity_name=None),
                ],
                values=[entry.ValueData(key="producer_byte_rate", value=1024.5)],
            ),
            entry(
                entity=[entry.EntityData(entity_type="ip", entity_name="127.0.0.1")],
                values=[entry.ValueData(key="connection_creation_rate", value=1.0)],
            ),
        ],
    )
    default, ip = items("DescribeClientQuotas", "quotas", response, 1)
    assert (default["user"], default["client_id"], default["ip"]) == ("<default>", "<default>", None)
    assert (default["is_default"], default["key"], default["value"]) == (True, "producer_byte_rate", 1024.5)
    assert [default[f"{name}_is_default"] for name in ("user", "client_id", "ip")] == [False, True, False]
    assert (ip["user"], ip["ip"], ip["is_default"]) == (None, "127.0.0.1", False)
