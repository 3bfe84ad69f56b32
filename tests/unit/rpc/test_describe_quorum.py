"""What DescribeQuorum makes of an answer."""

from typing import Any
from uuid import UUID

from unit.rpc.answers import answer, items


def _quorum(code: int, voters: list[tuple[int, int]], observers: list[tuple[int, int]]) -> Any:
    directory = {"replica_directory_id": UUID("004fbf1a-9d3f-4a2e-9a1c-fbf3e9f0d5aa"), "log_end_offset": 5}

    def replicas(of: list[tuple[int, int]]) -> list[dict[str, Any]]:
        times = [{"replica_id": node, "last_fetch_timestamp": at, "last_caught_up_timestamp": -1} for node, at in of]
        return [directory | one for one in times]

    leader = {"error_code": code, "leader_id": 1, "leader_epoch": 3, "high_watermark": 4}
    partition = leader | {"current_voters": replicas(voters), "observers": replicas(observers)}
    return answer("DescribeQuorum", topics=[{"topic_name": "__cluster_metadata", "partitions": [partition]}])


def test_describe_quorum_is_a_row_a_replica() -> None:
    """Voters and observers; times from v1 on, directory ids from v2 on, unknown times null."""
    voter, observer = items("DescribeQuorum", "quorum", _quorum(0, [(1, 1000)], [(7, -1)]), 2)
    assert (voter["leader_id"], voter["leader_epoch"], voter["high_watermark"]) == (1, 3, 4)
    assert (voter["replica_id"], voter["is_voter"]) == (1, True)
    assert voter["replica_directory_id"] == "AE-_Gp0_Si6aHPvz6fDVqg"
    assert (voter["last_fetch_ms"], voter["last_caught_up_ms"]) == (1000, None)
    assert (observer["replica_id"], observer["is_voter"], observer["last_fetch_ms"]) == (7, False, None)
    (old,) = items("DescribeQuorum", "quorum", _quorum(0, [(1, 1000)], []), 0)
    assert (old["last_fetch_ms"], old["replica_directory_id"]) == (None, None)


def test_describe_quorum_keeps_an_error_without_replicas() -> None:
    """Or else the partition's code would be nowhere."""
    (item,) = items("DescribeQuorum", "quorum", _quorum(3, [], []), 2)
    assert (item["error_code"], item["replica_id"], item["is_voter"]) == (3, None, None)
