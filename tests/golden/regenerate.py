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
    """Kafka's bytes of each frame, and its JSON of the body."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for frame in frames:
            where = {"key": codec(frame.message).API_KEY, "kind": frame.kind, "version": frame.version}
            file.write(json.dumps({**where, "header": frame.header, "body": frame.body}) + "\n")
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
