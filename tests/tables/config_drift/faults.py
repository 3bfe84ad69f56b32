"""Rows of config_drift, right and wrong."""

from kafka_census.tables.config_drift.rules import CONFIG_DRIFT_SUITE
from spark.faults import Faults, row

UNREAD = row(kind="not_read", name="", value=None, expected=None, source=None, is_sensitive=None)
FAULTS = Faults(
    CONFIG_DRIFT_SUITE,
    right=row(kind="not_default", resource_type="topic", name="retention.ms", value="5", expected="9")
    | row(source="topic", is_sensitive=False, reason="set"),
    wrong={
        "kind_is_known_word": {"kind": "odd"},
        "resource_is_known_word": {"resource_type": "group"},
        "row_has_reason": {"reason": None},
        "sensitive_is_not_shown": {"is_sensitive": True},
        "unread_has_no_value": UNREAD | {"value": "5"},
        "set_has_source": {"source": "default"},
        "before_is_named": {"kind": "since_before"},
        "drift_differs": {"kind": "not_desired", "expected": "5"},
        "config_is_desired": {"kind": "not_desired"},
        "brokers_agree": {"kind": "between_brokers"},
        "resource_was_read": UNREAD,
    },
    besides={"drift_differs": {"config_is_desired"}, "unread_has_no_value": {"resource_was_read"}}
    | {"not desired": {"config_is_desired"}, "between brokers": {"brokers_agree"}, "not read": {"resource_was_read"}},
    valid={
        "not default, and secret": {"value": None, "expected": None, "is_sensitive": True},
        "between brokers": {"kind": "between_brokers", "value": None},
        "since before": {"kind": "since_before", "previous_census_id": "then", "source": "default"},
        "not desired": {"kind": "not_desired"},
        "not read": UNREAD,
    },
    counts={"set": len},
    at_least=True,
)
