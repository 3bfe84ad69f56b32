"""The schema of items says what answers may leave out."""

import pytest

from kafka_census.paging.rpc import Rpc
from kafka_census.rpc import RPCS
from kafka_census.source.schema import item_type


@pytest.mark.parametrize("rpc", RPCS, ids=lambda rpc: f"{rpc.name}/{rpc.scope}")
def test_every_field_of_an_item_may_be_null(rpc: Rpc) -> None:
    """Lists too: of one that must not be null, Spark answers `IS NULL` with false without looking at it."""
    assert [field.name for field in item_type(rpc) if not field.nullable] == []
