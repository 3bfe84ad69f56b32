"""Partitions of Kafka's internal topics without a leader: no answer holds their contents, and none has an error.

The leader of a `__consumer_offsets` partition lists its groups, the leader of a `__transaction_state` partition its
transactional ids; the partitions of `__share_group_state` hold start offsets of share groups. Where a disk is lost
or all replicas are down there is no leader, and the brokers' answers are incomplete without an error. So a partition
without a leader, or one that was not described, is reported by name as missing from each walk that reads
its contents (`Walk.lives_in`). A topic that Metadata does not name has no partitions: it was never created, or
an ACL hides it, which the visibility checks report.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kafka_census.declarations.walk import Walk
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.pages.header import Header, WalkName, latest
from kafka_census.pages.missing_read import MissingRead
from kafka_census.pages.page_chain import Keys

_BY_NAME: WalkName = ("Metadata", "unlisted")
"""Topics that no listing named, asked for by name: hidden by an ACL, or created since, and not described."""
_NAMED = 20
"""The number of partitions that a message names."""


@dataclass
class _Topic:
    """An internal topic as answered: its number of partitions, its error, and each partition's leader, -1 for none."""

    size: int = 0
    error_code: int | None = None
    leaders: dict[int, int] = field(default_factory=dict)


def leaderless(
    headers: Iterable[Header], walks: Sequence[Walk], keys: Mapping[WalkName, Keys]
) -> Iterator[MissingRead]:
    """What is missing from these walks, at most two per walk; a keyed walk only counts where it had keys to ask for."""
    topics = _topics(headers)
    for walk in walks:
        topic = topics.get(walk.lives_in or "")
        if topic is None or (walk.keys is not None and (walk.rpc, walk.scope) not in keys):
            continue
        unled = sorted(number for number, leader in topic.leaders.items() if leader < 0)
        if unled:
            what, has, their = _words(unled, walk, "has", "have")
            message = f"{what} {has} no leader: {their} {walk.scope} are in no answer"
            code = ErrorCode.LEADER_NOT_AVAILABLE
            yield _missing(walk, code, code.name, message)
        unknown = sorted(set(range(topic.size)) - topic.leaders.keys())
        if unknown or not topic.leaders:
            what, was, their = _words(unknown, walk, "was", "were")
            message = f"{what} {was} not described: whether a broker tells {their} {walk.scope} is not known"
            yield _missing(walk, topic.error_code, "NOT_DESCRIBED", message)


def _topics(headers: Iterable[Header]) -> dict[str, _Topic]:
    """The internal topics that answers name, by name."""
    found: dict[str, _Topic] = {}
    for (walk, _), pages in latest(headers).items():
        if walk == _BY_NAME:
            continue
        for item in (item for page in pages if not page.failed for item in page.internal or ()):
            topic = found.setdefault(item["topic"], _Topic())
            topic.size = max(topic.size, item["partition_count"] or 0)
            topic.error_code = item["error_code"] or topic.error_code
            if item["partition"] is not None:
                topic.leaders[item["partition"]] = -1 if item["leader_id"] is None else item["leader_id"]
    return found


def _words(partitions: Sequence[int], walk: Walk, one: str, many: str) -> tuple[str, str, str]:
    """Subject, verb and pronoun, such as ("partitions 3, 5 of __consumer_offsets", "have", "their")."""
    if len(partitions) > 1:
        shown = ", ".join(map(str, partitions[:_NAMED]))
        more = f" and {len(partitions) - _NAMED} more" if len(partitions) > _NAMED else ""
        return f"partitions {shown}{more} of {walk.lives_in}", many, "their"
    return (f"partition {partitions[0]} of {walk.lives_in}" if partitions else f"{walk.lives_in}"), one, "its"


def _missing(walk: Walk, code: int | None, error: str, message: str) -> MissingRead:
    return MissingRead(walk.rpc, None, error, message, walk.scope, "leaderless", code)
