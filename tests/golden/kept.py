"""The frames that are kept in the repository, and the classes that they are held against."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kafka.protocol import admin, consumer, metadata, sasl

import kafka_messages
from kafka_messages import kip_1062

Json = dict[str, Any]

FOLDER = Path(__file__).with_name("frames")
KINDS = ("request", "response")
CORRELATION_ID = 7
CLIENT_ID = "golden"

_KAFKA_PYTHON = (admin, consumer, metadata, sasl)
_OURS = (kip_1062, kafka_messages)


@dataclass(frozen=True)
class Frame:
    """A request or a response with its header: what Kafka's JSON says of its body, and its bytes without the size."""

    api: str
    kind: str
    version: int
    variant: str
    body: Json
    hex: str

    def __str__(self) -> str:
        return f"{self.message}-{self.version}-{self.variant}"

    @property
    def message(self) -> str:
        return self.api + self.kind.capitalize()

    @property
    def bytes(self) -> bytes:
        return bytes.fromhex(self.hex)

    @property
    def header(self) -> Json:
        if self.kind == "response":
            return {"correlationId": CORRELATION_ID}
        asked = {"requestApiKey": codec(self.message).API_KEY, "requestApiVersion": self.version}
        return {**asked, "correlationId": CORRELATION_ID, "clientId": CLIENT_ID}


def codec(message: str) -> Any:
    """The class that a message is encoded and decoded by: ours where there is one, else kafka-python's."""
    return next(getattr(module, message) for module in (*_OURS, *_KAFKA_PYTHON) if hasattr(module, message))


def original(message: str) -> Any:
    """kafka-python's own class of a message; None where it has none."""
    return next((getattr(module, message) for module in _KAFKA_PYTHON if hasattr(module, message)), None)


def load() -> Iterator[Frame]:
    for file in sorted(FOLDER.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield Frame(file.stem, **json.loads(line))


def keep(api: str, frames: list[Frame]) -> None:
    lines = [{name: value for name, value in asdict(frame).items() if name != "api"} for frame in frames]
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    (FOLDER / f"{api}.jsonl").write_text(text, encoding="utf-8")
