"""Kafka's own classes, of the jars: they read and write the kept frames, and have the codes of errors that we have."""

from pathlib import Path

from golden import java, regenerate
from golden.kept import load
from harness import oracle
from kafka_census.error_codes import KAFKA_RETRIABLE, KAFKAS, ErrorCode

_ERRORS = Path(oracle.__file__).with_name("ErrorsOracle.java")


def test_kafka_reads_and_writes_the_kept_frames() -> None:
    frames = tuple(load())
    for frame, one in zip(frames, java.parsed(frames), strict=True):
        assert one == {"header": frame.header, "body": frame.body, "hex": frame.hex}, str(frame)


def test_kept_frames_are_what_is_generated_now() -> None:
    assert list(load()) == regenerate.frames()


def test_names_and_retriable_codes_are_kafkas() -> None:
    said = [line.split() for line in oracle.output_of(oracle.java_program(_ERRORS)).splitlines()]
    kafkas = {int(code): (name, retriable == "true") for code, name, retriable in said}
    assert kafkas.pop(ErrorCode.NONE) == ("NONE", False)
    assert {code: name for code, (name, _) in kafkas.items()} == KAFKAS
    assert {code for code, (_, retriable) in kafkas.items() if retriable} == KAFKA_RETRIABLE
