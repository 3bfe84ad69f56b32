"""Write the kept frames again: `PYTHONPATH=tests .venv/bin/python -m golden.regenerate`.

For an API that is new in use, or a later Kafka. Each message of each API gets every version that
Kafka speaks, in every variant, filled in by Kafka's schema and encoded by Kafka's classes.
"""

import json
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from golden import kafka_schemas
from golden.kept import FOLDER, KINDS, Frame, Json, codec, keep, used
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


def apis() -> list[str]:
    return sorted({api for api, _ in used()})


def frames() -> list[Frame]:
    asked = [
        Frame(api, kind, version, variant, kafka_schemas.body(message, version, variant), "")
        for api in apis()
        for kind in KINDS
        for message in [api + kind.capitalize()]
        for version in kafka_schemas.versions(message)
        for variant in kafka_schemas.VARIANTS
    ]
    answers = written(asked)
    return [replace(frame, body=said["body"], hex=said["hex"]) for frame, said in zip(asked, answers, strict=True)]


def main() -> None:
    made = frames()
    for file in FOLDER.glob("*.jsonl"):
        file.unlink()
    for api in apis():
        keep(api, [frame for frame in made if frame.api == api])


if __name__ == "__main__":
    main()
