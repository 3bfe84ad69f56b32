"""The six numbers at the head of the page."""

from kafka_census.reading.html.cells import BYTES, NUMBER
from kafka_census.reading.html.figure import Number
from kafka_census.tables.problems import PROBLEM

NUMBERS: tuple[Number, ...] = (
    Number(
        "brokers alive",
        """\
SELECT count(*) FILTER (state = 'alive'), count(*) FILTER (state <> 'gone'), false
FROM current_brokers
WHERE cluster_id = $cluster_id""",
        NUMBER,
        "brokers",
    ),
    Number(
        "partitions take acks=all writes",
        """\
SELECT count(*) FILTER (ready_for_acks_all), count(*), count_if(ready_for_acks_all IS NULL) > 0
FROM current_under_min_isr_partitions
WHERE cluster_id = $cluster_id AND partition >= 0""",
        NUMBER,
        "min-isr",
    ),
    Number(
        "groups",
        """\
SELECT count(*), NULL, false
FROM current_group_coordinator_placement
WHERE cluster_id = $cluster_id""",
        NUMBER,
        "coordinators",
    ),
    Number(
        "lag of all groups, offsets",
        f"""\
SELECT CASE WHEN count(*) = 0 THEN 0 ELSE sum(lag_total) END, NULL, count_if({PROBLEM["lag_unknown"].where}) > 0
FROM current_group_lag
WHERE cluster_id = $cluster_id""",
        NUMBER,
        "lag",
    ),
    Number(
        "left to copy",
        """\
SELECT CASE WHEN count(*) = 0 THEN 0 ELSE sum(bytes_left) END, NULL, count_if(bytes_left IS NULL) > 0
FROM current_reassignment_backlog
WHERE cluster_id = $cluster_id""",
        BYTES,
        "moves",
    ),
    Number(
        "deletable groups",
        """\
SELECT count(*) FILTER (deletable), count(*), count_if(verdict = 'unknown') > 0
FROM current_deletable_groups
WHERE cluster_id = $cluster_id""",
        NUMBER,
        "clean-up",
    ),
)
