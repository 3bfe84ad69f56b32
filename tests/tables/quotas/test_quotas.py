"""Each entity has one line of its own, whatever its names are; tests/trouble has what Kafka's own tools print alike."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.tables.quotas.columns import QUOTAS
from spark.landed_items import CENSUS, CLUSTER, compute, item, rows_by

D = "<default>"
"""How Kafka names a default in an answer: a user may have that name."""
ENTITIES: dict[str, dict[str, str | None]] = {
    "user <default>, client-id <default>": {"user": None, "client_id": None},
    "user '<default>', client-id '<default>'": {"user": D, "client_id": D},
    "user 'a'', client-id ''b'": {"user": "a', client-id 'b"},
    "user '''a'', client-id ''b'''": {"user": "'a', client-id 'b'"},
    "user ''": {"user": ""},
    "user ''''''": {"user": "''"},
    "user a,": {"user": "a,"},
    "user CN=é,OU=b": {"user": "CN=é,OU=b"},
    "ip <default>": {"ip": None},
    "ip '<default>'": {"ip": D},
}
OLDER: dict[str, dict[str, Any]] = {
    "user <default>, client-id app": {"user": D, "client_id": "app", "is_default": True},
    "user '<default>'": {"user": D, "is_default": False},
}
"""Items of an older release tell only whether one of the names is the default."""
UNITS = {"controller_mutation_rate": "mutations/s", "later_rate": None}
"""Of these no broker of tests/trouble has a quota; the second is of a later Kafka."""


def test_every_entity_has_one_line_of_its_own(spark: SparkSession) -> None:
    listed = [
        item(key="producer_byte_rate", value=1.0, is_default=None in names.values())
        | {name: D if value is None else value for name, value in names.items()}
        | {f"{name}_is_default": name in names and names[name] is None for name in ("user", "client_id", "ip")}
        for names in ENTITIES.values()
    ]
    listed += [item(key="producer_byte_rate", value=1.0, **columns) for columns in OLDER.values()]
    listed += [item(key=quota, value=1.0, is_default=False, user=quota) for quota in UNITS]
    rows = rows_by(compute(spark, QUOTAS, quotas=listed), "entity")
    assert set(rows) == {*ENTITIES, *OLDER, *(f"user {quota}" for quota in UNITS)}
    assert {quota: rows[f"user {quota}"].unit for quota in UNITS} == UNITS
    default, user = rows["user <default>, client-id app"], rows["user a,"]
    assert (user.census_id, user.cluster_id, user.user, user.client_id) == (CENSUS, CLUSTER, "a,", None)
    assert (default.user_is_default, default.client_id_is_default, default.ip_is_default) == (True, False, False)
