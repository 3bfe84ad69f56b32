"""Every connection proves which broker answers: one address never counts as two brokers."""

from dataclasses import replace
from typing import Any

import pytest

from emulator.asking import QUICK, cluster, faults, serving
from harness.deleting import in_a_task
from kafka_census.deletion.writing import delete
from kafka_census.kafka.error_codes import RETRIABLE, UNREACHABLE, ErrorCode
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.landing.fetch.fetch import Fetcher
from kafka_emulator.features import LATEST
from kafka_emulator.server import Server

NOT_MEANT = "it says that it is not meant"
GROUPS = [f"g-{number}" for number in range(4)]
BY_CONFIGS = ("2.8", "3.9", "4.3")
"""Versions whose brokers tell their id by DescribeConfigs; a later one is told whom the client means."""

DESCRIBES = {"operation": "DESCRIBE", "resource_type": "CLUSTER", "resource_name": "kafka-cluster"}
NARROW: dict[str, Any] = {"super_users": [], "acls": [DESCRIBES]}
"""A principal without DESCRIBE_CONFIGS."""


def two(as_version: str = LATEST, *, one_address: bool = True, **sections: Any) -> Server:
    advertised = {2: 1} if one_address else {}
    return cluster(as_version, kip_1062=False, brokers={"count": 2, "advertised": advertised}, **sections)


def address(server: Server, broker: int) -> tuple[str, int]:
    at = server.world.brokers.endpoint(broker, server.world.brokers.listeners[0])
    assert at is not None
    return at.host, at.port


def listed(server: Server, broker: int, at: tuple[str, int] | None = None, cluster_id: str | None = None) -> Page:
    """The page of a broker's ListGroups, at its address or another one, of its cluster or another one."""
    host, port = at or address(server, broker)
    settings = ClusterSettings("emulated", (f"{host}:{port}",), cluster_id or server.world.cluster_id)
    fetcher = Fetcher("ListGroups", "groups", settings, QUICK)
    (page,) = fetcher.pages(iter([Chain(broker, f"{broker}", Endpoint(broker, host, port))]))
    return page


def asked(server: Server, api: str) -> int:
    return sum(server.asked.get((broker, api), 0) for broker in (1, 2))


@pytest.mark.parametrize("as_version", [*BY_CONFIGS, LATEST])
def test_another_broker_at_the_address_is_an_error_page(as_version: str) -> None:
    """The broker that is there answers; the other one's page says who it is, and nothing else was sent for it."""
    with serving(two(as_version, groups={"count": 4})) as server:
        mine, theirs = listed(server, 1), listed(server, 2)
        host, port = address(server, 1)
    assert mine.error_code == 0
    assert (theirs.error_code, theirs.rows) == (ErrorCode.WRONG_BROKER, ())
    unexpected = "Unexpected broker id, expected 1 or empty string, but received 2"
    says = unexpected if as_version in BY_CONFIGS else NOT_MEANT
    assert theirs.error_message == (
        f"broker 2 at {host}:{port} is another broker ({says}): nothing else was sent to it; brokers 1 and 2 lead to "
        "one address"
    )
    assert asked(server, "ListGroups") == 1
    assert ErrorCode.WRONG_BROKER not in RETRIABLE
    assert ErrorCode.WRONG_BROKER in UNREACHABLE


@pytest.mark.parametrize(("as_version", "more"), [("4.3", {"DescribeConfigs": 1}), ("4.4", {})])
def test_the_proof_costs_at_most_one_request_per_connection(as_version: str, more: dict[str, int]) -> None:
    """Beside that of the cluster; it asks for two configs, not for three hundred."""
    with serving(two(as_version, one_address=False, groups={"count": 4})) as server:
        assert [listed(server, broker).error_code for broker in (1, 2)] == [0, 0]
    proofs = {api: count for (_, api), count in server.asked.items() if api != "ListGroups"}
    assert proofs == {"ApiVersions": 1, "DescribeCluster": 1, **more}
    assert {broker for broker, _ in server.asked} == {1, 2}


