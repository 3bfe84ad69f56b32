"""Every connection proves the cluster id before its first request; the node of another cluster is asked nothing.

What cannot be surveyed is one clear line at bootstrap.
"""

import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kafka.protocol.admin import DescribeClusterRequest
from kafka.protocol.metadata import FindCoordinatorRequest

from harness.failover import Failover
from harness.responses import described_cluster, described_configs, listed_groups
from harness.standin import Act, StandIn
from kafka_census.errors import CensusError, Unreachable, WrongCluster
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.retry import RETRIABLE
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClusterSettings, Sasl
from kafka_messages.kip_1062 import DescribeConfigsRequest, DescribeGroupsRequest, ListGroupsRequest, MetadataRequest
from unit.rpc.answers import answer
from unit.walking import QUICK, Serve, read_groups, walk

IMPATIENT = replace(QUICK, request_timeout_ms=150, connect_timeout_ms=150)
OURS, THEIRS = "cluster-of-the-plan-00", "cluster-of-others-0000"


def cluster(cluster_id: str, *brokers: StandIn) -> Any:
    """DescribeCluster of a cluster of that id; without brokers, one that nobody can reach."""
    at = [one.endpoint for one in brokers]
    return described_cluster(cluster_id, [(one.node_id, one.host, one.port) for one in at] or [(1, "127.0.0.1", 1)])


def broker_of(serve: Serve, cluster_id: str) -> StandIn:
    return serve({DescribeClusterRequest: cluster(cluster_id), ListGroupsRequest: listed_groups("a")})


def asked(broker: StandIn) -> list[str]:
    return [type(one).__name__ for one in broker.asked]


def at(*servers: str, **fields: object) -> ClusterSettings:
    return ClusterSettings("prod", servers, **fields)  # type: ignore[arg-type]  # fields by name


def old(serve: Serve, **fields: Any) -> StandIn:
    """A broker before 2.8, which has no DescribeCluster; `fields` replace fields of its answer."""
    known: dict[str, Any] = {"brokers": [{"node_id": 3, "host": "h", "port": 9}], "cluster_id": "old"}

    def metadata(request: MetadataRequest, _n: int) -> Any:
        assert (request.topics, request.allow_auto_topic_creation) == ([], False)  # so that none can be created
        return answer("Metadata", **known | fields)

    return serve({MetadataRequest: metadata}, versions={MetadataRequest: (0, 8)})


def test_a_broker_before_2_8_proves_its_cluster_by_metadata(serve: Serve) -> None:
    broker = old(serve, cluster_id=THEIRS)
    (page,) = walk(broker, "ListGroups", "groups", cluster_id=OURS)
    assert (page.error_code, asked(broker)) == (ErrorCode.WRONG_CLUSTER, ["MetadataRequest"])


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("node.id", "7", "is another broker (its id is 7): nothing else was sent to it"),
        *(("broker.id", "1", ""), ("broker.id", "-1", ""), ("any", "7", "")),
    ],
)
def test_a_broker_that_tells_another_id_is_not_the_one(serve: Serve, name: str, value: str, says: str) -> None:
    """Even one that answers for every id; -1 is the default of a config that is not set."""
    broker = broker_of(serve, OURS)
    broker.scripts[DescribeConfigsRequest] = lambda request, _n: described_configs(request, value, name)
    (page,) = walk(broker, "ListGroups", "groups", cluster_id=OURS)
    assert page.error_code == (ErrorCode.WRONG_BROKER if says else 0)
    assert says in str(page.error_message)
    assert asked(broker)[2:] == ([] if says else ["ListGroupsRequest"])


def test_a_broker_that_names_no_cluster_proves_nothing(serve: Serve) -> None:
    """An answer without an id is no proof, and neither is an error; both may pass, and are asked for again."""
    answers = [cluster(""), Act(drop=True), cluster(OURS)]
    broker = serve({DescribeClusterRequest: lambda _request, n: answers[n], ListGroupsRequest: listed_groups("a")})
    (page,) = walk(broker, "ListGroups", "groups", cluster_id=OURS)
    assert (page.error_code, asked(broker)) == (0, ["DescribeClusterRequest"] * 3 + ["ListGroupsRequest"])


def test_a_throttled_proof_is_heeded(serve: Serve) -> None:
    broker = broker_of(serve, OURS)
    broker.scripts[DescribeClusterRequest].throttle_time_ms = 200
    (page,) = walk(broker, "ListGroups", "groups", cluster_id=OURS)
    proven_at, asked_at = broker.asked_at
    assert page.error_code == 0
    assert asked_at - proven_at >= 0.2


