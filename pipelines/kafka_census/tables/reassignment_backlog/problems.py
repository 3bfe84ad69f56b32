"""Replicas on the move that do not move."""

from kafka_census.declarations.problem import Problem, Problems, Remedy

REASSIGNMENT_BACKLOG_PROBLEMS = Problems(
    "replica on the move",
    "replicas on the move",
    (
        Problem(
            word="stalled",
            severity="warning",
            table="reassignment_backlog",
            meaning="replicas on the move that got no byte since the previous census",
            where="stalled",
            unknown="coalesce(kind, '') <> 'remove' AND stalled IS NULL AND (bytes_left = 0 AND in_isr) IS NOT TRUE",
            name="concat(topic, '-', partition)",
            shown="topic, partition, source_id, replica_id, bytes_left",
            one="replica on the move is stalled",
            many="replicas on the move are stalled",
            effect="the reassignment does not end",
            remedy=Remedy(
                "Raise the throttle, repair the broker, or cancel the reassignment.",
                "kafka-reassign-partitions.sh --bootstrap-server HOST:PORT --reassignment-json-file FILE --execute "
                "--additional --throttle BYTES_PER_SECOND",
                more="FILE is that of the reassignment. `current_reassignment_backlog` has the source, the "
                "destination and the throttle of each replica. `--cancel` in place of `--execute --additional "
                "--throttle BYTES_PER_SECOND` cancels.",
            ),
            order=("-coalesce(bytes_left, 0)", "topic", "partition"),
            lost="replica_id = {broker} OR source_id = {broker}",
        ),
    ),
)
