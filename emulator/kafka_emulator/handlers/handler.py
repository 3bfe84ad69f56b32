"""The interface of the handler of one RPC."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kafka_emulator.call import Call
from kafka_emulator.configs import Configs
from kafka_emulator.features import AsVersion, Speaks

Versions = Mapping[AsVersion, tuple[int, int]]
"""Lowest and highest version, by the emulated version of Kafka that has them first; none before the first."""


@dataclass(frozen=True)
class Handler:
    """One RPC: the versions that it offers, and its answer.

    request    the request's class: from `kafka_messages.kip_1062` where that has the class
    response   the response's class
    versions   the versions that each Kafka offers, until a later one changes them
    answer     makes the response to a request from the current world; may raise InvalidCursor
    paged      the first version with KIP-1062's cursor, offered only with the feature; None without a cursor
    refuse     makes the response that reports one code for everything; None: as `refusal.refused` does
    limit      the broker's own limit for this RPC; None: max.request.pagination.size.limit
    highest    the highest version with the drafts, where that is not `paged`: Metadata's with KIP-637
    """

    request: Any
    response: Any
    versions: Versions
    answer: Callable[[Any, Call], Any]
    paged: int | None = None
    refuse: Callable[[Any, Call, int], Any] | None = None
    limit: Callable[[Configs, int, Speaks], int] | None = None
    highest: Callable[[Speaks], int | None] | None = None

    @property
    def api_key(self) -> int:
        """Kafka's number of the API."""
        return int(self.request.API_KEY)

    @property
    def name(self) -> str:
        """Kafka's name of the API."""
        return str(self.request.__name__).removesuffix("Request")

    def offered(self, speaks: Speaks) -> tuple[int, int] | None:
        """The lowest and highest version that a broker offers; None where it does not have this RPC."""
        since = [version for version in self.versions if version <= speaks.as_version]
        if not since:
            return None
        versions = self.versions[max(since)]
        draft = self.highest(speaks) if self.highest else (self.paged if speaks.kip_1062 else None)
        return versions[0], max(versions[1], draft or 0)

    def server_limit(self, configs: Configs, broker: int, speaks: Speaks) -> int:
        """The most items that a broker returns in one page."""
        return self.limit(configs, broker, speaks) if self.limit else configs.limit(broker, speaks)

    def pages(self, speaks: Speaks, version: int) -> bool:
        """Whether a request of this version has KIP-1062's cursor."""
        return speaks.kip_1062 and self.paged is not None and version >= self.paged
