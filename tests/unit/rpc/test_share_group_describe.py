"""What ShareGroupDescribe makes of a member."""

from kafka_census.kafka.rpc import rpc


def test_share_group_describe_is_asked_at_v1_only() -> None:
    """v0 was an early access version and means something else."""
    (api,) = rpc("ShareGroupDescribe", "groups").apis
    assert (api.min_version, api.max_version) == (1, 1)
