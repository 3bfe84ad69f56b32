"""Shared by the tests of a lake in a catalog and in a bucket: a log, a retention of nothing, a plan."""

import json
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from e2e.operator import Ran
from emulator.asking import serving
from emulator.deleting import TOPICS, Emulated, names, served

_KEYS = ("RESUME_WITHIN", "RETENTION__LANDED", "RETENTION__EVERY", "RETENTION__DAILY", "RETENTION__GRACE")
SHORT = {f"KAFKA_CENSUS__{key}": "1ms" for key in _KEYS}
"""Only the last census of each table stays."""


def events(ran: Ran, name: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in ran.err.splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] == name]


def delete_and_restore(spark: SparkSession, folder: Path, address: str) -> None:
    with serving(served(3, set())) as server:
        at, cluster_id = server.bootstrap_servers, server.world.cluster_id
        deleting = Emulated(spark, folder, at, cluster_id, TOPICS, server=server, address=address)
        groups = names(2)
        plan_id = deleting.plan(groups)
        assert deleting.run("apply", plan_id) == ""
        assert deleting.there(groups) == []
        assert deleting.run("undo", plan_id) == ""
        assert deleting.there(groups) == groups
