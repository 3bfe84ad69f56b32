"""Groups that are behind, and what keeps consumers from reading on."""

from kafka_census.reading.html.cells import CHIP, NUMBER, PROSE, SECONDS, TIME
from kafka_census.reading.html.figure import Column, Figure, Section
from kafka_census.tables.problems import PROBLEM

_OFFSETS = PROBLEM["out_of_range"]

LAG = Section(
    "lag",
    "Groups and lag",
    (
        Figure(
            "Lag by group",
            "Which groups are furthest behind, and when will they have caught up?",
            """\
SELECT group_id, group_state, lag_total, partitions_missed, seconds_to_drain, partitions_not_draining,
       consumption_rate, production_rate, slowest_topic, slowest_partition
FROM current_group_lag
WHERE cluster_id = $cluster_id
ORDER BY lag_total DESC NULLS LAST, group_id""",
            (
                Column("group", of="group"),
                Column("state", CHIP),
                Column("lag", NUMBER, bar=True),
                Column("partitions not in it", NUMBER),
                Column("time to drain", SECONDS),
                Column("partitions not draining", NUMBER),
                Column("reads / s", NUMBER),
                Column("written / s", NUMBER),
                Column("slowest topic", of="topic"),
                Column("its partition"),
            ),
            home=True,
            calm="There is no group.",
        ),
        Figure(
            "Committed offsets outside the log",
            "Which groups will reset their offsets at their next fetch, and of which is that not known?",
            f"""\
SELECT group_id, topic, partition, range, committed_offset, log_start_offset, high_watermark
FROM current_consumer_lag
WHERE cluster_id = $cluster_id AND ({_OFFSETS.where} OR {_OFFSETS.unknown})
ORDER BY range = 'unknown', group_id, topic, partition""",
            (
                Column("group", of="group"),
                Column("topic", of="topic"),
                Column("partition", NUMBER),
                Column("offset is", CHIP),
                Column("offset", NUMBER),
                Column("log starts", NUMBER),
                Column("log ends", NUMBER),
            ),
            calm="Every committed offset is in its log.",
        ),
        Figure(
            "Hanging transactions",
            "Which transactions keep read_committed consumers from the end of the log, and where may one be unseen?",
            """\
SELECT topic, partition, producer_id, verdict, evidence, confidence, transactional_id, hanging_since,
       coalesce(doubt, reason)
FROM current_hanging_transactions
WHERE cluster_id = $cluster_id AND verdict IN ('hanging', 'unknown')
ORDER BY verdict, confidence, hanging_since, topic, partition""",
            (
                Column("topic", of="topic"),
                Column("partition", NUMBER),
                Column("producer id"),
                Column("verdict", CHIP),
                Column("evidence"),
                Column("confidence"),
                Column("transactional id"),
                Column("since", TIME),
                Column("why", PROSE),
            ),
        ),
    ),
)
