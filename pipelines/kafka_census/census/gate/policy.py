"""The policy of the gate: two settings, and the missing reads that each covers.

`completeness.unreachable_brokers: publish_incomplete` covers brokers that gave no answer: not alive, not connected,
timed out, now of another cluster or behind the address of another broker, on a host that is not allowed, still
answering "try again" after all retries, or too old for the request; also partitions of internal topics without a
leader, and items that were answered with an error.
`completeness.visibility: accept_unknown` covers what the principal may not see: listings that may be incomplete, and
error pages and items that refuse the principal. Nothing covers lost data: a broken chain, or an answer that could not
be read or that lacks requested keys, always refuses, because then our own reading went wrong. A covered gap is
published with `is_complete` false and named in `missing`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Self

from kafka_census.declarations.thresholds import DEFAULTS, Thresholds
from kafka_census.errors import ConfigError
from kafka_census.kafka import error_codes
from kafka_census.kafka.error_codes import UNREACHABLE, ErrorCode

if TYPE_CHECKING:
    from kafka_census.config import Config

_TRY_AGAIN = error_codes.KAFKA_RETRIABLE | {ErrorCode.BROKER_NOT_AVAILABLE}
"""BROKER_NOT_AVAILABLE, a broker's error about others, is not retriable to Kafka, but temporary as well."""

_UNSUPPORTED = (ErrorCode.UNSUPPORTED_VERSION,)
"""The broker is older than the request."""

_CORRECT_FIRST: Mapping[int, str] = {
    ErrorCode.WRONG_CLUSTER: "correct what its address leads to (DNS, VIP, bootstrap_servers) and start a new census",
    ErrorCode.WRONG_BROKER: "give each broker its own address (advertised.listeners, NAT) and start a new census",
    ErrorCode.HOST_NOT_ALLOWED: "name its host in clusters.NAME.allowed_hosts and start a new census",
}
"""What to correct where asking again would change nothing."""

_FORBIDDEN = (
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    ErrorCode.SASL_AUTHENTICATION_FAILED,
    ErrorCode.NOT_ASKED,
)
"""Authorization errors; NOT_ASKED where the topic needed for the request was not seen although groups exist."""

_TOO_LARGE = (ErrorCode.FRAME_TOO_LARGE,)

_OF_GOOD_PAGES = ("leaderless", "item_errors")
"""Kinds of missing reads in good pages: brokers answered that they cannot, or may not, say more."""

Cover = Literal["unreachable_brokers", "visibility", "nothing"]


@dataclass(frozen=True)
class GatePolicy:
    """`completeness` and `gate` of the configuration: refuse by default."""

    unreachable_brokers: Literal["refuse", "publish_incomplete"] = "refuse"
    visibility: Literal["require", "accept_unknown"] = "require"
    thresholds: Thresholds = DEFAULTS

    @classmethod
    def of(cls, config: "Config", *, accept_row_counts: bool = False) -> Self:
        """That of a configuration. `accept_row_counts`: for this run, a loss of rows only warns."""
        rules, thresholds = config.completeness, replace(config.gate, accept_row_counts=accept_row_counts)
        return cls(rules.unreachable_brokers, rules.visibility, thresholds)

    def __post_init__(self) -> None:
        """Raise ConfigError for an unknown value of a setting."""
        if self.unreachable_brokers not in ("refuse", "publish_incomplete"):
            raise ConfigError("completeness.unreachable_brokers is refuse or publish_incomplete")
        if self.visibility not in ("require", "accept_unknown"):
            raise ConfigError("completeness.visibility is require or accept_unknown")

    def accepts(self, cover: Cover) -> bool:
        """Whether a census with something missing under that cover may be published as incomplete."""
        if cover == "unreachable_brokers":
            return self.unreachable_brokers == "publish_incomplete"
        return cover == "visibility" and self.visibility == "accept_unknown"


def cover_of(kind: str, error_code: int | None) -> Cover:
    """The setting that covers a missing read; `nothing` for lost data."""
    if kind in _OF_GOOD_PAGES and error_code not in _FORBIDDEN:
        return "unreachable_brokers"
    if kind not in ("error_page", *_OF_GOOD_PAGES) or error_code is None:
        return "nothing"
    if error_code in (*UNREACHABLE, *_TRY_AGAIN, *_UNSUPPORTED):
        return "unreachable_brokers"
    return "visibility" if error_code in _FORBIDDEN else "nothing"


def advice(cover: Cover, error_code: int | None) -> str:
    """What an operator can do about a refusal, in half a line."""
    if error_code is not None and error_code in _CORRECT_FIRST:
        return _CORRECT_FIRST[error_code]
    if cover == "unreachable_brokers":
        return "publish anyway with completeness.unreachable_brokers: publish_incomplete"
    if cover == "visibility":
        return "grant the principal DESCRIBE, or publish anyway with completeness.visibility: accept_unknown"
    if error_code in _TOO_LARGE:
        return "raise collect.receive_message_max_bytes and run the census again"
    return "run the census again"
