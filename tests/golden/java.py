"""Kafka's own classes, asked for frames: `GoldenFrames.java` on kafka-clients."""

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path

from golden.kept import Frame, Json, codec
from harness import oracle

_SOURCE = Path(oracle.__file__).with_name("GoldenFrames.java")


def written(frames: Iterable[Frame]) -> list[Json]:
    return _ask({**_where(frame), "header": frame.header, "body": frame.body} for frame in frames)


def parsed(frames: Iterable[Frame]) -> list[Json]:
    return _ask({**_where(frame), "hex": frame.hex} for frame in frames)


def _where(frame: Frame) -> Json:
    return {"key": codec(frame.message).API_KEY, "kind": frame.kind, "version": frame.version}


def _ask(questions: Iterable[Json]) -> list[Json]:
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(question) + "\n" for question in questions)
        file.flush()
        return [json.loads(line) for line in oracle.output_of(oracle.java_program(_SOURCE, file.name)).splitlines()]
