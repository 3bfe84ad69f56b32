"""Types of groups, and the RPC that describes groups of each: by another type's RPC a group looks Dead."""

CLASSIC, SHARE = "classic", "share"

DESCRIBED_BY = {
    CLASSIC: "DescribeGroups",
    "consumer": "ConsumerGroupDescribe",
    SHARE: "ShareGroupDescribe",
    "streams": "StreamsGroupDescribe",
}
"""The RPC by the type."""
