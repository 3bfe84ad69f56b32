"""Rows of group_lag, right and wrong."""

from kafka_census.tables.group_lag.rules import GROUP_LAG_SUITE
from spark.faults import Faults, row

NOTHING = (
    row(topics=0, partitions=0, partitions_known=0, partitions_out_of_range=0, partitions_unassigned=0)
    | row(lag_total=None, lag_reason="nothing", lag_unassigned=None, lag_max=None, slowest_topic=None)
    | row(slowest_partition=None, lag_seconds=None, lag_seconds_method=None, lag_seconds_reason="nothing")
    | row(lag_read_committed_seconds=None)
)
UNREAD = NOTHING | {"members": None, "members_reason": "refused", "offsets_reason": "refused"}
MISSED = {"partitions": 4, "partitions_missed": 1, "partitions_without_commit": 1}
FAULTS = Faults(
    GROUP_LAG_SUITE,
    right=row(members=1, topics=1, partitions=3, partitions_known=3, partitions_missed=0)
    | row(partitions_without_commit=0, partitions_unread=0, partitions_out_of_range=1)
    | row(partitions_unassigned=1, partitions_without_rate=0, partitions_not_draining=0, lag_total=60)
    | row(lag_seconds=9, lag_seconds_method="exact", lag_read_committed_seconds=9, partitions_without_age=0)
    | row(lag_unassigned=10, lag_max=40, slowest_topic="t", slowest_partition=2),
    wrong={
        "known_and_missed_are_all": {"partitions": 4},
        "parts_are_within_their_whole": {"partitions_out_of_range": 4},
        "unknown_total_has_reason": NOTHING | {"lag_reason": None},
        "largest_is_within_total": {"lag_max": 61},
        "slowest_is_named": {"slowest_topic": None},
        "unassigned_is_within_total": {"lag_unassigned": 61},
        "lag_in_time_has_reason": {"lag_seconds_method": None},
        "unknown_members_have_reason": {"members": None},
        "no_partition_is_missed": MISSED,
        "offsets_were_read": {"offsets_reason": "refused"},
    },
    besides={"some are not known": {"no_partition_is_missed"}, "not read at all": {"offsets_were_read"}},
    valid={"lag": {}, "no partitions": NOTHING, "some are not known": MISSED, "not read at all": UNREAD},
    counts={"groups": len, "partitions": lambda rows: sum(row["partitions"] for row in rows)},
)
