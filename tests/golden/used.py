"""Which versions of which APIs a census may send, the drafts aside, and what the draft's document says of those."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kafka.protocol.metadata import ApiVersionsRequest
from kafka.protocol.sasl import SaslAuthenticateRequest, SaslHandshakeRequest

from kafka_census.kafka.paging import locate
from kafka_census.kafka.protocol import identity
from kafka_census.kafka.rpc import RPCS

_DOCUMENT = Path(__file__).parents[2] / "docs" / "kip-1062.md"
_BESIDE_RPCS = (
    ("ApiVersions", 0, ApiVersionsRequest.max_version),
    ("SaslHandshake", 0, SaslHandshakeRequest.max_version),
    ("SaslAuthenticate", 0, SaslAuthenticateRequest.max_version),
    ("DescribeCluster", 0, identity.DESCRIBE_CLUSTER_MAX),
    ("DescribeConfigs", *identity.DESCRIBE_CONFIGS),
    ("Metadata", identity.METADATA_MIN, identity.METADATA_MAX),
    ("Metadata", locate.METADATA_MIN, locate.METADATA_MAX),
    ("FindCoordinator", 1, locate.FIND_COORDINATOR_MAX),
)
"""What connections, the bootstrap and the search for a key's node send, whatever the RPCs are."""


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
