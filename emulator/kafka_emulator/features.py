"""The version of Kafka that a broker emulates: the features in its ApiVersions, by version.

The drafts are features of their own: `admin.pagination` (KIP-1062) and `admin.min.insync.replicas` (KIP-637).
"""

from dataclasses import dataclass
from typing import Literal

from kafka_messages.kip_1062 import MIN_INSYNC_REPLICAS, PAGINATION

AsVersion = Literal["2.8", "3.9", "4.3", "4.4"]
AS_VERSIONS: tuple[AsVersion, ...] = ("2.8", "3.9", "4.3", "4.4")
LATEST: AsVersion = "4.4"

_OF_4 = {
    "kraft.version": 1,
    "transaction.version": 2,
    "group.version": 1,
    "eligible.leader.replicas.version": 1,
    "share.version": 1,
    "streams.version": 1,
}
"""The features of 4.3, with their levels from 0 on, beside metadata.version."""

SUPPORTED: dict[AsVersion, dict[str, tuple[int, int]]] = {
    "2.8": {},
    "3.9": {"metadata.version": (1, 21), "kraft.version": (0, 1)},
    "4.3": {"metadata.version": (7, 30)} | {name: (0, level) for name, level in _OF_4.items()},
    "4.4": {"metadata.version": (7, 33)} | {name: (0, level) for name, level in (_OF_4 | {"share.version": 2}).items()},
}
"""Lowest and highest level of each supported feature."""

FINALIZED: dict[AsVersion, dict[str, int]] = {
    "2.8": {},
    "3.9": {"metadata.version": 21},
    "4.3": {"metadata.version": 30} | _OF_4,
    "4.4": {"metadata.version": 33} | _OF_4 | {"share.version": 2},
}


ELR_SINCE: AsVersion = "4.3"

GroupType = Literal["classic", "consumer", "share", "streams"]
GROUP_TYPES: dict[AsVersion, tuple[GroupType, ...]] = {
    "2.8": ("classic",),
    "3.9": ("classic",),
    "4.3": ("classic", "consumer", "share", "streams"),
    "4.4": ("classic", "consumer", "share", "streams"),
}
"""The types of groups that a cluster can have: 3.9 knows consumer groups, but its brokers have the protocol off."""


@dataclass(frozen=True)
class Speaks:
    """What one broker speaks: the version that it emulates, and the drafts on top of that version."""

    as_version: AsVersion = LATEST
    kip_1062: bool = True
    kip_637: bool = True

    @property
    def supported(self) -> dict[str, tuple[int, int]]:
        """The supported features, including those of the drafts: lowest and highest level by name."""
        drafts = {PAGINATION: self.kip_1062, MIN_INSYNC_REPLICAS: self.kip_637}
        return SUPPORTED[self.as_version] | {name: (1, 1) for name, on in drafts.items() if on}
