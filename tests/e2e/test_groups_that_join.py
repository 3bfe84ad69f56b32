"""Groups of each type that get members between the look at them and their deletion: real brokers refuse, nothing moves.

The tasks run without Spark, as in a worker: the look, then members join, then the request.
"""

from pathlib import Path
from typing import Any

import pyarrow as pa

from harness import workload
from harness.kafka_cluster import KafkaCluster
from harness.live import share_members, streams_members, together
from harness.oracle import ask
from kafka_census.deletion.writing import check, delete
from kafka_census.deletion.writing.tasks import Task
from kafka_census.protocol.settings import ClusterSettings, CollectSettings

NON_EMPTY_GROUP = 68
TOPIC = "joined"
KINDS = ("classic", "consumer", "share", "streams")
COMMITTED = ("classic", "consumer", "streams")
"""Those that have a committed offset before; brokers keep no such offsets of share groups."""


def run(what: Any, servers: str, rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The rows that a task makes, by the type of their group."""
    schema = {check.check: check.SCHEMA, delete.delete: delete.SCHEMA}[what]
    task = Task(what, schema, ClusterSettings("test", tuple(servers.split(","))), CollectSettings())
    found = [row for batch in task([pa.RecordBatch.from_pylist(rows)]) for row in batch.to_pylist()]
    return {row["group_id"].removeprefix("joins-"): row for row in found}


def test_a_group_that_becomes_active_after_the_look_is_not_deleted(kafka: KafkaCluster, tmp_path: Path) -> None:
    """Each type is refused by 68, and described as alive afterwards; its offset is what it was."""
    servers = kafka.bootstrap_servers
    workload.create_topic(servers, TOPIC, 2, 3)
    workload.commit_offsets(servers, [f"joins-{kind}" for kind in COMMITTED], TOPIC, offset=0)
    looked = run(check.check, servers, [{"group_id": f"joins-{kind}", "group_type": None} for kind in KINDS])
    empty = {kind: (row["group_state"], len(row["offsets"])) for kind, row in looked.items()}
    assert empty == dict.fromkeys(COMMITTED, ("Empty", 1)) | {"share": (None, 0)}
    quiet = {"enable.auto.commit": "false"}
    with together(
        workload.LiveGroups(servers, TOPIC, ["joins-classic"], tmp_path / "classic", quiet),
        workload.LiveGroups(
            servers, TOPIC, ["joins-consumer"], tmp_path / "consumer", quiet | {"group.protocol": "consumer"}
        ),
        share_members(servers, "joins-share", TOPIC, tmp_path / "share", 1),
        streams_members(servers, "joins-streams", [TOPIC], tmp_path / "streams", 1, store=False),
    ):
        rows = [
            {"group_id": row["group_id"], "group_type": kind, "offsets": row["offsets"]} for kind, row in looked.items()
        ]
        found = run(delete.delete, servers, rows)
        assert {kind: (row["sent"], row["moved"], row["error_code"]) for kind, row in found.items()} == dict.fromkeys(
            KINDS, (True, False, NON_EMPTY_GROUP)
        )
        alive = run(check.check, servers, rows)
    assert all(row["members"] > 0 and row["state_code"] == 0 for row in alive.values())
    assert {kind: row["offsets"] for kind, row in alive.items()} == {
        kind: row["offsets"] for kind, row in looked.items()
    }
    assert {f"joins-{kind}" for kind in KINDS} <= {row["group_id"] for row in ask(kafka.admin_servers, "group")}
