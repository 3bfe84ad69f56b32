"""The verdict on each loss: the last steps of the SQL of `query.py`.

The first that holds:

    loses_availability  a partition has no leader, or only one that was not in sync; or the metadata quorum no majority
    stops_writes        a partition has fewer in-sync replicas than its effective minimum ISR asks for
    unknown             an answer is missing that could show one of these
    degrades            a partition is left with one in-sync replica, or the copy of a reassignment stops
    safe                none of these; leaders and coordinators move, and partitions may be at their minimum

What is so already is not counted for a loss: it is the row `nothing`. A harm that is known decides even where other
answers are missing; the reason names both.
"""

from collections.abc import Sequence

from kafka_census.impact.step import Join, Step, select

VERDICTS = ("loses_availability", "stops_writes", "unknown", "degrades", "safe")
"""Every verdict, the worst first."""

ALL_WELL = "every partition has a leader and its minimum ISR"


def _said(count: str, one: str, many: str) -> str:
    """SQL of a count in words; null for 0."""
    return f"CASE WHEN {count} = 1 THEN '1 {one}' WHEN {count} > 1 THEN CAST({count} AS STRING) || ' {many}' END"


_HARMS = (
    _said("offline", "partition without a leader", "partitions without a leader"),
    _said(
        "uncleanly",
        "partition with a leader that was not in sync, and lacks records",
        "partitions with leaders that were not in sync, and lack records",
    ),
    """CASE WHEN no_majority THEN CAST(voters_left AS STRING) || ' of ' || CAST(voters AS STRING)
    || ' voters caught up, which is no majority' END""",
    _said("under", "partition under its minimum ISR", "partitions under their minimum ISR"),
    _said("last_in_sync", "partition with one in-sync replica left", "partitions with one in-sync replica left"),
    _said(
        "stopped", "reassignment without the replica that it copies to", "reassignments without a replica to copy to"
    ),
)
_OPEN = (
    "partitions_reason", "min_isr_reason", "groups_gap", "groups_unforeseen", "transactional_ids_gap",
    "transactional_ids_unforeseen", "quorum_reason", "moves_gap",
)  # fmt: skip


_OWN = (
    "broker_id",
    "unplaced",
    "groups_gap",
    "groups_elsewhere",
    "transactional_ids_gap",
    "transactional_ids_elsewhere",
)
"""What a broker's row knows, and the rows of its log dirs and of its controller need."""


def _ids(name: str, noun: str, leads: str) -> tuple[str, ...]:
    """What is known of one kind of coordinated ids: how many move, how many are stranded, why that is not known."""
    away = f"own_{name}_elsewhere"
    unforeseen = _said(
        away,
        f"{noun} hashes to a partition that another broker leads: where it goes is not known",
        f"{noun}s hash to partitions that other brokers lead: where they go is not known",
    )
    return (
        f"coalesce({name}, 0) + coalesce({away}, 0) AS {name}",
        f"coalesce({name}_stranded, 0) AS {name}_stranded",
        f"CASE WHEN coalesce({leads}, 0) > 0 THEN own_{name}_gap END AS {name}_gap",
        f"{unforeseen} AS {name}_unforeseen",
    )


def _ids_shown(name: str) -> tuple[str, ...]:
    """The columns of one kind of coordinated ids."""
    reason = f"coalesce({name}_gap, {name}_unforeseen, partitions_reason)"
    return (
        f"CASE WHEN {name}_gap IS NULL THEN {name} END AS {name}_moving",
        f"CASE WHEN {reason} IS NULL THEN {name}_stranded END AS {name}_stranded",
        f"{reason} AS {name}_reason",
    )


_COUNTED = (
    "offline", "uncleanly", "under", "at_minimum", "last_in_sync", "moved", "no_minimum", "no_leader_known",
    "no_bytes", "offline_bytes", "offline_topics", "stopped",
)  # fmt: skip
_HIDDEN = _said(
    "no_leader_known", "partition has a leader that is not known", "partitions have leaders that are not known"
)
_NOWHERE = _said(
    "nowhere",
    "in-sync replica of the broker is in no log dir that it told",
    "in-sync replicas of the broker are in no log dir that it told",
)
_NO_MINIMUM = _said(
    "no_minimum", "partition has a minimum ISR that is not known", "partitions have a minimum ISR that is not known"
)
_NO_BYTES = _said(
    "no_bytes",
    "partition is in no log dir of its leader that was read",
    "partitions are in no log dir of their leaders that was read",
)


