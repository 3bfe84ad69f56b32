"""What DescribeConfigs makes of an answer."""

from kafka.protocol.admin import DescribeConfigsResponse

from unit.rpc.answers import items


def test_describe_configs_is_a_row_a_key_and_one_for_a_refusal() -> None:
    """A denied resource keeps its code; a value keeps its source."""
    result = DescribeConfigsResponse.DescribeConfigsResult
    value = result.DescribeConfigsResourceResult(
        name="min.insync.replicas",
        value="2",
        read_only=False,
        config_source=1,
        is_sensitive=False,
        synonyms=[],
        config_type=3,
        documentation=None,
    )
    response = DescribeConfigsResponse(
        throttle_time_ms=0,
        results=[
            result(error_code=0, error_message=None, resource_type=2, resource_name="t", configs=[value]),
            result(error_code=29, error_message="no", resource_type=2, resource_name="u", configs=[]),
        ],
    )
    first, second = items("DescribeConfigs", "topics", response, 4)
    assert (first["resource_name"], first["value"], first["source"]) == ("t", "2", 1)
    assert (second["resource_name"], second["error_code"], second["name"]) == ("u", 29, None)
