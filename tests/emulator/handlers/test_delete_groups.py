"""DeleteGroups of the emulator: every code of KIP-229, and that what is deleted is gone everywhere."""

from itertools import groupby

import pytest
from kafka.protocol.admin import DeleteGroupsRequest

from emulator.asking import ask
from emulator.handlers.grouping import at, elsewhere, grouped, ids_of, narrow
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import DescribeGroupsRequest, ListGroupsRequest, OffsetFetchRequest

VERSIONS = [(kafka, version) for kafka in ("2.8", "3.9", "4.3") for version in range(3)]
EMPTY = {"id": "empty", "topics": ["open"]}


def _deleted(server: Server, *ids: str, version: int = 2, broker: int) -> list[tuple[str, int]]:
    response = ask(server, DeleteGroupsRequest(groups_names=list(ids)), version, broker)
    return [(one.group_id, one.error_code) for one in response.results]


@pytest.mark.parametrize(("as_version", "version"), VERSIONS)
def test_an_empty_group_is_gone_from_then_on(as_version: str, version: int) -> None:
    """From ListGroups, DescribeGroups and OffsetFetch; a second time it is 69."""
    server = grouped(EMPTY, as_version=as_version, kip_1062=False)
    broker = at(server, "empty")
    offsets = OffsetFetchRequest(group_id="empty", topics=None)
    assert ask(server, offsets, 5, broker).topics
    assert _deleted(server, "empty", "empty", version=version, broker=broker) == [("empty", 0)]
    assert _deleted(server, "empty", version=version, broker=broker) == [("empty", 69)]
    listed = ask(server, ListGroupsRequest(), 4, broker)
    assert "empty" not in {one.group_id for one in listed.groups}
    assert ask(server, DescribeGroupsRequest(groups=["empty"]), 5, broker).groups[0].group_state == "Dead"
    assert ask(server, offsets, 5, broker).topics == []


@pytest.mark.parametrize("kind", ["classic", "consumer", "share", "streams"])
def test_groups_of_any_type_must_be_empty(kind: str) -> None:
    """68 while there are members; a Dead one is not found."""
    declared = [{"id": f"{kind}-{state}", "type": kind, "state": state} for state in ("Stable", "Empty", "Dead")]
    server = grouped(*declared)
    for state, code in (("Stable", 68), ("Empty", 0), ("Dead", 69)):
        group_id = f"{kind}-{state}"
        assert _deleted(server, group_id, broker=at(server, group_id)) == [(group_id, code)]
    assert f"{kind}-Empty" not in server.world.groups.names
    assert f"{kind}-Stable" in server.world.groups.names


def test_elsewhere_denied_and_no_id() -> None:
    """16, 30 by DELETE (DESCRIBE is not enough); the empty id is one like others, null is not read at all."""
    server = grouped(EMPTY, {"id": "kept"}, security=narrow(("GROUP", "secret")))
    assert _deleted(server, "empty", broker=elsewhere(server, "empty")) == [("empty", 16)]
    assert _deleted(server, "", broker=at(server, "")) == [("", 69)]
    assert ask(server, DeleteGroupsRequest(groups_names=[None]), 2, 1) is None
    acls = [{"resource_type": "GROUP", "resource_name": "*", "operation": "DESCRIBE"}]
    reader = grouped(EMPTY, security={"super_users": [], "acls": acls})
    assert _deleted(reader, "empty", broker=at(reader, "empty")) == [("empty", 30)]
    assert "empty" in reader.world.groups.names


def test_what_cannot_be_noted_is_not_deleted() -> None:
    """15 while __consumer_offsets has fewer replicas in sync than it must; validated before."""
    brokers = {"count": 3, "configs": {"min.insync.replicas": "2"}}
    server = grouped(EMPTY, {"id": "live", "members": 1}, brokers=brokers)
    for broker in (2, 3):
        server.world.stop(broker)
    assert _deleted(server, "empty", broker=1) == [("empty", 15)]
    assert _deleted(server, "live", broker=1) == [("live", 68)]
    server.world.start(2)
    assert _deleted(server, "empty", broker=at(server, "empty")) == [("empty", 0)]


def test_the_order_is_that_of_partitions_and_denied_ones_come_last() -> None:
    server = grouped({"id": "secret"}, security=narrow(("GROUP", "secret")))
    ids = [one for one in ids_of(server) if one != "secret"]
    reported = [one for one, _ in _deleted(server, "secret", *ids, *ids, broker=1)]
    assert reported[-1] == "secret"
    assert sorted(reported[:-1]) == ids
    # Which partition comes first is up to Java's HashMap: the conformance suite has it.
    partitions = [partition for partition, _ in groupby(reported[:-1], server.world.groups.partition_of)]
    assert len(partitions) == len(set(partitions))
