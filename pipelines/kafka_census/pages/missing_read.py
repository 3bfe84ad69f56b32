"""Something that a census did not read, or not whole: a page, a chain of pages, keys, or items that were refused."""

from dataclasses import dataclass

from kafka_census.error_codes import NAMES
from kafka_census.pages.header import WalkName

_CODES = {name: code for code, name in NAMES.items()}


@dataclass(frozen=True)
class MissingRead:
    """What is missing of one walk.

    broker_id   the broker that did not give it; None where any broker would have done
    error       name of Kafka's error or of ours, such as BROKER_NOT_ALIVE; where no error explains it, its kind in
                capitals, such as MISSING_CHAIN
    reason      the error in one line
    scope       the scope of the walk; empty where it was read back from `publications`, which names the RPC only
    kind        one of those in `pages.page_chain`
    error_code  the number of the error, where there is one
    chain_id    the chain that it is missing from, where it is one chain
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
        """The walk it belongs to."""
        return self.rpc, self.scope

    @property
    def is_of_items(self) -> bool:
        """Whether its pages are whole: transforms see its items, with their errors."""
        return self.kind == "item_errors"

    @property
    def line(self) -> str:
        """Such as "ListGroups was not read from broker 3 (BROKER_NOT_ALIVE)"."""
        broker = "" if self.broker_id is None else f" from broker {self.broker_id}"
        return f"{self.rpc} was not read{broker} ({self.error})"


def unexplained(
    walk: WalkName, broker_id: int | None, kind: str, reason: str, chain_id: str | None = None
) -> MissingRead:
    """What is missing without an error of Kafka's."""
    rpc, scope = walk
    return MissingRead(rpc, broker_id, kind.upper(), reason, scope, kind, chain_id=chain_id)


def read_back(rpc: str, broker_id: int | None, error: str | None, reason: str | None) -> MissingRead:
    """One as `publications` keeps it, with the kind and the code that its error tells; without its scope."""
    code = _CODES.get(error or "")
    kind = "error_page" if code is not None else (error or "").lower()
    return MissingRead(rpc, broker_id, error or "", reason or "", kind=kind, error_code=code)
