"""Topics and partitions that take no acks=all writes, or soon may not."""

from kafka_census.reading.html.cells import NUMBER, PROSE
from kafka_census.reading.html.figure import Column, Figure, Section

MIN_ISR = Section(
    "min-isr",
    "Under min ISR",
    (
        Figure(
            "Topics",
            "Which topics refuse some of their acks=all writes?",
            """\
SELECT topic, status, partitions, available_partitions, ready_partitions, min_isr_raw, coalesce(ready_reason, reason)
FROM current_topic_readiness
WHERE cluster_id = $cluster_id AND ready_for_acks_all IS DISTINCT FROM true
ORDER BY list_position(['OFFLINE', 'UNDER', 'AT', 'UNDER_REPLICATED', 'UNKNOWN', 'OK'], status),
         partitions - ready_partitions DESC, topic""",
            (
                Column("topic"),
                Column("worst"),
                Column("partitions", NUMBER),
                Column("available", NUMBER),
                Column("ready", NUMBER),
                Column("min ISR", NUMBER),
                Column("why", PROSE),
            ),
            calm="Every topic takes acks=all writes on every partition.",
        ),
        Figure(
            "Partitions",
            "Which partitions lack in-sync replicas, and how many ids cannot commit because of that?",
            """\
SELECT topic, partition, status, leader_id, isr, replicas, min_isr_effective,
       coalesce(groups_unable_to_commit, transactional_ids_unable_to_commit), reason
FROM current_under_min_isr_partitions
WHERE cluster_id = $cluster_id AND status <> 'OK'
ORDER BY list_position(['OFFLINE', 'UNDER', 'AT', 'UNDER_REPLICATED', 'UNKNOWN'], status),
         coalesce(groups_unable_to_commit, transactional_ids_unable_to_commit, 0) DESC, topic, partition""",
            (
                Column("topic"),
                Column("partition", NUMBER),
                Column("status"),
                Column("leader"),
                Column("in sync"),
                Column("replicas"),
                Column("min ISR", NUMBER),
                Column("cannot commit"),
                Column("why", PROSE),
            ),
            calm="Every partition has all its replicas in sync.",
        ),
    ),
)
