"""Rows of changes, right and wrong."""

from kafka_census.tables.changes.rules import CHANGES_SUITE
from spark.faults import Faults, row

WHOLE = {"subject": "group", "column_name": ""}
FAULTS = Faults(
    CHANGES_SUITE,
    right=row(subject="partition", table_name="under_min_isr_partitions", column_name="status", before="OK")
    | row(after="UNDER", change="worse", before_census_id="before"),
    wrong={
        "change_is_known_word": {"change": "otherwise"},
        "subject_is_known_word": {"subject": "thing"},
        "compares_with_a_census_before": {"before_census_id": "now"},
        "whole_things_come_and_go": {"column_name": ""},
        "what_is_there_has_a_value": {"before": None},
        "unread_is_known_once": {"change": "unread", "after": None},
        "values_differ": {"after": "OK"},
    },
    valid={
        "worse": {},
        "unread": {"change": "unread", "after": None, "reason": "why"},
        "appeared": WHOLE | {"change": "appeared", "before": None, "after": ""},
        "gone": WHOLE | {"change": "gone", "after": None},
        "unread as a whole": WHOLE | {"change": "unread", "before": None, "after": None, "reason": "why"},
    },
)
