"""What the gate lets pass: two settings, and which error pages each of them covers.

`completeness.unreachable_brokers: publish_incomplete` covers brokers that gave no
answer: not alive, not connected, out of time, still answering "try again" after all
retries, or too old for the request. `completeness.visibility: accept_unknown` covers
what our principal may not see: listings that may be short, and error pages that refuse
us. Nothing covers lost data: a broken chain, an answer that could not be read or that
lacks keys it was asked for always refuses, because then our own reading went wrong.
What is covered is published with `is_complete` false and named in `missing`.
"""

from dataclasses import dataclass
from typing import Literal

from kafka_census.errors import ConfigError
from kafka_census.thresholds import DEFAULTS, Thresholds

UNREACHABLE = (-100, -101, -102)
"""BROKER_NOT_ALIVE, CONNECTION_FAILED, DEADLINE_EXCEEDED: the broker was not heard."""

_TRY_AGAIN = (3, 5, 6, 7, 8, 9, 13, 14, 15, 16, 41, 56, 72, 74, 75, 78, 89)
"""Kafka's retriable errors (`org.apache.kafka.common.errors.RetriableException`) that readers meet."""

_UNSUPPORTED = (35,)
"""UNSUPPORTED_VERSION: the broker is older than the request."""

_FORBIDDEN = (29, 30, 31, 53, 58, -106)
"""Authorization errors; NOT_ASKED where the topic that allows asking was not seen although groups exist."""

_TOO_LARGE = (-104,)

Cover = Literal["unreachable_brokers", "visibility", "nothing"]


@dataclass(frozen=True)
class GatePolicy:
    """`completeness` and `gate` of the configuration: refuse by default."""

    unreachable_brokers: Literal["refuse", "publish_incomplete"] = "refuse"
    visibility: Literal["require", "accept_unknown"] = "require"
    thresholds: Thresholds = DEFAULTS

    def __post_init__(self) -> None:
        """Refuse words that mean nothing here."""
        if self.unreachable_brokers not in ("refuse", "publish_incomplete"):
            raise ConfigError("completeness.unreachable_brokers is refuse or publish_incomplete")
        if self.visibility not in ("require", "accept_unknown"):
            raise ConfigError("completeness.visibility is require or accept_unknown")

    def accepts(self, cover: Cover) -> bool:
        """Whether a defect under that cover may be published as incomplete."""
        if cover == "unreachable_brokers":
            return self.unreachable_brokers == "publish_incomplete"
        return cover == "visibility" and self.visibility == "accept_unknown"


def cover_of(defect: str, error_code: int | None) -> Cover:
    """Which setting covers a defect of the page chain; `nothing` for lost data."""
    if defect != "error_page" or error_code is None:
        return "nothing"
    if error_code in (*UNREACHABLE, *_TRY_AGAIN, *_UNSUPPORTED):
        return "unreachable_brokers"
    return "visibility" if error_code in _FORBIDDEN else "nothing"


def advice(cover: Cover, error_code: int | None) -> str:
    """What a person can do about a refusal, in half a line."""
    if cover == "unreachable_brokers":
        return "publish anyway with completeness.unreachable_brokers: publish_incomplete"
    if cover == "visibility":
        return "grant the principal DESCRIBE, or publish anyway with completeness.visibility: accept_unknown"
    if error_code in _TOO_LARGE:
        return "raise collect.receive_message_max_bytes and run the census again"
    return "run the census again"
