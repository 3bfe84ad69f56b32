"""Rows of usage_by_owner, right and wrong."""

from kafka_census.tables.usage_by_owner.rules import USAGE_BY_OWNER_SUITE
from spark.faults import Faults, row

FAULTS = Faults(
    USAGE_BY_OWNER_SUITE,
    right=row(topics=2, partitions=6, replica_bytes=10, topics_without_bytes=1, topics_without_growth=2)
    | row(share_of_bytes=0.5, groups=1, lag_total=3, groups_without_lag=0),
    wrong={
        "parts_are_within_their_whole": {"topics_without_bytes": 3},
        "share_is_a_share": {"share_of_bytes": 1.5},
        "only_nobody_has_examples": {"examples": ["topic t"]},
    },
    valid={"an owner": {}, "nobody": {"owner": "", "examples": ["topic t"]}},
    counts={
        "topics": lambda rows: sum(row["topics"] for row in rows),
        "groups": lambda rows: sum(row["groups"] for row in rows),
    },
)
