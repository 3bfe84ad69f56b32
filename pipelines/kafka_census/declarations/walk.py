"""A walk: an RPC and a scope, the keys that it asks for, and the brokers that answer.

The RPC's name is not enough: DescribeConfigs walks topics at any broker, and brokers at each broker itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.lookup import (
    ANY_BROKER,
    GROUP_COORDINATOR,
    TRANSACTION_COORDINATOR,
    AllBrokers,
    AnyBroker,
    LookupStrategy,
    PartitionLeader,
)


@dataclass(frozen=True)
class Only:
    """A filter: items whose `column` (`null` where that is null) is in `values`."""

    column: str
    values: tuple[str, ...] | tuple[int, ...]
    null: str | int | None = None

    def sql(self, of: str = "") -> str:
        """The condition in Spark SQL; `of` is what the column's name begins with."""
        column = f"{of}{self.column}" if self.null is None else f"coalesce({of}{self.column}, {self.null!r})"
        return f"coalesce({column} IN ({', '.join(map(repr, self.values))}), FALSE)"

    def holds(self, item: Mapping[str, Any]) -> bool:
        """The same in Python."""
        value = item[self.column]
        return (self.null if value is None else value) in self.values


@dataclass(frozen=True)
class Except(Only):
    """A filter: the other items."""

    def sql(self, of: str = "") -> str:
        """The condition in Spark SQL."""
        return f"NOT {super().sql(of)}"

    def holds(self, item: Mapping[str, Any]) -> bool:
        """The same in Python."""
        return not super().holds(item)


@dataclass(frozen=True)
class Keys:
    """Keys that landed items name: `columns` of an item, joined by a slash; no key where a column is null.

    unless  keys that these items name as well are left out
    """

    rpc: str
    scope: str
    columns: tuple[str, ...]
    only: Only | None = None
    unless: "Keys | None" = None

    def sql(self, of: str = "") -> str:
        """The key of an item in Spark SQL; null for none. `of` is what the names of columns begin with."""
        key = joined(self.columns, of)
        return f"IF({self.only.sql(of)}, {key}, NULL)" if self.only else key

    def of(self, item: Mapping[str, Any]) -> str | None:
        """The same in Python."""
        parts = [item[column] for column in self.columns]
        named = None not in parts and (self.only is None or self.only.holds(item))
        return "/".join(map(str, parts)) if named else None


@dataclass(frozen=True)
class Located:
    """Landed items that say which broker answers a key.

    keys     the items, and the keys that they name
    node     the item's column with the broker's id; below 0 or null where no broker answers
    unowned  codes that are an ordinary answer for a key that no broker answers, according to `node`
    """

    keys: Keys
    node: str
    unowned: frozenset[int] = frozenset()


def joined(columns: tuple[str, ...], of: str = "") -> str:
    """Columns joined to one key, in Spark SQL; `of` is what their names begin with."""
    parts = ", '/', ".join(f"{of}{column}" for column in columns)
    return f"concat({parts})" if len(columns) > 1 else parts


PARTITIONS = Keys("DescribeTopicPartitions", "topics", ("topic", "partition"))
"""The partitions that brokers have described."""

_NOT_LED = frozenset({ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.NOT_LEADER_OR_FOLLOWER})


def _coordinators(scope: str) -> Located:
    return Located(Keys("FindCoordinator", scope, ("key",), Only("error_code", (0,))), "node_id")


_LOCATED: Mapping[LookupStrategy, Located] = {
    GROUP_COORDINATOR: _coordinators("groups"),
    TRANSACTION_COORDINATOR: _coordinators("transactional_ids"),
    PartitionLeader(): Located(PARTITIONS, "leader_id", unowned=_NOT_LED),
}


@dataclass(frozen=True)
class Walk:
    """One kind of walk.

    lookup       the brokers that answer: every broker of the route, any alive broker, or the broker of each key.
    keys         the landed listing that the walk's windows are cut from, or None.
    answered_by  the columns of an item that name the key which it answers (keyed walks).
    creates      the internal topic that a request would create: no request is sent before the topic has been seen.
    fallback     of a whole walk: the source of keys when its answer is too large or too late.
    about        the columns that name what an item is about, where `answered_by` does not.
    ordinary     values of an item's `error_code` that are no refusal: the key was deleted since it was listed,
                 or the walk asks in order to get the code. Any other code is an item that was refused
                 (`pages.item_errors`).
    lives_in     the internal topic that holds what the walk reads: where one of its partitions has no leader, the
                 answers are incomplete without an error (`pages.leaderless`).
    after        walks (rpc, scope) that must end before this walk begins, because of the order of reads; walks that
                 give its keys or endpoints must end first in any case (`comes_after`).
    """

    rpc: str
    scope: str
    lookup: LookupStrategy = ANY_BROKER
    keys: Keys | None = None
    answered_by: tuple[str, ...] = ()
    creates: str | None = None
    fallback: Keys | None = None
    about: tuple[str, ...] = ()
    ordinary: frozenset[int] = frozenset()
    lives_in: str | None = None
    after: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> tuple[str, str]:
        """(rpc, scope), which identifies the walk."""
        return self.rpc, self.scope

    @property
    def asks_all_brokers(self) -> bool:
        """Whether each broker owes a chain of its own."""
        return isinstance(self.lookup, AllBrokers)

    def first_chain(self, node_id: int) -> tuple[str, tuple[str, ...]]:
        """Id and keys of the chain at a node, for a walk without listed keys.

        A walk that asks each broker about itself has the broker's id as its key; others have no keys.
        """
        chain_id = f"{self.scope}-{node_id}" if self.asks_all_brokers else self.scope
        return chain_id, (str(node_id),) if self.scope == "brokers" else ()

    @property
    def asks_controller(self) -> bool:
        """Whether only the controller answers in ZooKeeper mode."""
        return isinstance(self.lookup, AnyBroker) and self.lookup.controller

    @property
    def located(self) -> Located | None:
        """The items that say which broker answers a key; None where the broker does not depend on the key."""
        return _LOCATED.get(self.lookup)

    @property
    def sources(self) -> frozenset[tuple[str, str]]:
        """The walks from whose items this walk is planned: its keys, the brokers of these, and its internal topic."""
        named = (self.keys, self.keys.unless if self.keys else None, self.located.keys if self.located else None)
        seen = {("Metadata", "names")} if self.creates else set()
        return frozenset(seen | {(keys.rpc, keys.scope) for keys in named if keys})

    @property
    def comes_after(self) -> frozenset[tuple[str, str]]:
        """The walks that must end before this walk begins, where a census takes them."""
        return self.sources | frozenset(self.after)
