"""What Kafka's own readers refuse is refused: kafka-python's decoder alone would read it, wrongly or for ever."""

import struct
import time
from typing import Any

import pytest
from kafka.protocol.consumer.metadata import ConsumerProtocolSubscription
from kafka.protocol.metadata import ApiVersionsResponse

from kafka_messages.decoding import UNDECODABLE
from kafka_messages.kip_1062 import ListGroupsResponse, MetadataResponse


def listed(version: int, *groups: str) -> bytes:
    """ListGroups, without its header."""
    group = ListGroupsResponse.ListedGroup
    found = [group(group_id=name, protocol_type="", group_state="", group_type="") for name in groups]
    return bytes(ListGroupsResponse(throttle_time_ms=0, error_code=0, groups=found).encode(version=version))


def read(message: Any, version: int, frame: bytes) -> Any:
    return message.decode(frame, version=version)


def test_a_frame_is_read() -> None:
    for version in (0, 5):
        assert [one.group_id for one in read(ListGroupsResponse, version, listed(version, "a", "b")).groups] == [
            "a",
            "b",
        ]


def test_a_varint_ends() -> None:
    """A megabyte of 0xff would be a number of 900,000 digits, made anew at each byte of it."""
    start = time.process_time()
    with pytest.raises(ValueError, match="a varint does not end"):
        read(ListGroupsResponse, 5, listed(5)[:6] + b"\xff" * 2**20)
    assert time.process_time() - start < 1


def test_a_varint_of_five_bytes_is_one() -> None:
    """The longest there is."""
    frame = listed(5)
    assert frame[6:7] == b"\x01"
    assert read(ListGroupsResponse, 5, frame[:6] + b"\x81\x80\x80\x80\x00" + frame[7:]).groups == []


@pytest.mark.parametrize("count", [-2, 1, 0])
def test_a_count_that_leaves_items_out_is_refused(count: int) -> None:
    """Fewer than there are, or fewer than none, which Python reads as none."""
    frame = listed(0, "a", "b")
    with pytest.raises(ValueError, match="ends at byte"):
        read(ListGroupsResponse, 0, frame[:2] + struct.pack(">i", count) + frame[6:])


def test_a_string_that_is_cut_is_refused() -> None:
    """The last one of a frame: Python would take what is there for the whole."""
    group = ListGroupsResponse.ListedGroup
    frame = bytes(
        ListGroupsResponse(error_code=0, groups=[group(group_id="a", protocol_type="consumer")]).encode(version=0)
    )
    with pytest.raises(ValueError, match=f"ends at byte {len(frame)} of {len(frame) - 3}"):
        read(ListGroupsResponse, 0, frame[:-3])


def test_a_null_that_the_schema_does_not_allow_is_refused() -> None:
    with pytest.raises(ValueError, match="groups is null"):
        read(ListGroupsResponse, 5, bytes(ListGroupsResponse(error_code=0, groups=None).encode(version=5)))
    with pytest.raises(ValueError, match="group_id is null"):
        read(ListGroupsResponse, 5, listed(5, "a").replace(b"\x02a", b"\x00", 1))


def test_a_null_that_the_schema_allows_is_read() -> None:
    answer = MetadataResponse(throttle_time_ms=0, brokers=[], cluster_id=None, controller_id=1, topics=[])
    assert read(MetadataResponse, 9, bytes(answer.encode(version=9))).cluster_id is None


def test_what_a_later_consumer_says_of_itself_is_read() -> None:
    """Its subscription goes on behind what we know."""
    known = bytes(ConsumerProtocolSubscription(version=0, topics=["a"], user_data=None).encode())
    assert ConsumerProtocolSubscription.decode(known + b"more").topics == ["a"]


def test_tags_in_a_tag_are_undecodable() -> None:
    """kafka-python only asserts that there are none: of a feature in ApiVersions."""
    feature = ApiVersionsResponse.SupportedFeatureKey(name="f", min_version=1, max_version=2)
    frame = bytes(ApiVersionsResponse(error_code=0, api_keys=[], supported_features=[feature]).encode(version=3))
    at = frame.index(b"\x02f\x00\x01\x00\x02\x00")
    with pytest.raises(UNDECODABLE):
        ApiVersionsResponse.decode(frame[: at + 6] + b"\x01" + frame[at + 7 :], version=3)
