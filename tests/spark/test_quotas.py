"""Quotas are shown as Kafka reports them, each entity in one line."""

from pyspark.sql import SparkSession

from kafka_census.tables.quotas import QUOTAS
from spark.landed_items import CENSUS, CLUSTER, compute, item, rows_by


def test_every_kind_of_entity(spark: SparkSession) -> None:
    """A user, a default client id of a user, the default user, an address; a quota of a later Kafka has no unit."""
    listed = [
        item(user="alice", key="producer_byte_rate", value=1000.0, is_default=False),
        item(user="alice", client_id="<default>", key="request_percentage", value=50.0, is_default=True),
        item(user="<default>", key="controller_mutation_rate", value=5.0, is_default=True),
        # A user with that very name, which Kafka's tools cannot distinguish from the default.
        item(user="<default>", key="controller_mutation_rate", value=6.0, is_default=False),
        item(ip="10.0.0.1", key="connection_creation_rate", value=7.0, is_default=False),
        item(client_id="app", key="later_rate", value=8.0, is_default=False),
    ]
    rows = rows_by(compute(spark, QUOTAS, quotas=listed), "entity", "is_default")
    assert {key: (row.quota, row.value, row.unit) for key, row in rows.items()} == {
        ("user alice", False): ("producer_byte_rate", 1000.0, "bytes/s"),
        ("user alice, client-id <default>", True): ("request_percentage", 50.0, "%"),
        ("user <default>", True): ("controller_mutation_rate", 5.0, "mutations/s"),
        ("user <default>", False): ("controller_mutation_rate", 6.0, "mutations/s"),
        ("ip 10.0.0.1", False): ("connection_creation_rate", 7.0, "connections/s"),
        ("client-id app", False): ("later_rate", 8.0, None),
    }
    alice = rows["user alice", False]
    assert (alice.census_id, alice.cluster_id) == (CENSUS, CLUSTER)
    assert (alice.user, alice.client_id, alice.ip) == ("alice", None, None)
