"""The true rows of tables about transactions and producers for an emulated world.

Written from the data dictionary. A column with a sentence, a moment or an age is `True` where a value is required.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from harness.known_world import KnownWorld, Row, leader_of, uuid_text
from harness.true_groups import placed
from kafka_emulator.producers import Producer
from kafka_emulator.topics import TRANSACTIONS_TOPIC

OPEN = ("Ongoing", "PrepareCommit", "PrepareAbort", "PrepareEpochFence")
NO_OFFSET = -1
ASKED = 1
"""The broker that answers for partitions without a leader: the first that is alive. It reports its replica, if any."""

MAX_TIMEOUT_MS = 900_000
"""Kafka's default of transaction.max.timeout.ms, which all brokers report."""


def moment(milliseconds: int) -> datetime:
    """A time from milliseconds since 1970."""
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)


def transaction_coordinator_placement(known: KnownWorld) -> Iterator[Row]:
    """A row per transactional id. All transactions of a world began long ago."""
    for one in known.transactions:
        is_open = one.state in OPEN
        coordinator = known.world.transaction_coordinator(one.transactional_id)
        yield {
            "transactional_id": one.transactional_id,
            "transaction_state": one.state,
            **placed(known, TRANSACTIONS_TOPIC, one.transactional_id, coordinator),
            "producer_id": one.producer_id,
            "producer_epoch": one.producer_epoch,
            "described_state": one.state,
            "transaction_timeout_ms": one.timeout_ms,
            "transaction_started_at": None if one.start_time_ms < 0 else moment(one.start_time_ms),
            "written_partitions": len(one.partitions),
            "description_reason": False,
            "duration_ms": is_open,
            "duration_reason": not is_open,
            "over_timeout": True if is_open else None,
        }


def _producers(known: KnownWorld) -> Iterator[tuple[str, int, list[Producer] | None]]:
    """Topic, partition and its producers; None without a leader, if the broker that answers has no replica."""
    for (name, index), state in known.states.items():
        asked = ASKED if leader_of(state) is None else state.leader
        is_reported = asked in state.replicas and asked not in state.offline
        yield name, index, list(known.world.producers(known.by_name[name], index)) if is_reported else None


def _is_open(producer: Producer) -> bool:
    return producer.current_txn_start_offset != NO_OFFSET


def producer_state(known: KnownWorld) -> Iterator[Row]:
    """Every partition."""
    for topic, index, reported in _producers(known):
        producers = reported or []
        is_read, count = reported is not None, len(producers)
        open_ones = [one for one in producers if _is_open(one)]
        # The marker that ends a transaction has the epoch of its coordinator.
        idempotent = sum(not _is_open(one) and one.coordinator_epoch < 0 for one in producers)
        yield {
            "topic": topic,
            "partition": index,
            "topic_id": uuid_text(known.by_name[topic].topic_id),
            "asked_broker_id": leader_of(known.states[topic, index]) or ASKED,
            "producer_ids": count if is_read else None,
            "idempotent_only": idempotent if is_read else None,
            "idempotent_only_share": idempotent / count if count else None,
            "open_transactions": len(open_ones) if is_read else None,
            "oldest_open_offset": min((one.current_txn_start_offset for one in open_ones), default=None),
            "oldest_open_timestamp": _earliest(open_ones),
            "oldest_last_timestamp": _earliest(producers),
            "producer_ids_per_hour": None,
            "previous_census_id": False,
            "reason": not is_read,
        }


def _earliest(producers: list[Producer]) -> datetime | None:
    times = [one.last_timestamp for one in producers]
    return moment(min(times)) if times else None


def hanging_transactions(known: KnownWorld) -> Iterator[Row]:
    """A row per open transaction of a partition, and per partition whose producers no broker reported."""
    holders = {one.producer_id: one for one in known.transactions}
    for topic, index, producers in _producers(known):
        if producers is None:
            yield _unread(topic, index)
        for one in filter(_is_open, producers or ()):
            held = holders[one.producer_id]
            is_held = (topic, index) in held.partitions
            yield {
                **_unread(topic, index),
                "producer_id": one.producer_id,
                "producer_epoch": one.epoch,
                "current_txn_start_offset": one.current_txn_start_offset,
                "verdict": "held" if is_held else "hanging",
                "evidence": None if is_held else "not_in_transaction",
                # Its last record is older than any transaction may be.
                "confidence": None if is_held else "high",
                "reason": not is_held,
                "transactional_id": held.transactional_id,
                "transaction_state": held.state,
                "transaction_timeout_ms": held.timeout_ms,
                "rechecked_at": True,
                "last_timestamp": moment(one.last_timestamp),
                "record_age_ms": True,
                "first_seen_at": True,
                "seen_for_ms": True,
                "max_timeout_ms": MAX_TIMEOUT_MS,
                "max_timeout_source": "broker",
                "late": True,
                "hanging_since": not is_held,
                "censuses_hanging": 0 if is_held else 1,
            }


def _unread(topic: str, index: int) -> Row:
    """A partition whose producers were not read."""
    nothing = (
        "producer_epoch",
        "current_txn_start_offset",
        "evidence",
        "confidence",
        "transactional_id",
        "transaction_state",
        "transaction_timeout_ms",
        "last_timestamp",
        "max_timeout_ms",
        "max_timeout_source",
        "late",
    )
    absent = ("doubt", "rechecked_at", "record_age_ms", "first_seen_at", "seen_for_ms", "hanging_since")
    return {
        "topic": topic,
        "partition": index,
        "producer_id": -1,
        "verdict": "unknown",
        "reason": True,
        "censuses_hanging": 0,
        "previous_census_id": False,
        **dict.fromkeys(nothing),
        **dict.fromkeys(absent, False),
    }
