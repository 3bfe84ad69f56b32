"""Write the kept frames again: `PYTHONPATH=tests .venv/bin/python -m golden.regenerate`.

For an API that is new in use, or a later Kafka. Each message of each API gets every version that
Kafka speaks, in every variant, filled in by Kafka's schema and encoded by Kafka's classes.
"""

from dataclasses import replace

from golden import java, kafka_schemas
from golden.kept import FOLDER, KINDS, Frame, keep
from golden.used import used


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
    answers = java.written(asked)
    return [replace(frame, body=said["body"], hex=said["hex"]) for frame, said in zip(asked, answers, strict=True)]


def main() -> None:
    """Write them, and delete the files of APIs that are no longer used."""
    made = frames()
    for file in FOLDER.glob("*.jsonl"):
        file.unlink()
    for api in apis():
        keep(api, [frame for frame in made if frame.api == api])


if __name__ == "__main__":
    main()
