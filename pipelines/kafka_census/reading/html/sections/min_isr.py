"""Topics and partitions that take no acks=all writes, or soon may not."""

from kafka_census.reading.html.cells import CHIP, NUMBER, PROSE
from kafka_census.reading.html.figure import Column, Figure, Section

MIN_ISR = Section(
    "min-isr",
    "Topics and min ISR",
    (
        Figure(
            "Topics",
            "Which topics refuse some of their acks=all writes? These come first, the others follow.",
            """\
SELECT topic, status, partitions, available_partitions, ready_partitions, min_isr_raw, coalesce(ready_reason, reason)
FROM current_topic_readiness
WHERE cluster_id = $cluster_id
ORDER BY ready_for_acks_all IS NOT DISTINCT FROM true,
         list_position(['OFFLINE', 'UNDER', 'AT', 'UNDER_REPLICATED', 'UNKNOWN', 'OK'], status),
         partitions - ready_partitions DESC, topic""",
            (
                Column("topic", of="topic"),
                Column("worst", CHIP),
                Column("partitions", NUMBER),
                Column("available", NUMBER),
                Column("ready", NUMBER),
                Column("min ISR", NUMBER),
                Column("why", PROSE),
            ),
            home=True,
            calm="There is no topic.",
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
                Column("topic", of="topic"),
                Column("partition", NUMBER),
                Column("status", CHIP),
                Column("leader", of="broker"),
                Column("in sync", of="broker"),
                Column("replicas", of="broker"),
                Column("min ISR", NUMBER),
                Column("cannot commit"),
                Column("why", PROSE),
            ),
            calm="Every partition has all its replicas in sync.",
        ),
    ),
)
