"""The SQL that foretells losses: the same steps in Spark (the table) and in DuckDB (`impact --live`).

Each partition is exploded into one row per replica, one per rack that holds several of its replicas, and one for the
state as it is. Each row is judged by itself, and what is counted of them is summed: by broker, by log dir and by rack.
The cost is linear in replicas. `frames.py` names the frames that stand for the placeholders.

Kafka's rule (PartitionChangeBuilder): of the other replicas, in the order of their assignment, the first in-sync one
leads; only if there is none, the first that is eligible (KIP-966) and alive; then, where the topic enables unclean
elections, the first that is alive. A leader that was not in sync is alone in the ISR.
"""

from collections.abc import Iterator, Mapping, Sequence

from kafka_census.impact.step import Step, select, sql_of
from kafka_census.impact.things import MOVING, THINGS
from kafka_census.impact.verdict import verdicts

MACROS = """
CREATE TEMP MACRO explode(items) AS unnest(items);
CREATE TEMP MACRO size(items) AS len(items);
CREATE TEMP MACRO sequence(first, last) AS range(first, last + 1);
CREATE TEMP MACRO slice(items, first, count) AS list_slice(items, first, first + count - 1);
CREATE TEMP MACRO try_element_at(items, place) AS list_extract(items, place);
CREATE TEMP MACRO named_struct(a, broker_id, b, leaders) AS struct_pack(broker_id := broker_id, leaders := leaders);
CREATE TEMP MACRO collect_list(item) AS coalesce(list(item) FILTER (WHERE item IS NOT NULL), []);
CREATE TEMP MACRO collect_set(item) AS coalesce(list(DISTINCT item) FILTER (WHERE item IS NOT NULL), []);
"""
"""What DuckDB runs before the query: Spark's functions by their names."""

EXAMPLES = 5
"""How many partitions are named as examples, at most."""

_COUNTS = (
    "offline", "uncleanly", "under", "at_minimum", "last_in_sync", "moved", "no_minimum", "no_leader_known",
    "no_bytes", "unplaced", "leads_offsets", "leads_transactions",
)  # fmt: skip
"""Conditions on a row, of which the true ones are counted."""

_SUMS = ("offline_bytes", "groups", "groups_stranded", "transactional_ids", "transactional_ids_stranded")
"""Numbers of a row, which are summed."""


def query(frames: Mapping[str, str]) -> str:
    """All steps as one statement.

    frames  what stands in it for each frame of `frames.py`, by name
    """
    *before, (_, last) = steps()
    named = {**frames, **{name: name for name, _ in before}}
    parts = ", ".join(f"{name} AS ({sql_of(step).format(**named)})" for name, step in before)
    return f"WITH {parts} {sql_of(last).format(**named)}"


def steps() -> Sequence[Step]:
    """Named queries, each over the frames of `frames.py` and earlier steps; the last has the answer.

    That is one row per thing that can be lost; columns as in `verdict.py`. `leaders_to` is null where no leader moves.
    Spark analyzes a statement once for each level of its depth: as one statement that took longer than to run it.
    """
    return [*_LOSSES, *_JUDGED, *_totals(), *MOVING, *THINGS, *verdicts((*_COUNTS, *_SUMS), EXAMPLES)]


