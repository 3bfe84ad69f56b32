"""The draft's fields are those that `docs/kip-1062.md` names, on the versions that it names."""

from typing import Any

import pytest

from golden.kafka_json import kafka_json
from golden.kept import Draft, codec, drafts, load
from kafka_census.kafka.rpc import RPCS
from kafka_emulator.encoding import encoded
from kafka_messages import kip_1062

TYPES = {"PartitionIndex": "int32", "ProducerId": "int64", "ResourceType": "int8", "PatternType": "int8"}
"""Of the cursors' fields; the others are strings."""
VALUES = {"string": "ä", "int8": -2, "int32": 2**20, "int64": 2**40}
BYTES = {"string": "03c3a4", "int8": "fe", "int32": "00100000", "int64": "0000010000000000"}
"""The values in a flexible message: a string's length, plus one, in one byte."""

each_row = pytest.mark.parametrize("row", drafts().values(), ids=lambda row: row.api)
both_kinds = pytest.mark.parametrize("kind", ["Request", "Response"])


def latest(message: str) -> Any:
    """Kafka's fullest frame of the last version below the draft, decoded."""
    frame = [frame for frame in load() if frame.message == message and frame.variant == "full"][-1]
    decoded = codec(message).decode(frame.bytes, version=frame.version, header=True)
    decoded._header = None
    return decoded


def types(row: Draft) -> list[str]:
    return [TYPES.get(name, "string") for name in row.cursor]


def test_the_draft_is_of_13_apis() -> None:
    names = {name.removesuffix("Request") for name in vars(kip_1062) if name.endswith("Request")}
    assert names == set(drafts())
    assert len(names) == 13


@each_row
@both_kinds
def test_cursor_and_limit_are_the_documents(row: Draft, kind: str) -> None:
    """The API's key; the first version that is free, and the fields, their order and types; null unless given."""
    message = codec(row.api + kind)
    cursor = message.fields["cursor" if kind == "Request" else "next_cursor"]
    assert (row.key, row.version) == (message.API_KEY, cursor.min_version)
    assert (cursor.nullable_for_version_q(row.version), cursor.default) == (True, None)
    fields = [(field._name, field.type_str) for field in cursor.fields.values()]
    assert fields == list(zip(row.cursor, types(row), strict=True))
    assert latest(row.api + kind).version == row.version - 1
    # Metadata has one more, with KIP-637's field.
    assert message.max_version == row.version + (row.api == "Metadata")
    if kind == "Request":
        limit = message.fields["response_pagination_limit"]
        assert (limit.type_str, limit.default, limit.min_version) == ("int32", 2000, row.version)


@each_row
@both_kinds
@pytest.mark.parametrize("given", [True, False], ids=["cursor", "null"])
def test_the_fields_come_last(row: Draft, kind: str, given: bool) -> None:
    """A message is that of the version before, then limit and cursor, then no tags; OffsetFetch has names inside."""
    message = latest(row.api + kind)
    below = message.encode()
    fields = dict(zip(message.Cursor.fields, (VALUES[one] for one in types(row)), strict=True))
    setattr(message, "cursor" if kind == "Request" else "next_cursor", message.Cursor(**fields) if given else None)
    cursor = "01" + "".join(BYTES[one] for one in types(row)) + "00" if given else "ff"
    tail = bytes.fromhex(("000007d0" if kind == "Request" else "") + cursor + "00")
    made = message.encode(version=row.version)
    again = type(message).decode(made, version=row.version)
    assert again.encode() == made
    assert kind == "Request" or encoded(type(message), row.version, [message]) == [made]
    assert kafka_json(again, row.version) == kafka_json(message, row.version)
    assert made.endswith(tail)
    assert row.api == "OffsetFetch" or made == below[:-1] + tail


@both_kinds
def test_offset_fetch_has_the_name_before_the_id(kind: str) -> None:
    """Below the draft's version it has the id alone."""
    message = latest(f"OffsetFetch{kind}")
    topic = message.groups[0].topics[0]
    assert topic.fields["topic_name"].min_version == drafts()["OffsetFetch"].version
    topic.topic_name = VALUES["string"]
    both = bytes.fromhex(BYTES["string"]) + topic.topic_id.bytes
    assert both not in message.encode()
    assert both in message.encode(version=drafts()["OffsetFetch"].version)


def test_min_insync_replicas_is_on_metadata_15_alone() -> None:
    """An int16 at the end of a topic, -1 unless given."""
    message = latest("MetadataResponse")
    plain = message.encode(version=14)
    message.topics[0].min_insync_replicas = 3
    assert message.encode(version=14) == plain
    made = message.encode(version=15)
    assert len(made) == len(plain) + 2 * len(message.topics)
    again = codec("MetadataResponse").decode(made, version=15)
    assert [topic.min_insync_replicas for topic in again.topics] == [3, -1]
    assert again.encode() == made


def test_versions_of_the_draft_are_sent_behind_a_feature() -> None:
    for api in (api for rpc in RPCS for api in rpc.apis if api.name in drafts()):
        draft = drafts()[api.name].version
        assert (api.max_version < draft) if not api.features else (api.min_version >= draft), api.name
