"""Find out which cluster a configured name stands for: the only request made before a census has an id."""

from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.settings import ClusterSettings, CollectSettings


def identify(cluster: ClusterSettings, collect: CollectSettings) -> str:
    """Kafka's id of the cluster.

    Raises Unreachable, AuthenticationFailed, or WrongCluster when the configuration expects another id.
    """
    return bootstrap(cluster, collect).cluster_id
