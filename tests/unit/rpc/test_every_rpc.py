"""What holds for every RPC."""

from typing import Any
from uuid import UUID

import pytest

from kafka_census.paging.rpc import Ask, kafka_uuid
from kafka_census.rpc import RPCS
from kafka_census.source.schema import item_type
from unit.rpc.answers import answer, over_the_wire, page_of, sent

VALUES = {"string": "ä", "int8": 2, "int32": 3, "int64": 2**40}
"""A value of each type that a cursor's field has."""


def _id(one: Any) -> str:
    return f"{one.name}-{one.scope}"


@pytest.mark.parametrize("one", RPCS, ids=_id)
def test_every_request_can_be_encoded_at_every_version_that_is_used(one: Any) -> None:
    """The range of versions is what Kafka 4.3.1 and the codec know."""
    for api in one.apis:
        for version in range(api.min_version, api.max_version + 1):
            request = api.build(version, Ask(("1/2",), None, 10))
            request.with_header(correlation_id=1, client_id="test")
            assert version == request.API_VERSION
            assert request.encode(header=True)


@pytest.mark.parametrize("one", [one for one in RPCS if one.apis[0].features], ids=_id)
def test_limit_and_cursor_are_sent_at_the_draft_s_version_only(one: Any) -> None:
    """And the cursor of an answer is handed on in the order of its fields."""
    for way, api in enumerate(one.apis):
        cursor = answer(one.name).fields["next_cursor"]
        values = {name: VALUES[field.type_str] for name, field in cursor.fields.items()}
        ask = Ask(("t/0",), tuple(values.values()), 7)
        page = page_of(sent(one.name, one.scope, api.max_version, ask, way))
        if api.paging == "cursor":
            assert page == (7, tuple(values.values()))
            page_ends = over_the_wire(answer(one.name, next_cursor=values), api.max_version)
            assert api.next_cursor(page_ends) == tuple(values.values())
            assert api.next_cursor(over_the_wire(answer(one.name), api.max_version)) is None
        else:  # a whole answer of the draft's version has no limit: only Metadata has one, for another feature
            assert page == (2**31 - 1 if api.features else 2000, None)


@pytest.mark.parametrize("one", RPCS, ids=_id)
def test_every_field_of_an_item_may_be_null(one: Any) -> None:
    """Lists too: of one that must not be null, Spark answers `IS NULL` with false without looking at it."""
    assert [field.name for field in item_type(one) if not field.nullable] == []


def test_kafka_prints_uuids_in_url_safe_base64() -> None:
    """As Uuid.toString; the zero id is none."""
    assert kafka_uuid(UUID("004fbf1a-9d3f-4a2e-9a1c-fbf3e9f0d5aa")) == "AE-_Gp0_Si6aHPvz6fDVqg"
    assert kafka_uuid(UUID(int=0)) is None
    assert kafka_uuid(None) is None
