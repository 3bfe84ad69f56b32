"""Committed offsets from which no record can be read."""

from kafka_census.declarations.problem import Problem, Problems, Remedy

CONSUMER_LAG_PROBLEMS = Problems(
    "committed offset",
    "committed offsets",
    (
        Problem(
            word="out_of_range",
            severity="warning",
            table="consumer_lag",
            meaning="committed offsets outside the log of their partition",
            where="range IN ('before_start', 'after_end')",
            unknown="coalesce(range, 'unknown') = 'unknown' AND coalesce(topic_state, 'unknown') <> 'gone'",
            name="concat(group_id, ' at ', topic, '-', partition)",
            shown="group_id, topic, partition, range, committed_offset, log_start_offset, high_watermark",
            one="committed offset is outside its log",
            many="committed offsets are outside their log",
            effect="these groups lost records or will read records again, depending on auto.offset.reset",
            remedy=Remedy(
                "Stop the group, then reset its offsets (--execute for --dry-run).",
                "kafka-consumer-groups.sh --bootstrap-server HOST:PORT --reset-offsets --group GROUP_ID --topic "
                "TOPIC:PARTITION --to-earliest --dry-run",
                more="`before_start`: records were deleted unread, so check the topic's retention. `after_end`: the "
                "log was truncated or the topic was created anew.",
                fills=("group_id", "topic", "partition"),
            ),
            order=("group_id", "topic", "partition"),
        ),
    ),
)
