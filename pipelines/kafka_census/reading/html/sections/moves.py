"""Replicas that are being copied, and when the copies will be complete."""

from kafka_census.reading.html.cells import BYTES, NUMBER, PROSE, SECONDS, SHARE, SPEED, THROTTLE
from kafka_census.reading.html.figure import Column, Figure, Section

MOVES = Section(
    "moves",
    "Moves and backlog",
    (
        Figure(
            "By broker",
            "How many bytes are left to copy to each broker, and until when?",
            """\
SELECT broker_id, bytes_left_in, bytes_left_out, eta_seconds_in, bytes_per_second_in, replicas_in, replicas_out,
       stalled_in, unknown_in, follower_throttle_bytes_per_second, coalesce(eta_in_reason, throttle_reason)
FROM current_reassignment_backlog_by_broker
WHERE cluster_id = $cluster_id
ORDER BY bytes_left_in DESC NULLS FIRST, broker_id""",
            (
                Column("broker", of="broker"),
                Column("left to receive", BYTES, bar=True),
                Column("left to send", BYTES, bar=True),
                Column("time left", SECONDS),
                Column("receives", SPEED),
                Column("replicas in", NUMBER),
                Column("replicas out", NUMBER),
                Column("stalled", NUMBER),
                Column("size not known", NUMBER),
                Column("throttle", THROTTLE),
                Column("why not known", PROSE),
            ),
            calm="Nothing moves.",
        ),
        Figure(
            "Copies",
            "Which copies will end last?",
            """\
SELECT topic, partition, kind, source_id, replica_id, bytes_left, bytes_done / nullif(bytes_total, 0),
       eta_seconds, bytes_per_second, stalled, eta_reason
FROM current_reassignment_backlog
WHERE cluster_id = $cluster_id AND kind <> 'remove' AND NOT coalesce(eta_seconds = 0, false)
ORDER BY stalled DESC NULLS LAST, eta_seconds DESC NULLS FIRST, bytes_left DESC NULLS FIRST, topic, partition""",
            (
                Column("topic", of="topic"),
                Column("partition", NUMBER),
                Column("kind"),
                Column("from", of="broker"),
                Column("to", of="broker"),
                Column("left", BYTES, bar=True),
                Column("done", SHARE, bar=True),
                Column("time left", SECONDS),
                Column("speed", SPEED),
                Column("stalled"),
                Column("why not known", PROSE),
            ),
            calm="Nothing is left to copy.",
        ),
    ),
)
