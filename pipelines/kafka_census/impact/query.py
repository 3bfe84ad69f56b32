"""The SQL that foretells losses: the same steps in Spark (the table) and in DuckDB (`impact --live`).

Each partition is exploded into one row per replica, one per rack that holds several of its replicas, and one for the
state as it is. Each row is judged by itself, and what is counted of them is summed: by broker, by log dir and by rack.
The cost is linear in replicas. `frames.py` names the frames that stand for the placeholders.

Kafka's rule (PartitionChangeBuilder): of the other replicas, in the order of their assignment, the first in-sync one
leads; only if there is none, the first that is eligible (KIP-966) and alive; then, where the topic enables unclean
elections, the first that is alive. A leader that was not in sync is alone in the ISR.
"""

from collections.abc import Iterator, Mapping, Sequence

from kafka_census.impact.step import Join, Step, select, sql_of
from kafka_census.impact.things import MOVING, THINGS
from kafka_census.impact.verdict import verdicts

MACROS = """
CREATE TEMP MACRO explode(items) AS unnest(items);
CREATE TEMP MACRO size(items) AS len(items);
CREATE TEMP MACRO sequence(first, last) AS range(first, last + 1);
CREATE TEMP MACRO slice(items, first, count) AS list_slice(items, first, first + count - 1);
CREATE TEMP MACRO try_element_at(items, place) AS list_extract(items, place);
CREATE TEMP MACRO named_struct(a, broker_id, b, leaders) AS struct_pack(broker_id := broker_id, leaders := leaders);
CREATE TEMP MACRO array_intersect(items, others) AS list_filter(items, x -> list_contains(others, x));
CREATE TEMP MACRO array_except(items, others) AS list_filter(items, x -> NOT list_contains(others, x));
CREATE TEMP MACRO sort_array(items) AS list_sort(items);
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
        select(
            "partitions",
            "partitions.*",
            "size(replicas) AS n",
            "size(isr) AS in_sync",
            # Who may lead, in the order of the assignment: by being in sync, eligible, or alive.
            "array_intersect(replicas, isr) AS synced",
            "array_intersect(array_intersect(replicas, eligible), cluster.alive) AS electable",
            "CASE WHEN unclean THEN array_intersect(replicas, cluster.alive) END AS willing",
            joins=(Join("cluster"),),
        ),
    ),
    (
        "placed",
        select("clustered", "*", "explode(sequence(0, CASE WHEN mates IS NULL THEN n ELSE 2 * n END)) AS place"),
    ),
    (
        "named",
        select(
            "placed",
            "*",
            "CASE WHEN place BETWEEN 1 AND n THEN try_element_at(replicas, place) END AS broker_id",
            """CASE WHEN place > n THEN try_element_at(racks, place - n)
              WHEN place > 0 THEN try_element_at(racks, place) END AS own_rack""",
            """CASE WHEN place > n THEN try_element_at(mates, place - n)
              WHEN place > 0 THEN slice(replicas, place, 1) END AS lost""",
        ),
    ),
    (
        "losses",
        select(
            "named",
            "*",
            """CASE WHEN place > n THEN own_rack
              WHEN place > 0 AND (mates IS NULL OR size(try_element_at(mates, place)) = 1) THEN nullif(own_rack, '')
              END AS rack""",
            "try_element_at(dirs, CAST(nullif(array_position(dir_brokers, broker_id), 0) AS INT)) AS log_dir",
            "size(array_intersect(isr, lost)) AS hit",
            "coalesce(array_contains(lost, leader_id), false) AS leads",
            # A rack with several replicas is one row, at its first replica.
            where="place <= n OR (own_rack <> '' AND size(lost) > 1 AND array_position(racks, own_rack) = place - n)",
        ),
    ),
    (
        "led",
        select(
            "losses",
            "*",
            """CASE WHEN leads THEN coalesce(
              try_element_at(array_except(synced, lost), 1), try_element_at(array_except(electable, lost), 1))
              END AS clean""",
            "CASE WHEN leads THEN try_element_at(array_except(willing, lost), 1) END AS any_alive",
            """CASE WHEN leads THEN try_element_at(dir_bytes,
              CAST(nullif(array_position(dir_brokers, leader_id), 0) AS INT)) END AS held_bytes""",
        ),
    ),
    (
        "after",
        select(
            "led",
            "*",
            "coalesce(clean, any_alive) AS heir",
            """CASE WHEN leads AND clean IS NULL AND any_alive IS NULL THEN 0
              ELSE greatest(in_sync - hit, CASE WHEN leads THEN 1 ELSE 0 END) END AS left_in_sync""",
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
    examples = "sort_array(collect_list(harm || topic || '-' || CAST(partition AS STRING)))"
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
            f"slice(sort_array(flatten(collect_list(worst))), 1, {EXAMPLES}) AS worst",
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
            "sort_array(flatten(collect_list(worst))) AS worst",
            """sort_array(collect_list(
              CASE WHEN heir IS NOT NULL THEN named_struct('broker_id', heir, 'leaders', moved) END)) AS leaders_to""",
            by=("kind", "name"),
        ),
    )
