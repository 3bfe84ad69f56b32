"""What was found out, as values: all that the checks judge by.

A question that got no answer is a value too, in words: a `Failure` of a node, the `unread` of a lake.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Literal

from kafka_census.doctor.certificate import Certificate
from kafka_census.pages.header import WalkName
from kafka_census.paging.rpc import Row
from kafka_census.protocol.endpoint import Endpoint
from kafka_census.protocol.settings import ClusterSettings


@dataclass(frozen=True)
class Taken:
    """A walk that a census takes with this configuration.

    tables    those that read it
    required  those of them that are not complete without it
    keyed     whether it is asked only for keys that another walk has listed
    """

    name: WalkName
    tables: tuple[str, ...]
    required: tuple[str, ...]
    keyed: bool


@dataclass(frozen=True)
class Configured:
    """What the configuration says of one cluster.

    exposed  files with its secrets that everybody on this machine can read
    """

    settings: ClusterSettings
    taken: tuple[Taken, ...]
    unreachable_brokers: Literal["refuse", "publish_incomplete"]
    visibility: Literal["require", "accept_unknown"]
    exposed: tuple[str, ...] = ()


class Stage(IntEnum):
    """What talking to a broker takes, one after the other."""

    NAME = 0
    TCP = 1
    TLS = 2
    KAFKA = 3
    SASL = 4
    CLUSTER = 5


@dataclass(frozen=True)
class Failure:
    """Where talking to a node ended, and why; `remedy` None where nobody knows."""

    stage: Stage
    what: str
    remedy: str | None = None


@dataclass(frozen=True)
class Broker:
    """A broker as its cluster names it; `is_fenced`: registered, but not alive."""

    endpoint: Endpoint
    is_fenced: bool = False


@dataclass(frozen=True)
class View:
    """What a node says of its cluster; `operations` is DescribeCluster's bit field, None where it did not report it."""

    cluster_id: str
    brokers: tuple[Broker, ...]
    operations: int | None


@dataclass(frozen=True)
class Node:
    """A bootstrap server or a broker, as far as it could be talked to.

    failure      where that ended; None: it answered
    certificate  what it presented, accepted or not; None without TLS, or where none was seen
    release      the release of Kafka that it proves at least
    paging       of each walk: cursor, window, whole, or none where the node does not offer the RPC
    """

    endpoint: Endpoint
    failure: Failure | None = None
    certificate: Certificate | None = None
    release: str | None = None
    paging: Mapping[WalkName, str] = field(default_factory=dict)
    view: View | None = None


@dataclass(frozen=True)
class Answer:
    """What a probe was answered: an error code (0 for none, ours too), in words, and the items where it has any.

    asked, answered  between which moments, by our clock
    """

    code: int
    message: str
    rows: tuple[Row, ...]
    asked: datetime
    answered: datetime


@dataclass(frozen=True)
class History:
    """What the lake knows of a configured name.

    cluster_id  of its last census; None for no census
    published   the id of the last published census of the cluster; None for none
    unread      why the audit tables could not be read; None where they were, or there is no lake yet
    is_old      they are still where an older release had them
    holder      who holds the lock of that name; None for nobody
    lock_trouble  why the lock cannot be taken by anybody; None where it can
    """

    cluster_id: str | None = None
    published: str | None = None
    unread: str | None = None
    is_old: bool = False
    holder: str | None = None
    lock_trouble: str | None = None


@dataclass(frozen=True)
class Cluster:
    """All that was found out about one cluster.

    servers  its bootstrap servers, in the order of the configuration
    brokers  those that the first answer named; empty where nobody answered, or another cluster than the configured
    asked    the broker that the probes were sent to; None where none could be
    answers  by walk: what the probes were answered; those that the broker does not offer are left out
    now      when all was found out
    """

    configured: Configured
    servers: tuple[Node, ...]
    brokers: tuple[Node, ...]
    asked: Endpoint | None
    answers: Mapping[WalkName, Answer]
    history: History
    now: datetime

    @property
    def view(self) -> View | None:
        """What the first server says that answered."""
        return next((node.view for node in self.servers if node.view is not None), None)


@dataclass(frozen=True)
class Found:
    """Something that a census needs: what was found, or what is wrong with it; `trouble` None: it can be used."""

    what: str
    trouble: str | None = None


@dataclass(frozen=True)
class Machine:
    """What was found out about this machine and the lake.

    given_by    who brings Java and the jars of Delta, such as Databricks; None: this machine does
    java        of this machine
    jars        of this machine; None where they were not fetched yet
    lake        its address
    is_local    whether the lake is a folder, which can be looked at
    is_there    whether it is there already
    free_bytes  of its disk
    """

    given_by: str | None
    java: Found
    jars: Found | None
    lake: Found
    is_local: bool
    is_there: bool = False
    free_bytes: int = 0
