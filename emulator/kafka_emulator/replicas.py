"""One partition's leader, ISR and ELR, and how they change when brokers stop and start.

The rules are those of Kafka 4.4's controller: a leader is elected from the ISR; with ELR (KIP-966) the
ISR may become empty, and replicas that left it below min.insync.replicas are eligible; without ELR the last
member stays in the ISR of a partition that has no leader.
"""

from dataclasses import dataclass, replace
from typing import Literal

NO_LEADER = -1


@dataclass(frozen=True, slots=True)
class Partition:
    """The state of one partition; many partitions share one object, so it has no topic and no index.

    replicas         all replicas, adding and removing ones included, in order of preference
    offline          the replicas whose broker or log dir is offline
    last_known_elr   the last leader, while the partition has no leader; else empty
    """

    leader: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    elr: tuple[int, ...] = ()
    last_known_elr: tuple[int, ...] = ()
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()
    offline: tuple[int, ...] = ()


@dataclass(frozen=True)
class Change:
    """A broker that stopped or started."""

    kind: Literal["stop", "start"]
    broker: int


def changed(before: Partition, change: Change, min_isr: int, *, elr: bool) -> Partition:
    """The state after a broker stopped or started."""
    if change.broker not in before.replicas:
        return before
    if change.kind == "stop":
        return _stopped(before, change.broker, min_isr, elr=elr)
    return _started(before, change.broker, min_isr)


def led_by(before: Partition, leader: int) -> Partition:
    """The state after this broker became the leader; it joins the ISR, and the replicas if it is not among them."""
    replicas = before.replicas if leader in before.replicas else (*before.replicas, leader)
    isr = before.isr if leader in before.isr else (*before.isr, leader)
    offline = tuple(one for one in before.offline if one != leader)
    epoch = before.leader_epoch + 1
    return replace(before, leader=leader, leader_epoch=epoch, replicas=replicas, isr=isr, offline=offline)


def _effective(before: Partition, min_isr: int) -> int:
    return min(min_isr, len(before.replicas))


def _stopped(before: Partition, broker: int, min_isr: int, *, elr: bool) -> Partition:
    gone = (*before.offline, broker) if broker not in before.offline else before.offline
    after = replace(before, offline=tuple(one for one in before.replicas if one in gone))
    if broker not in before.isr:
        return after
    isr = tuple(one for one in before.isr if one != broker)
    eligible = before.elr
    if elr and len(isr) < _effective(before, min_isr):
        eligible = (*before.elr, *(one for one in before.isr if one not in isr))
    if isr:
        leads = isr[0] if before.leader == broker else before.leader
        epoch = before.leader_epoch + (leads != before.leader)
        return replace(after, leader=leads, leader_epoch=epoch, isr=isr, elr=eligible)
    last = (broker,) if elr else ()
    left = () if elr else (broker,)
    epoch = before.leader_epoch + 1
    return replace(after, leader=NO_LEADER, leader_epoch=epoch, isr=left, elr=eligible, last_known_elr=last)


def _started(before: Partition, broker: int, min_isr: int) -> Partition:
    offline = tuple(one for one in before.offline if one != broker)
    after = replace(before, offline=offline)
    if before.leader == NO_LEADER:
        if broker not in (*before.isr, *before.elr):
            return after
        # A clean election; the online replicas catch up with the leader.
        isr = tuple(one for one in before.replicas if one == broker or one not in (*offline, *before.adding))
        after = replace(after, leader=broker, leader_epoch=before.leader_epoch + 1, isr=isr, last_known_elr=())
    elif broker not in before.isr and broker not in before.adding:
        isr = tuple(one for one in before.replicas if one in (*before.isr, broker))
        after = replace(after, isr=isr)
    left = () if len(after.isr) >= _effective(after, min_isr) else tuple(e for e in after.elr if e not in after.isr)
    preferred = after.replicas[0]
    if preferred == broker and after.leader != broker and broker in after.isr:
        after = replace(after, leader=broker, leader_epoch=after.leader_epoch + 1)
    return replace(after, elr=left)
