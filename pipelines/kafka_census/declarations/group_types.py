"""Types of groups, and the RPC that describes each type: the RPC of another type answers Dead."""

CLASSIC, SHARE = "classic", "share"

DESCRIBED_BY = {
    CLASSIC: "DescribeGroups",
    "consumer": "ConsumerGroupDescribe",
    SHARE: "ShareGroupDescribe",
    "streams": "StreamsGroupDescribe",
}
"""The describing RPC, by type."""
