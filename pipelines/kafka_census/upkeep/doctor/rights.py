"""The rights that a principal needs, and the `kafka-acls` lines that grant them.

Each right is to all resources of a type, because a census surveys all of them. In Kafka READ includes DESCRIBE; the
lines name both, so that they can be read without that knowledge.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.protocol.tls import own_subject
from kafka_census.kafka.protocol.tokens import user
from kafka_census.pages.header import WalkName


@dataclass(frozen=True)
class Right:
    """An operation on a type of resource, both as `kafka-acls` spells them."""

    operation: str
    resource: str

    def __str__(self) -> str:
        """Such as "Describe on all topics"."""
        resources = f"all {self.resource.replace('-', ' ')}s"
        return f"{self.operation} on {'the cluster' if self.resource == CLUSTER else resources}"


CLUSTER, TOPIC, GROUP, TRANSACTIONAL_ID = "cluster", "topic", "group", "transactional-id"
"""Types of resources, by the option of `kafka-acls`."""

REFUSED_BY = {
    CLUSTER: ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    TOPIC: ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    GROUP: ErrorCode.GROUP_AUTHORIZATION_FAILED,
    TRANSACTIONAL_ID: ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
}
"""The error code for a principal that lacks a right to a resource, by type of resource."""

DESCRIBE_CLUSTER = Right("Describe", CLUSTER)
CONFIGS_OF_CLUSTER = Right("DescribeConfigs", CLUSTER)
DESCRIBE_TOPICS = Right("Describe", TOPIC)
CONFIGS_OF_TOPICS = Right("DescribeConfigs", TOPIC)
READ_TOPICS = Right("Read", TOPIC)
DESCRIBE_GROUPS = Right("Describe", GROUP)
DESCRIBE_IDS = Right("Describe", TRANSACTIONAL_ID)

RIGHTS = (
    DESCRIBE_CLUSTER,
    CONFIGS_OF_CLUSTER,
    DESCRIBE_TOPICS,
    CONFIGS_OF_TOPICS,
    READ_TOPICS,
    DESCRIBE_GROUPS,
    DESCRIBE_IDS,
)
"""Every right that a census may need."""

_GROUPS_AND_TOPICS = (DESCRIBE_GROUPS, DESCRIBE_TOPICS)

NEEDS: Mapping[WalkName, tuple[Right, ...]] = {
    ("DescribeCluster", "cluster"): (),
    ("ApiVersions", "features"): (),
    ("Metadata", "names"): (DESCRIBE_TOPICS,),
    ("Metadata", "unlisted"): (DESCRIBE_TOPICS,),
    ("ListPartitionReassignments", "before"): (DESCRIBE_CLUSTER,),
    ("ListPartitionReassignments", "cluster"): (DESCRIBE_CLUSTER,),
    ("DescribeTopicPartitions", "topics"): (DESCRIBE_TOPICS,),
    ("DescribeConfigs", "topics"): (CONFIGS_OF_TOPICS,),
    ("DescribeConfigs", "topics_all"): (CONFIGS_OF_TOPICS,),
    ("DescribeConfigs", "brokers"): (CONFIGS_OF_CLUSTER,),
    ("DescribeLogDirs", "log_dirs"): (DESCRIBE_CLUSTER,),
    # A principal that may describe the cluster sees every group: that proves that none is hidden.
    ("ListGroups", "groups"): (DESCRIBE_CLUSTER, DESCRIBE_GROUPS),
    ("FindCoordinator", "groups"): (DESCRIBE_GROUPS,),
    ("DescribeGroups", "groups"): (DESCRIBE_GROUPS,),
    ("ConsumerGroupDescribe", "groups"): _GROUPS_AND_TOPICS,
    ("ShareGroupDescribe", "groups"): _GROUPS_AND_TOPICS,
    ("StreamsGroupDescribe", "groups"): _GROUPS_AND_TOPICS,
    ("OffsetFetch", "groups"): _GROUPS_AND_TOPICS,
    ("DescribeShareGroupOffsets", "groups"): _GROUPS_AND_TOPICS,
    ("ListOffsets", "earliest"): (DESCRIBE_TOPICS,),
    ("ListOffsets", "latest"): (DESCRIBE_TOPICS,),
    ("ListOffsets", "last_stable"): (DESCRIBE_TOPICS,),
    ("ListOffsets", "max_timestamp"): (DESCRIBE_TOPICS,),
    ("DescribeProducers", "partitions"): (READ_TOPICS,),
    ("DescribeProducers", "recheck"): (READ_TOPICS,),
    ("ListTransactions", "transactions"): (DESCRIBE_IDS,),
    ("FindCoordinator", "transactional_ids"): (DESCRIBE_IDS,),
    ("DescribeTransactions", "probe"): (DESCRIBE_IDS,),
    ("DescribeTransactions", "transactional_ids"): (DESCRIBE_IDS, DESCRIBE_TOPICS),
    ("DescribeAcls", "acls"): (DESCRIBE_CLUSTER,),
    ("DescribeClientQuotas", "quotas"): (CONFIGS_OF_CLUSTER,),
    ("DescribeUserScramCredentials", "scram_users"): (DESCRIBE_CLUSTER,),
    ("ListConfigResources", "config_resources"): (CONFIGS_OF_CLUSTER,),
    ("DescribeQuorum", "quorum"): (DESCRIBE_CLUSTER,),
}
"""The rights that brokers require for each walk (KafkaApis of Kafka 4.3.1; the same since 2.8)."""


def principal(cluster: ClusterSettings) -> str:
    """Our principal for an authorizer, unless brokers map names (`ssl.principal.mapping.rules`).

    For a token without the name this is `User:NAME`, to be filled in.
    """
    if cluster.sasl is not None:
        return f"User:{user(cluster.sasl) or 'NAME'}"
    return f"User:{(own_subject(cluster.ssl) if cluster.uses_tls else None) or 'ANONYMOUS'}"


def kafka_acls(who: str, rights: Collection[Right]) -> Iterator[tuple[str, ...]]:
    """The command lines that grant these rights, one per type of resource, each as a tuple of words."""
    for resource in REFUSED_BY:
        operations = [right.operation for right in RIGHTS if right in rights and right.resource == resource]
        if operations:
            named = [f"--{resource}"] if resource == CLUSTER else [f"--{resource}", "*"]
            asked = [word for operation in operations for word in ("--operation", operation)]
            yield ("kafka-acls", "--bootstrap-server", "HOST:PORT", "--add", "--allow-principal", who, *asked, *named)