def test_a_bootstrap_server_of_another_cluster_places_no_key(serve: Serve) -> None:
    asked_for = dict.fromkeys((FindCoordinatorRequest, DescribeGroupsRequest), lambda *_: pytest.fail("it was asked"))
    theirs = serve({DescribeClusterRequest: cluster(THEIRS), **asked_for})
    elsewhere = answer("DescribeGroups", groups=[{"group_id": "a", "error_code": 16}])
    moved = serve({DescribeClusterRequest: cluster(OURS), DescribeGroupsRequest: elsewhere})
    *_, page = walk(moved, "DescribeGroups", "groups", ("a",), bootstrap=theirs, cluster_id=OURS)
    said = str(page.error_message)
    assert (page.error_code, THEIRS in said, OURS in said) == (ErrorCode.WRONG_CLUSTER, True, True)
    assert set(asked(theirs)) == {"DescribeClusterRequest"}


def test_a_read_of_the_data_source_proves_the_cluster_that_answered_it(serve: Serve, tmp_path: Path) -> None:
    """Conf expects nothing; who answered when the read was planned is who is asked, or nobody."""
    mine, theirs = broker_of(serve, OURS), broker_of(serve, THEIRS)
    with Failover(mine.address, theirs.address, after=1) as front:
        mine.scripts[DescribeClusterRequest] = cluster(OURS, front)  # type: ignore[arg-type]
        (row,) = read_groups(tmp_path, front.address, retry_backoff_ms=1, retry_backoff_max_ms=5)
        where = f"broker 1 at {front.address}"
    assert (row["error"], row["items"]) == ("WRONG_CLUSTER", [])
    text = f"{where} belongs to cluster id {THEIRS}, but {OURS} is expected: nothing else was sent to it"
    assert row["error_message"] == text
    assert asked(theirs) == ["DescribeClusterRequest"]
    assert ErrorCode.WRONG_CLUSTER not in RETRIABLE


def test_bootstrap_itself_proves_nothing_twice(serve: Serve) -> None:
    broker = broker_of(serve, OURS)
    settings = ClusterSettings("prod", (broker.address,), OURS)
    assert bootstrap(settings, CollectSettings()).cluster_id == OURS
    assert asked(broker) == ["DescribeClusterRequest"]
    with pytest.raises(WrongCluster, match=rf"{OURS}, but conf expects {THEIRS}; .*clusters\.prod"):
        bootstrap(ClusterSettings("prod", (broker.address,), THEIRS), CollectSettings())
    proving = ClusterSettings("prod", (broker.address,)).proving(THEIRS)
    with pytest.raises(WrongCluster, match=f"{OURS}, but {THEIRS} answered there before; correct what leads there"):
        bootstrap(proving, CollectSettings())


def test_the_first_server_that_answers_names_the_cluster_and_a_broker_of_it_or_is_unreachable(serve: Serve) -> None:
    broker = serve({DescribeClusterRequest: described_cluster("k", [(7, "h", 9)])})
    for address, cluster_id, node in ((broker.address, "k", 7), (old(serve).address, "old", 3)):
        view = bootstrap(at("127.0.0.1:1", address), IMPATIENT)
        assert (view.cluster_id, [one.node_id for one in view.brokers]) == (cluster_id, [node])
    for missing, names in (({"cluster_id": None}, "cluster"), ({"brokers": []}, "broker of its cluster")):
        with pytest.raises(Unreachable, match=f"names no {names}"):
            bootstrap(at(old(serve, **missing).address), IMPATIENT)


def test_a_broker_that_is_named_twice_is_one_broker_or_is_refused_by_its_id(serve: Serve) -> None:
    same = serve({DescribeClusterRequest: described_cluster("k", [(7, "h", 9), (7, "h", 9)])})
    assert [one.node_id for one in bootstrap(at(same.address), IMPATIENT).brokers] == [7]
    broker = serve({DescribeClusterRequest: described_cluster("k", [(7, "h", 9), (7, "elsewhere", 9)])})
    with pytest.raises(Unreachable, match=r"broker 7 is named twice: \('h', 9\) and \('elsewhere', 9\)"):
        bootstrap(at(broker.address), IMPATIENT)
    (page,) = walk(broker, "DescribeCluster", "cluster", collect=replace(IMPATIENT, max_attempts=2))
    assert page.error_code == ErrorCode.MALFORMED_RESPONSE
    assert "broker 7 is named twice" in str(page.error_message)


@pytest.mark.parametrize("protocol", ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"])
def test_a_peer_that_never_answers_does_not_hang(protocol: str) -> None:
    sasl = Sasl("PLAIN", "u", Secret("canary-1f9c")) if protocol.startswith("SASL") else None
    with socket.create_server(("127.0.0.1", 0)) as mute, pytest.raises(CensusError) as error:
        bootstrap(at(f"127.0.0.1:{mute.getsockname()[1]}", security_protocol=protocol, sasl=sasl), IMPATIENT)
    assert error.value.exit_code == 1
    assert "canary" not in str(error.value)
