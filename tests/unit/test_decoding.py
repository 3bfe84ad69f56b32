"""What Kafka's own readers refuse is refused: kafka-python's decoder alone would read it, wrongly or for ever."""

import struct
import time
from typing import Any

import pytest
from kafka.protocol.consumer.metadata import ConsumerProtocolSubscription
from kafka.protocol.metadata import ApiVersionsResponse

from kafka_messages.decoding import UNDECODABLE
from kafka_messages.kip_1062 import ListGroupsResponse, MetadataResponse
from unit.rpc.answers import answer


def listed(version: int, *groups: str, kind: str = "") -> bytes:
    found = [{"group_id": name, "protocol_type": kind} for name in groups]
    return bytes(answer("ListGroups", groups=found).encode(version=version))


def read(version: int, frame: bytes) -> list[str]:
    return [one.group_id for one in ListGroupsResponse.decode(frame, version=version).groups]


def test_a_varint_ends() -> None:
    """A megabyte of 0xff would be a number of 900,000 digits, made anew at each byte of it; five are the longest."""
    start, frame = time.process_time(), listed(5, "a")
    with pytest.raises(ValueError, match="a varint does not end"):
        read(5, frame[:6] + b"\xff" * 2**20)
    assert time.process_time() - start < 1
    assert frame[6:7] == b"\x02"
    assert read(5, frame[:6] + b"\x82\x80\x80\x80\x00" + frame[7:]) == ["a"]


def test_a_count_that_leaves_items_out_and_a_string_that_is_cut_are_refused() -> None:
    """Python reads fewer items than none as none, and takes what is there of a last string for the whole."""
    frame = listed(0, "a", "b")
    for count in (-2, 1, 0):
        with pytest.raises(ValueError, match="ends at byte"):
            read(0, frame[:2] + struct.pack(">i", count) + frame[6:])
    frame = listed(0, "a", kind="consumer")
    with pytest.raises(ValueError, match=f"ends at byte {len(frame)} of {len(frame) - 3}"):
        read(0, frame[:-3])


def test_a_null_is_read_where_the_schema_allows_it() -> None:
    with pytest.raises(ValueError, match="groups is null"):
        read(5, bytes(answer("ListGroups", groups=None).encode(version=5)))
    with pytest.raises(ValueError, match="group_id is null"):
        read(5, listed(5, "a").replace(b"\x02a", b"\x00", 1))
    nameless: Any = MetadataResponse.decode(answer("Metadata", cluster_id=None).encode(version=9), version=9)
    assert nameless.cluster_id is None


def test_what_a_later_consumer_says_of_itself_is_read() -> None:
    known = bytes(ConsumerProtocolSubscription(version=0, topics=["a"], user_data=None).encode())
    assert ConsumerProtocolSubscription.decode(known + b"more").topics == ["a"]


def test_tags_in_a_tag_are_undecodable() -> None:
    """kafka-python only asserts that there are none: of a feature in ApiVersions."""
    feature = {"name": "f", "min_version": 1, "max_version": 2}
    frame = bytes(answer("ApiVersions", supported_features=[feature]).encode(version=3))
    at = frame.index(b"\x02f\x00\x01\x00\x02\x00")
    with pytest.raises(UNDECODABLE):
        ApiVersionsResponse.decode(frame[: at + 6] + b"\x01" + frame[at + 7 :], version=3)
