"""Shared by the tests of a lake in a catalog and in a bucket: a log, and a retention of nothing."""

import json
from typing import Any

from e2e.operator import Ran

_KEYS = ("RESUME_WITHIN", "RETENTION__LANDED", "RETENTION__EVERY", "RETENTION__DAILY", "RETENTION__GRACE")
SHORT = {f"KAFKA_CENSUS__{key}": "1ms" for key in _KEYS}
"""Only the last census of each table stays."""


def events(ran: Ran, name: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in ran.err.splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] == name]
