"""The facts that the checks judge, as values.

A question without an answer is a value, too: the `Failure` of a node, the `unread` of a lake.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Literal

from kafka_census.kafka.paging.rpc import Row
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.lake.cluster_key import Last
from kafka_census.pages.header import WalkName
from kafka_census.upkeep.doctor.certificate import Certificate


@dataclass(frozen=True)
class Taken:
    """A walk that a census takes with this configuration.

    tables    the tables that read the walk
    required  those of these tables that are incomplete without the walk
    keyed     whether the walk asks only for keys that another walk has listed
    """

    name: WalkName
    tables: tuple[str, ...]
    required: tuple[str, ...]
    keyed: bool


@dataclass(frozen=True)
class Configured:
    """The configuration of one cluster.

    names    the present name of the cluster, then its former names
    exposed  files with secrets of the cluster that everybody on this machine can read
    """

    settings: ClusterSettings
    names: tuple[str, ...]
    taken: tuple[Taken, ...]
    unreachable_brokers: Literal["refuse", "publish_incomplete"]
    visibility: Literal["require", "accept_unknown"]
    exposed: tuple[str, ...] = ()


class Stage(IntEnum):
    """The steps of talking to a broker, in order."""

    NAME = 0
    TCP = 1
    TLS = 2
    KAFKA = 3
    SASL = 4
    CLUSTER = 5


@dataclass(frozen=True)
class Failure:
    """The step at which talking to a node failed, and why; `remedy` is None where none is known."""

    stage: Stage
    what: str
    remedy: str | None = None


@dataclass(frozen=True)
class Broker:
    """A broker as its cluster reports it; `is_fenced`: registered, but not alive."""

    endpoint: Endpoint
    is_fenced: bool = False


@dataclass(frozen=True)
class View:
    """A node's report about its cluster; `operations` is DescribeCluster's bit field, None where it is not reported."""

    cluster_id: str
    brokers: tuple[Broker, ...]
    operations: int | None


@dataclass(frozen=True)
class Node:
    """A bootstrap server or a broker, as far as it could be reached.

    failure      the failed step; None: the node answered
    certificate  the certificate of the node, accepted or not; None without TLS, or where none was received
    release      the lowest release of Kafka that the node proves
    paging       by walk: cursor, window, whole, or none where the node does not offer the RPC
    """

    endpoint: Endpoint
    failure: Failure | None = None
    certificate: Certificate | None = None
    release: str | None = None
    paging: Mapping[WalkName, str] = field(default_factory=dict)
    view: View | None = None


@dataclass(frozen=True)
class Answer:
    """The answer to a probe: an error code (0 for none; codes of ours are possible), its message, and the items.

    asked, answered  the times of the request and of the answer, by our clock
    """

    code: int
    message: str
    rows: tuple[Row, ...]
    asked: datetime
    answered: datetime


@dataclass(frozen=True)
class History:
    """The lake's history of a configured name, and of the cluster's former names.

    cluster_id  the cluster id of its last census; None for no census
    published   the last published census of the cluster id under each name
    unread      why the audit tables could not be read; None where they could, or where there is no lake yet
    holder      the process that holds the lock of that name; None for none
    lock_trouble  why no process can take the lock; None where one can
    """

    cluster_id: str | None = None
    published: tuple[Last, ...] = ()
    unread: str | None = None
    holder: str | None = None
    lock_trouble: str | None = None


@dataclass(frozen=True)
class Cluster:
    """All facts about one cluster.

    servers  the bootstrap servers, in the order of the configuration
    brokers  the brokers of the first answer; empty where no server answered, or where another cluster answered
    asked    the broker to which the probes were sent; None where no broker could be reached
    answers  the answers to the probes, by walk; RPCs that the broker does not offer are left out
    holders  the ids of brokers with replicas; None where they are not known
    now      the time at which the facts were collected
    """

    configured: Configured
    servers: tuple[Node, ...]
    brokers: tuple[Node, ...]
    asked: Endpoint | None
    answers: Mapping[WalkName, Answer]
    history: History
    now: datetime
    holders: frozenset[int] | None = None

    @property
    def view(self) -> View | None:
        """The report of the first server that answered."""
        return next((node.view for node in self.servers if node.view is not None), None)


@dataclass(frozen=True)
class Found:
    """Something that a census needs: its description, and the problem with it; `trouble` is None where it is usable."""

    what: str
    trouble: str | None = None


@dataclass(frozen=True)
class Machine:
    """The facts about this machine and the lake.

    given_by    the platform that brings Java and the jars of Delta, such as Databricks; None: this machine has them
    java        Java on this machine
    jars        the jars on this machine; None where they were not downloaded yet
    lake        the address of the lake
    is_local    whether the lake is a local folder, which can be checked
    is_there    whether the folder exists
    free_bytes  free bytes of the disk
    """

    given_by: str | None
    java: Found
    jars: Found | None
    lake: Found
    is_local: bool
    is_there: bool = False
    free_bytes: int = 0
