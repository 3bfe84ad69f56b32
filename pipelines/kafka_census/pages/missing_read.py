"""Something that a census did not read completely: a page, a chain of pages, keys, or items that were refused."""

import re
from dataclasses import dataclass

from kafka_census.kafka.error_codes import NAMES
from kafka_census.pages.header import WalkName

_CODES = {name: code for code, name in NAMES.items()}
_OF_ITEMS = re.compile(r"[\d,]+ of [\d,]+ were answered ")
"""The beginning of `of_items`, by which a reason that was read back is known as one of items."""


@dataclass(frozen=True)
class MissingRead:
    """Something that is missing from one walk.

    broker_id   the broker that did not answer; None where any broker could have answered
    error       name of Kafka's error or of ours, such as BROKER_NOT_ALIVE; where no error explains it, `kind` in
                capitals, such as MISSING_CHAIN
    reason      the error in one line
    scope       the scope of the walk; empty where read back from `publications`, which has the RPC only
    kind        one of those in `pages.page_chain`
    error_code  the number of the error, where there is one
    chain_id    the chain that is incomplete; None where the defect is not in a single chain
    """

    rpc: str
    broker_id: int | None
    error: str
    reason: str
    scope: str = ""
    kind: str = "error_page"
    error_code: int | None = None
    chain_id: str | None = None

    @property
    def walk(self) -> WalkName:
        """The walk that is incomplete."""
        return self.rpc, self.scope

    @property
    def is_of_items(self) -> bool:
        """Whether only items are refused: pages are complete, and transforms see the items with their errors."""
        return self.kind == "item_errors"

    @property
    def line(self) -> str:
        """One phrase, such as "ListGroups was not read from broker 3 (BROKER_NOT_ALIVE)"."""
        broker = "" if self.broker_id is None else f" from broker {self.broker_id}"
        return f"{self.rpc} was not read{broker} ({self.error})"


def unexplained(
    walk: WalkName, broker_id: int | None, kind: str, reason: str, chain_id: str | None = None
) -> MissingRead:
    """A missing read that no error of Kafka's explains."""
    rpc, scope = walk
    return MissingRead(rpc, broker_id, kind.upper(), reason, scope, kind, chain_id=chain_id)


def of_items(count: int, every: int, error: str, example: str) -> str:
    """The reason for items of good pages that were answered with an error."""
    return f"{count:,} of {every:,} were answered {error}, such as {example}"


def read_back(rpc: str, broker_id: int | None, error: str | None, reason: str | None = None) -> MissingRead:
    """A missing read as `publications` keeps it: kind and code follow from error and reason, the scope is empty."""
    code = _CODES.get(error or "")
    kind = (error or "").lower()
    if code is not None:
        kind = "item_errors" if _OF_ITEMS.match(reason or "") else "error_page"
    return MissingRead(rpc, broker_id, error or "", reason or "", kind=kind, error_code=code)
