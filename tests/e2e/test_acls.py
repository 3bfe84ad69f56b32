"""ACLs whose names are odd, on a real broker with allow.everyone.if.no.acl.found."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from e2e.conftest import PASSWORD, SASL
from e2e.operator import ACCEPT_UNKNOWN, Operator, plain
from harness import workload
from harness.doctored import doctored, written
from harness.kafka_cluster import KafkaCluster
from kafka_census.declarations.audit import PUBLICATIONS
from kafka_census.tables.hanging_transactions.columns import HANGING_TRANSACTIONS


@pytest.fixture
def cluster(single: KafkaCluster) -> Iterator[KafkaCluster]:
    """Two open transactions, of which an ACL hides one; nothing has an ACL for `census`."""
    servers = single.admin_servers
    workload.create_topic(servers, "written", 1, 1)
    workload.allow(servers, "bob", "DESCRIBE", "transactional_id", "secret-1")
    workload.allow(servers, "bob", "DESCRIBE", "transactional_id", "*", prefix=True)
    with (
        workload.transactions(servers, "written", done="done-1", undone="undone-1", still_open="open-1"),
        workload.transactions(servers, "written", done="done-2", undone="undone-2", still_open="secret-1"),
    ):
        yield single
    workload.forget_acls(servers, "transactional_id")  # which other tests of this broker would find


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CENSUS_PASSWORD", PASSWORD)


def test_a_prefix_that_is_a_star_is_not_about_all_ids(
    cluster: KafkaCluster, operator: Callable[..., Operator], tmp_path: Path
) -> None:
    """The broker hides `secret-1` and shows the rest: neither `doctor` nor the gate may call that proven."""
    found = doctored(written(tmp_path, cluster.bootstrap(SASL.name), **plain("census")))
    assert found.states("failed") == {"visibility"}
    (detail,) = found.details("visibility")
    assert "ids with ACLs of their own, such as ids that begin with *, may be hidden" in detail

    made = operator(cluster.bootstrap(SASL.name), name="acls", **plain("census"))
    census = replace(made, tables=(HANGING_TRANSACTIONS,))
    census.done("census", "--no-report", **ACCEPT_UNKNOWN)
    (publication,) = [row for row in census.stored(PUBLICATIONS) if row["table_name"] == HANGING_TRANSACTIONS.name]
    hidden_by = {one["rpc"]: one["reason"] for one in publication["missing"] if one["error"] == "NOT_VISIBLE"}
    assert publication["visibility"] == "unknown"
    assert "brokers may have allow.everyone.if.no.acl.found" in hidden_by["ListTransactions"]
    columns = ("transactional_id", "verdict", "confidence", "doubt")
    judged = {tuple(row[name] for name in columns) for row in census.read("hanging_transactions")}
    hidden = "its id may be hidden: brokers do not list ids that the principal may not DESCRIBE"
    assert judged == {
        ("open-1", "held", None, None),
        (None, "hanging", "low", hidden),
    }