def verdicts(totals: Sequence[str], examples: int) -> list[Step]:
    """The last steps, to the columns of failure_impact, from `things`, `totals`, `moving` and the frames.

    totals    the names of what is counted and summed
    examples  how many partitions are named, at most
    """
    named = ", ".join(f"substring(try_element_at(worst, {nth}), 2)" for nth in range(1, examples + 1))
    minimum = "partitions_reason IS NULL AND min_isr_reason IS NULL"
    own = (
        f"CASE WHEN broker_id IS NULL THEN {name} "
        f"ELSE max(CASE WHEN kind = 'broker' THEN {name} END) OVER (PARTITION BY broker_id) END AS own_{name}"
        for name in _OWN
    )
    return [
        (
            "lost",
            select(
                "things",
                "things.*",
                "totals.leaders_to",
                "totals.worst",
                "totals.offline_topics",
                """CASE WHEN things.kind = 'broker' AND things.state <> 'alive' THEN 0
                  ELSE moving.stopped END AS stopped""",
                "cluster.moves_gap",
                "cluster.observed_at",
                "cluster.partitions_gap",
                "cluster.has_quorum",
                "CASE WHEN cluster.has_quorum THEN cluster.quorum_gap END AS quorum_gap",
                "size(cluster.voters) AS voters",
                "size(array_except(cluster.caught_up, nodes)) AS voters_left",
                "size(array_except(cluster.unheard, nodes)) AS unsure",
                *(f"totals.{name}" for name in totals),
                joins=(
                    Join("cluster"),
                    Join("totals", "totals.kind = things.of_kind AND totals.name = things.of_name"),
                    Join("moving", "moving.kind = things.of_kind AND moving.name = things.of_name"),
                ),
            ),
        ),
        ("owned", select("lost", "*", *own)),
        (
            "known",
            select(
                "owned",
                "kind",
                "name",
                "rack",
                "log_dir",
                "state",
                "gap",
                "leaders_to",
                "moves_gap",
                "observed_at",
                "partitions_gap",
                "has_quorum",
                "quorum_gap",
                "CAST(voters AS BIGINT) AS voters",
                "CAST(voters_left AS BIGINT) AS voters_left",
                "unsure",
                "CAST(floor(voters / 2) AS BIGINT) + 1 AS needed",
                f"concat_ws(', ', {named}) AS examples",
                "own_broker_id AS broker_id",
                "CASE WHEN kind = 'log_dir' THEN coalesce(own_unplaced, 0) ELSE 0 END AS nowhere",
                *(f"coalesce({name}, 0) AS {name}" for name in _COUNTED),
                *_ids("groups", "group", "leads_offsets"),
                *_ids("transactional_ids", "transactional id", "leads_transactions"),
            ),
        ),
        (
            "reasoned",
            select(
                "known",
                "*",
                f"coalesce(gap, partitions_gap, {_HIDDEN}, {_NOWHERE}) AS partitions_reason",
                f"{_NO_MINIMUM} AS min_isr_reason",
                f"{_NO_BYTES} AS bytes_reason",
                "voters > 0 AND voters_left + unsure < needed AS no_majority",
                """CASE WHEN NOT has_quorum THEN NULL WHEN quorum_gap IS NOT NULL THEN quorum_gap
                  WHEN voters = 0 THEN 'no voter of the metadata quorum is known'
                  WHEN voters_left < needed AND voters_left + unsure >= needed THEN
                    CAST(voters_left AS STRING) || ' of ' || CAST(voters AS STRING) || ' voters caught up, '
                    || CAST(unsure AS STRING) || ' not heard from' END AS quorum_reason""",
            ),
        ),
        (
            "failure_impact",
            select(
                "reasoned",
                "observed_at",
                "kind",
                "name",
                "broker_id",
                "rack",
                "log_dir",
                f"""CASE WHEN offline + uncleanly > 0 OR no_majority THEN 'loses_availability'
                  WHEN under > 0 THEN 'stops_writes'
                  WHEN {" OR ".join(f"{name} IS NOT NULL" for name in _OPEN)} THEN 'unknown'
                  WHEN last_in_sync + stopped > 0 THEN 'degrades' ELSE 'safe' END AS verdict""",
                f"""coalesce(nullif(concat_ws('; ', {", ".join((*_HARMS, *_OPEN))}), ''),
                  CASE WHEN kind = 'broker' AND state <> 'alive'
                    THEN 'the broker is not alive: nothing more is lost with it'
                  WHEN kind = 'log_dir' AND state <> 'online'
                    THEN 'the log dir is not online: nothing more is lost with it'
                  ELSE '{ALL_WELL}' END) AS reason""",
                "nullif(examples, '') AS examples",
                "CASE WHEN partitions_reason IS NULL THEN offline END AS offline_partitions",
                "CASE WHEN partitions_reason IS NULL THEN offline_topics END AS offline_topics",
                """CASE WHEN partitions_reason IS NULL AND bytes_reason IS NULL AND kind <> 'nothing' THEN
                  offline_bytes END AS offline_bytes""",
                """CASE WHEN kind = 'nothing' THEN 'what is offline already is not measured'
                  ELSE coalesce(partitions_reason, bytes_reason) END AS offline_bytes_reason""",
                "CASE WHEN partitions_reason IS NULL THEN uncleanly END AS unclean_partitions",
                f"CASE WHEN {minimum} THEN under END AS under_min_isr_partitions",
                f"CASE WHEN {minimum} THEN at_minimum END AS at_min_isr_partitions",
                "min_isr_reason",
                "CASE WHEN partitions_reason IS NULL THEN last_in_sync END AS last_in_sync_partitions",
                "CASE WHEN partitions_reason IS NULL THEN moved END AS leaders_moving",
                "leaders_to",
                "partitions_reason",
                *_ids_shown("groups"),
                *_ids_shown("transactional_ids"),
                "CASE WHEN moves_gap IS NULL THEN stopped END AS reassignments_stopped",
                "moves_gap AS reassignments_reason",
                "voters_left",
                "CASE WHEN voters > 0 THEN needed END AS voters_needed",
                "CASE WHEN has_quorum AND quorum_reason IS NULL THEN NOT no_majority END AS keeps_quorum",
                "quorum_reason",
            ),
        ),
    ]