_LOSSES: tuple[Step, ...] = (
    (
        "clustered",
        """
  SELECT p.*, c.alive, size(p.replicas) AS n, size(p.isr) AS in_sync,
    try_element_at(filter(p.replicas, x -> array_contains(p.isr, x) AND x <> p.leader_id), 1) AS next_in_sync
  FROM {partitions} AS p CROSS JOIN {cluster} AS c""",
    ),
    (
        "followed",
        select(
            "clustered",
            "*",
            """coalesce(next_in_sync, try_element_at(filter(replicas,
              x -> array_contains(eligible, x) AND array_contains(alive, x) AND x <> leader_id), 1)) AS next_clean""",
            """CASE WHEN unclean THEN try_element_at(filter(replicas,
              x -> array_contains(alive, x) AND x <> leader_id), 1) END AS next_unclean""",
        ),
    ),
    ("placed", select("followed", "*", "explode(sequence(0, CASE WHEN shares THEN 2 * n ELSE n END)) AS place")),
    (
        "named",
        select(
            "placed",
            "*",
            "CASE WHEN place BETWEEN 1 AND n THEN try_element_at(replicas, CAST(place AS INT)) END AS broker_id",
            """CASE WHEN place > n THEN try_element_at(racks, CAST(place - n AS INT))
              WHEN place > 0 THEN try_element_at(racks, CAST(place AS INT)) END AS own_rack""",
        ),
    ),
    (
        "racked",
        select(
            "named",
            "*",
            "own_rack <> '' AND (NOT shares OR size(filter(racks, x -> x = own_rack)) = 1) AS alone",
            """CASE WHEN place > n THEN filter(replicas, x ->
              try_element_at(racks, CAST(nullif(array_position(replicas, x), 0) AS INT)) = own_rack) END AS lost""",
        ),
    ),
    (
        "losses",
        select(
            "racked",
            "*",
            "CASE WHEN place > n OR alone THEN own_rack END AS rack",
            "try_element_at(dirs, CAST(nullif(array_position(dir_brokers, broker_id), 0) AS INT)) AS log_dir",
            """CASE WHEN place = 0 THEN 0
              WHEN lost IS NULL THEN CASE WHEN array_contains(isr, broker_id) THEN 1 ELSE 0 END
              ELSE size(filter(isr, x -> array_contains(lost, x))) END AS hit""",
            """coalesce(CASE WHEN place = 0 THEN false WHEN lost IS NULL THEN leader_id = broker_id
              ELSE array_contains(lost, leader_id) END, false) AS leads""",
            """CASE WHEN lost IS NULL THEN next_clean ELSE coalesce(
              try_element_at(filter(replicas, x -> array_contains(isr, x) AND NOT array_contains(lost, x)), 1),
              try_element_at(filter(replicas, x ->
                array_contains(eligible, x) AND array_contains(alive, x) AND NOT array_contains(lost, x)), 1))
              END AS clean""",
            """CASE WHEN lost IS NULL THEN next_unclean WHEN unclean THEN try_element_at(filter(replicas,
              x -> array_contains(alive, x) AND NOT array_contains(lost, x)), 1) END AS any_alive""",
            where="place <= n OR (own_rack <> '' AND NOT alone AND array_position(racks, own_rack) = place - n)",
        ),
    ),
    (
        "after",
        select(
            "losses",
            "*",
            "CASE WHEN leads THEN coalesce(clean, any_alive) END AS heir",
            """CASE WHEN leads AND clean IS NULL AND any_alive IS NULL THEN 0
              ELSE greatest(in_sync - hit, CASE WHEN leads THEN 1 ELSE 0 END) END AS left_in_sync""",
            "try_element_at(dir_bytes, CAST(nullif(array_position(dir_brokers, leader_id), 0) AS INT)) AS held_bytes",
        ),
    ),
)
"""Each partition under each loss that affects it: who leads then, and how many are in sync."""

