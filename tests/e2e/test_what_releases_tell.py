"""What brokers tell of groups and records, which transforms rest on."""

import time
from collections.abc import Callable
from contextlib import closing
from typing import Any, TypeVar

import pytest
from confluent_kafka import Consumer, Producer
from kafka.protocol.consumer import JoinGroupRequest, JoinGroupResponse, SyncGroupRequest, SyncGroupResponse

from e2e.conftest import HEARTBEAT_MS, PASSWORD
from e2e.listing import QUICK, rows_of
from harness import wire, workload
from harness.kafka_cluster import KafkaCluster
from harness.oracle import ask
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClusterSettings, Sasl
from kafka_census.landing.fetch.fetch import Fetcher
from kafka_messages import ApiVersionsRequest, ApiVersionsResponse

Answer = TypeVar("Answer")

GO_ZERO_TIME = -62_135_596_800_000
"""The year 1, in milliseconds since 1970: the time of a record whose producer set none, in Go."""


def polled(consumer: Consumer, until: Callable[[], Answer]) -> Answer:
    """The first answer that is not empty, while a consumer is polled."""
    deadline = time.monotonic() + 60
    while not (answer := until()):
        assert time.monotonic() < deadline
        consumer.poll(0.2)
    return answer


def reconciling(cluster: KafkaCluster) -> list[dict[str, Any]]:
    """The members of the group `new` while it reconciles; else none."""
    found = rows_of(cluster.admin_servers, "ConsumerGroupDescribe", "groups", "new")
    return found if {row["group_state"] for row in found} == {"Reconciling"} else []


def sizes(members: list[dict[str, Any]], assignment: str) -> list[int]:
    return sorted(sum(len(numbers) for _, numbers in member[assignment]) for member in members)


def test_a_partition_to_give_up_is_told_from_4_3_on(single: KafkaCluster) -> None:
    """The first member keeps reading all four partitions: without polls it hears of no revocation."""
    workload.create_topic(single.admin_servers, "t", 4)
    settings = {"bootstrap.servers": single.admin_servers, "group.id": "new", "group.protocol": "consumer"}
    with closing(Consumer(settings)) as stays, closing(Consumer(settings)) as comes:
        stays.subscribe(["t"])
        polled(stays, stays.assignment)
        comes.subscribe(["t"])
        polled(comes, lambda: reconciling(single))
        # Several heartbeats later the coordinator has told the first member what to give up.
        told = time.monotonic() + 6 * HEARTBEAT_MS / 1000
        polled(comes, lambda: time.monotonic() > told)
        members = reconciling(single)
    assert sizes(members, "target_assignment") == [2, 2]
    assert sizes(members, "assignment") == [0, 4]


def test_before_sasl_a_broker_does_not_say_whether_it_is_meant(single: KafkaCluster) -> None:
    """It says yes to all (SaslServerAuthenticator of 4.4.0): each connection asks again, with its password given."""
    client = {"client_software_name": "test", "client_software_version": "1"}
    meant = ApiVersionsRequest(cluster_id=single.cluster_id, node_id=7, **client)
    answers = [wire.send(single.bootstrap(one), meant, ApiVersionsResponse, 5) for one in ("SASL", "PLAINTEXT")]
    assert [answer.error_code for answer in answers] == [0, ErrorCode.REBOOTSTRAP_REQUIRED]

    def listed(node: int, cluster_id: str) -> Page:
        host, _, port = single.bootstrap("SASL").rpartition(":")
        sasl = Sasl("PLAIN", "census", Secret(PASSWORD))
        how = {"security_protocol": "SASL_PLAINTEXT", "sasl": sasl}
        settings = ClusterSettings("test", (single.bootstrap("SASL"),), cluster_id, **how)
        chain = Chain(node, "one", Endpoint(node, host, int(port)))
        (page,) = Fetcher("ListGroups", "groups", settings, QUICK).pages(iter([chain]))
        return page

    found = [listed(1, single.cluster_id), listed(7, single.cluster_id), listed(1, "another")]
    assert [page.error_code for page in found] == [0, ErrorCode.WRONG_BROKER, ErrorCode.WRONG_CLUSTER]
    assert "broker 7" in str(found[1].error_message)
    assert single.cluster_id in str(found[2].error_message)


def test_a_stable_member_that_the_leader_left_out_has_nothing(single: KafkaCluster) -> None:
    """Its SyncGroup named no assignment; the Java client, too, describes a member without partitions."""
    server = single.admin_servers.split(",")[0]
    protocol = JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=b"")
    join = JoinGroupRequest(
        group_id="left-out",
        session_timeout_ms=300_000,
        rebalance_timeout_ms=300_000,
        member_id="",
        protocol_type="consumer",
        protocols=[protocol],
    )
    joined = wire.send(server, join, JoinGroupResponse, 3)
    assert joined.error_code == 0
    sync = SyncGroupRequest(
        group_id="left-out", generation_id=joined.generation_id, member_id=joined.member_id, assignments=[]
    )
    assert wire.send(server, sync, SyncGroupResponse, 2).error_code == 0
    (row,) = rows_of(single.admin_servers, "DescribeGroups", "groups", "left-out")
    assert (row["group_state"], row["assignment"]) == ("Stable", [])
    said = {one["group_id"]: one for one in ask(single.admin_servers, "classic_member")}
    assert (said["left-out"]["group_state"], list(said["left-out"]["assignment"])) == ("Stable", [])


@pytest.mark.parametrize("stamp", [-1, GO_ZERO_TIME])
def test_records_without_a_usable_time_are_no_empty_log(single: KafkaCluster, stamp: int) -> None:
    """The newest record has an offset and no timestamp; that of an empty log has neither."""
    servers, name = single.admin_servers, f"stamped{stamp}"
    workload.create_topic(servers, name, 2)
    producer = Producer({"bootstrap.servers": servers, "log_level": 0})
    for _ in range(3):
        producer.produce(name, b"a record", partition=0, timestamp=stamp)
    assert producer.flush(30) == 0
    keys = (f"{name}/0", f"{name}/1")
    newest = {row["partition"]: row for row in rows_of(servers, "ListOffsets", "max_timestamp", *keys)}
    assert (newest[0]["timestamp"], newest[1]["timestamp"], newest[1]["offset"]) == (None, None, None)
    # The broker looks for a record of the greatest time, which begins at -1: it finds one stamped -1, and none before.
    assert newest[0]["offset"] == (0 if stamp == -1 else None)
    ends = {row["partition"]: row["offset"] for row in rows_of(servers, "ListOffsets", "latest", *keys)}
    assert ends == {0: 3, 1: 0}
