"""Lookup strategies: which broker answers a request (Kafka's `AdminApiLookupStrategy` and its classes).

A walk declares its strategy (`declarations/walks.py`). The planner sends requests to these brokers, and the pager
follows keys whose broker has changed since.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class AllBrokers:
    """Each broker answers for itself, in its own chain (`AllBrokersStrategy`)."""


@dataclass(frozen=True)
class AnyBroker:
    """Any alive broker answers for the whole cluster.

    controller  KRaft brokers forward the request; in ZooKeeper mode only the controller answers, and is asked
    """

    controller: bool = False


@dataclass(frozen=True)
class Coordinator:
    """The coordinator of each key answers (`CoordinatorStrategy`).

    key_type  the key type of FindCoordinator
    """

    key_type: Literal["group", "transactional_id"]


@dataclass(frozen=True)
class PartitionLeader:
    """The leader of each partition answers (`PartitionLeaderStrategy`); a key is `paging.rpc.partition_key`."""


KeyLookup = Coordinator | PartitionLeader
"""Strategies with one broker per key."""

LookupStrategy = AllBrokers | AnyBroker | KeyLookup
"""All strategies."""

ANY_BROKER = AnyBroker()
"""The strategy of most walks."""

GROUP_COORDINATOR, TRANSACTION_COORDINATOR = Coordinator("group"), Coordinator("transactional_id")
"""Both kinds of coordinators."""
