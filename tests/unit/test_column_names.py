"""What columns are called, over all tables that are read: one name for one thing."""

from collections.abc import Iterator
from operator import attrgetter

import pytest
from pyspark.sql.types import ArrayType, DataType, IntegerType, StructType

from kafka_census.tables import AUDIT_TABLES, TABLES
from kafka_census.tables.table import CLUSTER, Table

BROKERS = frozenset({"broker_id", "asked_broker_id", "min_isr_broker_id"})
"""The broker that a row is about; the one that was asked, and the one that reported the minimum."""

ROLES = frozenset({"leader_id", "replica_id", "source_id", "coordinator", "expected_coordinator", "found_coordinator"})
"""What a broker is to a partition, a group or the quorum, as Kafka calls it."""

LISTS = frozenset(
    {
        *("replicas", "isr", "eligible_leader_replicas", "last_known_elr", "offline_replicas"),
        *("adding_replicas", "removing_replicas", "original_replicas", "target_replicas", "listed_by"),
    }
)
"""Of several brokers, as Kafka calls them."""

OF_A_BROKER = {"node", "broker", "leader", "follower", "replica", "coordinator", "controller", "voter", "observer"}
NO_ID = {"epoch"}


def numbers(data_type: DataType, name: str = "") -> Iterator[tuple[str, DataType]]:
    """The name and type of each INT, and of each list of them, however deep."""
    if isinstance(data_type, StructType):
        for field in data_type.fields:
            yield from numbers(field.dataType, field.name)
    elif isinstance(data_type, ArrayType) and isinstance(data_type.elementType, StructType):
        yield from numbers(data_type.elementType)
    elif IntegerType() in (data_type, getattr(data_type, "elementType", None)):
        yield name, data_type


@pytest.mark.parametrize("table", [*TABLES, *AUDIT_TABLES], ids=attrgetter("name"))
def test_a_broker_has_one_name(table: Table) -> None:
    for name, kind in numbers(table.schema):
        words = set(name.split("_"))
        if isinstance(kind, ArrayType):
            assert name in LISTS or name == "partitions"
        elif words & OF_A_BROKER and not words & NO_ID:
            assert name in BROKERS | ROLES


@pytest.mark.parametrize("table", TABLES, ids=attrgetter("name"))
def test_every_published_row_tells_its_census_and_its_cluster(table: Table) -> None:
    assert table.columns[:4] == ["census_id", "cluster_id", "cluster", "observed_at"]
    assert table.schema[2] == CLUSTER
    assert table.computed.names == [name for name in table.columns if name != "cluster"]
