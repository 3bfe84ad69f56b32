"""The frames that are kept in the repository, the classes they are held against, and the versions a census may send."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kafka.protocol import admin, consumer, metadata, sasl
from kafka.protocol.sasl import SaslAuthenticateRequest, SaslHandshakeRequest

import kafka_messages
from kafka_census.deletion.writing.delete_groups import DELETE_GROUPS
from kafka_census.kafka.paging import locate
from kafka_census.kafka.protocol import identity
from kafka_census.kafka.rpc import RPCS
from kafka_messages import ApiVersionsRequest, kip_1062

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


_DOCUMENT = Path(__file__).parents[2] / "docs" / "kip-1062.md"
_BESIDE_RPCS = (
    ("ApiVersions", 0, ApiVersionsRequest.max_version),
    ("DeleteGroups", *DELETE_GROUPS.apis[0].versions),
    ("SaslHandshake", 0, SaslHandshakeRequest.max_version),
    ("SaslAuthenticate", 0, SaslAuthenticateRequest.max_version),
    ("DescribeCluster", 0, identity.DESCRIBE_CLUSTER_MAX),
    ("DescribeConfigs", *identity.DESCRIBE_CONFIGS),
    ("Metadata", identity.METADATA_MIN, identity.METADATA_MAX),
    ("Metadata", locate.METADATA_MIN, locate.METADATA_MAX),
    ("FindCoordinator", 1, locate.FIND_COORDINATOR_MAX),
)
"""What connections, the bootstrap, the search for a key's node and the deletion of groups send."""


@dataclass(frozen=True)
class Draft:
    """A row of the document's table: the first version with the draft's fields, and the cursor's fields in order."""

    api: str
    key: int
    version: int
    cursor: tuple[str, ...]


@cache
def drafts() -> dict[str, Draft]:
    """The rows of the document's table, by API."""
    row = r"\| (\w+) \((\d+)\) \| (\d+)[^|]* \| ([^|]+) \|"
    found = re.findall(row, _DOCUMENT.read_text(encoding="utf-8"))
    words = [(api, int(key), int(version), tuple(re.findall(r"[A-Z]\w+", cell))) for api, key, version, cell in found]
    return {one[0]: Draft(*one) for one in words}


@cache
def used() -> frozenset[tuple[str, int]]:
    """API and version of all that may be sent, below the drafts."""
    of_rpcs = ((api.name, api.min_version, api.max_version) for rpc in RPCS for api in rpc.apis)
    return frozenset(
        (name, version)
        for name, lowest, highest in (*of_rpcs, *_BESIDE_RPCS)
        for version in range(lowest, highest + 1)
        if name not in drafts() or version < drafts()[name].version
    )