_JUDGED: tuple[Step, ...] = (
    (
        "flagged",
        select(
            "after",
            "topic", "partition", "place", "broker_id", "log_dir", "rack", "heir",
            "known AND CASE WHEN place = 0 THEN leader_id IS NULL ELSE leads AND heir IS NULL END AS offline",
            "known AND leads AND clean IS NULL AND heir IS NOT NULL AS uncleanly",
            """known AND leader_id IS NOT NULL AND CASE WHEN place = 0 THEN coalesce(in_sync < min_isr, false)
              ELSE coalesce(in_sync >= min_isr AND left_in_sync BETWEEN 1 AND min_isr - 1, false) END AS under""",
            """known AND leader_id IS NOT NULL AND
              CASE WHEN place = 0 THEN coalesce(in_sync = min_isr AND in_sync < n, false)
              ELSE coalesce(in_sync > min_isr AND left_in_sync = min_isr, false) END AS at_minimum""",
            """known AND leader_id IS NOT NULL AND CASE WHEN place = 0 THEN in_sync = 1 AND n > 1
              ELSE in_sync > 1 AND left_in_sync = 1 END AS last_in_sync""",
            "known AND heir IS NOT NULL AS moved",
            "known AND leader_id IS NOT NULL AND min_isr IS NULL AND (place = 0 OR hit > 0) AS no_minimum",
            "NOT known AS no_leader_known",
            "known AND leads AND heir IS NULL AND held_bytes IS NULL AS no_bytes",
            "CASE WHEN leads AND heir IS NULL THEN held_bytes END AS offline_bytes",
            "broker_id IS NOT NULL AND log_dir IS NULL AND (hit > 0 OR leads) AS unplaced",
            "leads AND topic = '__consumer_offsets' AS leads_offsets",
            "leads AND topic = '__transaction_state' AS leads_transactions",
            "CASE WHEN leads THEN groups END AS groups",
            "CASE WHEN leads AND heir IS NULL THEN groups END AS groups_stranded",
            "CASE WHEN leads THEN transactional_ids END AS transactional_ids",
            "CASE WHEN leads AND heir IS NULL THEN transactional_ids END AS transactional_ids_stranded",
        ),
    ),
    (
        "judged",
        select(
            "flagged",
            "*",
            """CASE WHEN offline THEN '1' WHEN uncleanly THEN '2' WHEN under THEN '3'
              WHEN no_leader_known OR no_minimum THEN '4' WHEN last_in_sync THEN '5' END AS harm""",
        ),
    ),
)  # fmt: skip


def _totals() -> Iterator[Step]:
    """What each loss adds up to: first for each set of things that go with a replica, then for each thing."""
    counts = [f"count_if({name}) AS {name}" for name in _COUNTS]
    numbers = [f"CAST(coalesce(sum({name}), 0) AS BIGINT) AS {name}" for name in _SUMS]
    sums = [f"CAST(sum({name}) AS BIGINT) AS {name}" for name in (*_COUNTS, *_SUMS)]
    examples = "array_sort(collect_list(harm || topic || '-' || CAST(partition AS STRING)))"
    yield (
        "summed",
        select(
            "judged",
            *counts,
            *numbers,
            "collect_set(CASE WHEN offline THEN topic END) AS topics",
            f"slice({examples}, 1, {EXAMPLES}) AS worst",
            by=("place > 0 AS is_loss", "broker_id", "log_dir", "rack", "heir"),
        ),
    )
    yield "parts", select("summed", "*", "explode(sequence(1, 3)) AS part")
    yield (
        "kinds",
        select(
            "parts",
            "*",
            """CASE WHEN NOT is_loss THEN 'nothing' WHEN part = 1 THEN 'broker' WHEN part = 2 THEN 'log_dir'
              ELSE 'rack' END AS kind""",
            """CASE WHEN NOT is_loss THEN CASE WHEN part = 1 THEN '' END
              WHEN part = 1 THEN CAST(broker_id AS STRING)
              WHEN part = 2 THEN CAST(broker_id AS STRING) || ':' || log_dir ELSE rack END AS name""",
        ),
    )
    yield (
        "heirs",
        select(
            "kinds",
            *sums,
            "flatten(collect_list(topics)) AS topics",
            f"slice(array_sort(flatten(collect_list(worst))), 1, {EXAMPLES}) AS worst",
            where="name IS NOT NULL",
            by=("kind", "name", "CASE WHEN moved > 0 THEN heir END AS heir"),
        ),
    )
    yield (
        "totals",
        select(
            "heirs",
            *sums,
            "CAST(size(array_distinct(flatten(collect_list(topics)))) AS BIGINT) AS offline_topics",
            "array_sort(flatten(collect_list(worst))) AS worst",
            """array_sort(collect_list(
              CASE WHEN heir IS NOT NULL THEN named_struct('broker_id', heir, 'leaders', moved) END)) AS leaders_to""",
            by=("kind", "name"),
        ),
    )
