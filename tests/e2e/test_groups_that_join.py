"""Groups of each type that get members between the look at them and their deletion: real brokers refuse, nothing moves.

The tasks run without Spark, as in a worker: the look, then members join, then the request.
"""

from pathlib import Path
from typing import Any

from harness import workload
from harness.deleting import in_a_task
from harness.kafka_cluster import KafkaCluster
from harness.live import share_members, streams_members, together
from harness.oracle import ask
from kafka_census.deletion.writing import check, delete
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.settings import ClusterSettings

TOPIC = "joined"
KINDS = ("classic", "consumer", "share", "streams")
REFUSED, MOVED = (True, False, 68), (False, True, 0)
"""sent, moved and the code of a group: refused as it has members; not asked for, as offsets were committed."""


def test_a_group_that_becomes_active_after_the_look_is_not_deleted(single: KafkaCluster, tmp_path: Path) -> None:
    """Each type is refused (68), and described as alive afterwards; streams may also have committed by then."""
    servers = single.bootstrap_servers

    def by_kind(do: Any, rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
        found = in_a_task(do, ClusterSettings("test", tuple(servers.split(","))), rows, CollectSettings(max_attempts=4))
        return {name.removeprefix("joins-"): row for name, row in found.items()}

    workload.create_topic(servers, TOPIC, 2, 1)
    workload.produce(servers, TOPIC, 1000)
    workload.commit_offsets(servers, [f"joins-{kind}" for kind in KINDS if kind != "share"], TOPIC, offset=0)
    workload.read_from_start(servers, "joins-share", TOPIC)
    # An empty group with offsets is a classic one until its first member says what it is.
    planned = [{"group_id": f"joins-{kind}", "group_type": "share" if kind == "share" else None} for kind in KINDS]
    looked = by_kind(check.check, planned)
    assert {kind: (row["group_state"], len(row["offsets"])) for kind, row in looked.items()} == {
        kind: ("Empty", 0 if kind == "share" else 1) for kind in KINDS
    }
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
        found = by_kind(delete.delete, rows)
        alive = by_kind(check.check, rows)
    ends = {kind: (row["sent"], row["moved"], row["error_code"]) for kind, row in found.items()}
    assert {kind: ends[kind] for kind in KINDS if kind != "streams"} == dict.fromkeys(KINDS[:3], REFUSED)
    assert ends["streams"] in (REFUSED, MOVED)
    assert all(row["members"] > 0 and row["state_code"] == 0 for row in alive.values())
    assert {f"joins-{kind}" for kind in KINDS} <= {row["group_id"] for row in ask(single.admin_servers, "group")}
