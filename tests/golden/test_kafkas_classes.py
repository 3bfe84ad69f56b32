"""Kafka's own classes, of the jars: they read and write the kept frames, and have the codes of errors that we have."""

from pathlib import Path

import pytest

from golden import regenerate
from golden.kept import load
from harness import oracle
from kafka_census.kafka.error_codes import KAFKA_RETRIABLE, KAFKAS, OURS, RETRIABLE, ErrorCode, error_name

_ERRORS = Path(oracle.__file__).with_name("ErrorsOracle.java")


def test_kafka_reads_and_writes_the_kept_frames() -> None:
    frames = tuple(load())
    for frame, one in zip(frames, regenerate.parsed(frames), strict=True):
        assert one == {"header": frame.header, "body": frame.body, "hex": frame.hex}, str(frame)


def test_kept_frames_are_what_is_generated_now() -> None:
    assert list(load()) == regenerate.frames()


def test_names_and_retriable_codes_are_kafkas() -> None:
    said = [line.split() for line in oracle.output_of(oracle.java_program(_ERRORS)).splitlines()]
    kafkas = {int(code): (name, retriable == "true") for code, name, retriable in said}
    assert kafkas.pop(ErrorCode.NONE) == ("NONE", False)
    assert {code: name for code, (name, _) in kafkas.items()} == KAFKAS
    assert {code for code, (_, retriable) in kafkas.items() if retriable} == KAFKA_RETRIABLE


def test_our_own_codes_never_meet_kafkas() -> None:
    """Kafka's are an int16's, from -1 on."""
    assert min(KAFKAS) == -1
    assert max(OURS) < -99
    assert set(OURS) >= RETRIABLE - KAFKA_RETRIABLE


@pytest.mark.parametrize(
    ("code", "name"), [(0, None), (6, "NOT_LEADER_OR_FOLLOWER"), (-107, "INCONSISTENT_PAGES"), (999, "ERROR_999")]
)
def test_a_code_has_one_name(code: int, name: str | None) -> None:
    assert error_name(code) == name