def test_a_broker_that_is_told_who_is_meant_needs_no_right() -> None:
    """The one that is there is proven, as is another one, by its address or by a name."""
    with serving(two(groups={"count": 4}, security=NARROW)) as server:
        _, port = address(server, 1)
        pages = [listed(server, 1), listed(server, 2), listed(server, 2, ("localhost", port))]
    assert [page.error_code for page in pages] == [0, ErrorCode.WRONG_BROKER, ErrorCode.WRONG_BROKER]
    assert asked(server, "ListGroups") == 1


def lying(action: str | dict[str, int], *, page: int | None = None) -> Server:
    """Brokers whose ApiVersions does this, at one request or at each."""
    fault = {"api": "ApiVersions", "do": action, "page": page, "always": page is None}
    return replace(two(one_address=False, groups={"count": 4}), faults=faults(fault))


@pytest.mark.parametrize(
    ("lie", "cluster_id", "code", "says"),
    [
        ({"action": {"delay_ms": 1}}, "another", ErrorCode.WRONG_CLUSTER, "but another is expected"),
        ({"action": "impersonate"}, "another", ErrorCode.WRONG_CLUSTER, "but another is expected"),
        ({"action": {"error": 129}, "page": 0}, None, ErrorCode.WRONG_BROKER, NOT_MEANT),
        ({"action": {"error": 129}}, None, ErrorCode.CONNECTION_FAILED, "answered REBOOTSTRAP_REQUIRED"),
    ],
    ids=["another cluster", "it says that it is of the cluster", "it says that it is another", "for ever"],
)
def test_another_cluster_and_a_lie_are_error_pages(
    lie: dict[str, Any], cluster_id: str | None, code: ErrorCode, says: str
) -> None:
    """Nothing else is sent; whatever ApiVersions says, the cluster's id is asked for as before."""
    with serving(lying(**lie)) as server:
        page = listed(server, 1, cluster_id=cluster_id)
    assert (page.error_code, page.rows, asked(server, "ListGroups")) == (code, (), 0)
    assert says in str(page.error_message)


@pytest.mark.parametrize("as_version", BY_CONFIGS)
def test_without_the_right_addresses_decide(as_version: str) -> None:
    """Brokers at two addresses count as two; of two at one address none can be told from the other."""
    with serving(two(as_version, one_address=False, groups={"count": 4}, security=NARROW)) as server:
        assert [listed(server, broker).error_code for broker in (1, 2)] == [0, 0]
    with serving(two(as_version, groups={"count": 4}, security=NARROW)) as server:
        pages = [listed(server, broker) for broker in (1, 2)]
        _, port = address(server, 1)
        by_name = listed(server, 2, ("localhost", port))
    assert [page.error_code for page in (*pages, by_name)] == [ErrorCode.WRONG_BROKER] * 3
    for page in (*pages, by_name):
        assert "brokers 1 and 2 lead to one address" in str(page.error_message)
        assert "DescribeConfigs on the cluster" in str(page.error_message)
    assert asked(server, "ListGroups") == 0


def test_no_group_is_deleted_at_another_broker() -> None:
    """DeleteGroups goes to a proven coordinator only: one of the two is."""
    with serving(two(groups={"count": 0, "declared": [{"id": name} for name in GROUPS]})) as server:
        host, port = address(server, 1)
        settings = ClusterSettings("one", (f"{host}:{port}",), server.world.cluster_id)
        found = in_a_task(delete.delete, settings, [{"group_id": name, "offsets": []} for name in GROUPS], QUICK)
        left = {name for name in GROUPS if server.world.groups.get(name)}
    codes = {name: row["error_code"] for name, row in found.items()}
    assert codes == {name: ErrorCode.WRONG_BROKER if name in left else 0 for name in GROUPS}
    assert 0 < len(left) < len(GROUPS)
    assert asked(server, "DeleteGroups") == 1
