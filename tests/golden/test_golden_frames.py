"""Our classes read and write, at every version in use, the frames that Kafka's own classes wrote."""

from typing import Any

import pytest
from kafka.protocol.api_header import ResponseClassRegistry

from golden import regenerate
from golden.kafka_json import kafka_json
from golden.kept import KINDS, Frame, Json, codec, drafts, load, original, used
from kafka_emulator.encoding import encoded

FRAMES = tuple(load())


def test_every_version_in_use_has_frames() -> None:
    """A new RPC, or a version more of one, needs `golden.regenerate`."""
    kept = {(frame.api, frame.version, frame.kind) for frame in FRAMES}
    assert {(api, version, kind) for api, version in used() for kind in KINDS} - kept == set()


@pytest.mark.parametrize("name", sorted({frame.message for frame in FRAMES}))
def test_our_classes_read_and_write_it(name: str) -> None:
    """The emulator's encoder writes a response column by column."""
    for frame in (frame for frame in FRAMES if frame.message == name):
        message = codec(name).decode(frame.bytes, version=frame.version, header=True)
        assert _header(frame, message) == frame.header, frame
        assert kafka_json(message, frame.version) == frame.body, frame
        assert message.encode(header=True) == frame.bytes, frame
        if frame.kind == "response":
            assert encoded(type(message), frame.version, [message] * 2) == [message.encode(header=False)] * 2, frame


@pytest.mark.parametrize("api", regenerate.apis())
def test_answers_are_decoded_by_the_class_that_is_tested(api: str) -> None:
    """kafka-python finds it by the API's key, for the whole process; a class of one version leads to its own."""
    response = codec(f"{api}Response")
    assert ResponseClassRegistry._response_class_registry[response.API_KEY][None].mro()[0] is response


def _header(frame: Frame, message: Any) -> Json:
    header = message.header
    fields = {"correlationId": header.correlation_id}
    if frame.kind == "response":
        return fields
    asked = {"requestApiKey": header.request_api_key, "requestApiVersion": header.request_api_version}
    return {**asked, **fields, "clientId": header.client_id}


PATCHED = [name + kind for name in drafts() for kind in ("Request", "Response") if original(name + kind)]


@pytest.mark.parametrize("message", PATCHED)
def test_their_defaults_are_the_same(message: str) -> None:
    ours, theirs = codec(message), original(message)
    for version in range(theirs.max_version + 1):
        assert ours(version=version).encode() == theirs(version=version).encode()
