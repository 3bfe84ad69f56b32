"""Quotas are shown as Kafka reports them, each entity in one line."""

from pyspark.sql import SparkSession

from kafka_census.tables.quotas import QUOTAS
from spark.landed_items import CENSUS, CLUSTER, compute, item, rows_by


def test_every_kind_of_entity(spark: SparkSession) -> None:
    """A user, a default client id of a user, the default user, an address; a quota of a later Kafka has no unit."""
    listed = [
        item(user="alice", key="producer_byte_rate", value=1000.0, is_default=False),
        item(user="alice", client_id="<default>", key="request_percentage", value=50.0, is_default=True)
        | {"client_id_is_default": True},
        item(user="<default>", key="controller_mutation_rate", value=5.0, is_default=True, user_is_default=True),
        # A user with that name, which Kafka's tools cannot distinguish from the default.
        item(user="<default>", key="controller_mutation_rate", value=6.0, is_default=False),
        item(ip="10.0.0.1", key="connection_creation_rate", value=7.0, is_default=False),
        item(client_id="app", key="later_rate", value=8.0, is_default=False),
    ]
    rows = rows_by(compute(spark, QUOTAS, quotas=listed), "entity")
    assert {key: (row.quota, row.value, row.unit) for key, row in rows.items()} == {
        "user alice": ("producer_byte_rate", 1000.0, "bytes/s"),
        "user alice, client-id <default>": ("request_percentage", 50.0, "%"),
        "user <default>": ("controller_mutation_rate", 5.0, "mutations/s"),
        "user '<default>'": ("controller_mutation_rate", 6.0, "mutations/s"),
        "ip 10.0.0.1": ("connection_creation_rate", 7.0, "connections/s"),
        "client-id app": ("later_rate", 8.0, None),
    }
    alice = rows["user alice"]
    assert (alice.census_id, alice.cluster_id) == (CENSUS, CLUSTER)
    assert (alice.user, alice.client_id, alice.ip) == ("alice", None, None)


def test_entities_that_read_alike_are_several_entities(spark: SparkSession) -> None:
    """Each has one line of its own: names with commas, quotes and spaces, empty names, and names like the default."""
    default = "<default>"
    entities: dict[str, dict[str, str | None]] = {
        "user <default>, client-id <default>": {"user": None, "client_id": None},
        "user <default>, client-id '<default>'": {"user": None, "client_id": default},
        "user '<default>', client-id <default>": {"user": default, "client_id": None},
        "user '<default>', client-id '<default>'": {"user": default, "client_id": default},
        "user a, client-id b": {"user": "a", "client_id": "b"},
        "user 'a, client-id b'": {"user": "a, client-id b"},
        "user 'a'', client-id ''b'": {"user": "a', client-id 'b"},
        "user '''a'', client-id ''b'''": {"user": "'a', client-id 'b'"},
        "user ''": {"user": ""},
        "user ''''''": {"user": "''"},
        "user a,": {"user": "a,"},
        "user CN=é,OU=b": {"user": "CN=é,OU=b"},
        "ip <default>": {"ip": None},
        "ip '<default>'": {"ip": default},
    }
    listed = [
        item(key="producer_byte_rate", value=1.0, is_default=None in names.values())
        | {name: default if value is None else value for name, value in names.items()}
        | {f"{name}_is_default": name in names and names[name] is None for name in ("user", "client_id", "ip")}
        for names in entities.values()
    ]
    rows = compute(spark, QUOTAS, quotas=listed).collect()
    assert sorted(row.entity for row in rows) == sorted(entities)


def test_pages_of_an_older_release_are_read(spark: SparkSession) -> None:
    """Their items only tell whether one of the names is the default."""
    listed = [
        item(user="<default>", client_id="app", key="producer_byte_rate", value=1.0, is_default=True),
        item(user="<default>", key="producer_byte_rate", value=1.0, is_default=False),
    ]
    rows = rows_by(compute(spark, QUOTAS, quotas=listed), "entity")
    assert set(rows) == {"user <default>, client-id app", "user '<default>'"}
    default = rows["user <default>, client-id app"]
    assert (default.user_is_default, default.client_id_is_default, default.ip_is_default) == (True, False, False)
