"""Rows of configs, right and wrong."""

from kafka_census.tables.configs.rules import CONFIGS_SUITE
from spark.faults import Faults, row

UNREAD = row(name="", value=None, source=None, default_value=None, is_default=None) | row(
    is_sensitive=None, answered_by=None, reason="no"
)
FAULTS = Faults(
    CONFIGS_SUITE,
    right=row(resource_type="broker", name="num.io.threads", value="5", source="static", is_default=False)
    | row(default_value="8", is_sensitive=False, answered_by=1),
    wrong={
        "resource_is_known_word": {"resource_type": "group"},
        "source_is_known_word": {"source": "odd"},
        "default_is_the_source": {"source": "default"},
        "sensitive_is_not_shown": {"is_sensitive": True},
        "unread_has_reason": {"reason": "no"},
        "unread_has_no_value": UNREAD | {"answered_by": 1},
        "resource_was_read": UNREAD,
    },
    besides={"unread_has_no_value": {"resource_was_read"}, "not read": {"resource_was_read"}},
    valid={
        "set": {},
        "default": {"source": "default", "is_default": True},
        "of an unknown source": {"source": "unknown", "is_default": None},
        "secret": {"value": None, "default_value": None, "is_sensitive": True},
        "not read": UNREAD,
    },
    counts={"configs": len},
    at_least=True,
)
