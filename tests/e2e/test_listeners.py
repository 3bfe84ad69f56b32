"""A cluster that is empty and stays empty; listeners that one broker lacks, or of which both advertise one address."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from e2e.conftest import EXTERNAL, SHARED
from e2e.listing import ingested, pages, topics
from e2e.operator import PUBLISH_INCOMPLETE, Operator
from harness import workload
from harness.doctored import doctored, written
from harness.kafka_cluster import KafkaCluster
from kafka_census.declarations.audit import PUBLICATIONS
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE

GROUPS = [f"group-{n}" for n in range(20)]


def test_no_request_of_a_census_creates_anything_in_an_empty_cluster(
    pair: KafkaCluster, operator: Callable[..., Operator]
) -> None:
    """Who asks for a coordinator, for example, makes brokers create a topic."""
    assert topics(pair.admin_servers) == set()
    landed = ingested(replace(operator(pair.bootstrap_servers, "empty"), tables=TABLES))
    assert [page.rows for page in landed["ListGroups", "groups"]] == [(), ()]
    assert topics(pair.admin_servers) == set()


def test_the_coordinator_s_endpoint_is_of_the_listener_that_was_asked(
    pair: KafkaCluster, operator: Callable[..., Operator]
) -> None:
    """A leader without that listener is a row with the error, after bounded retries."""
    workload.create_topic(pair.admin_servers, "orders", 2, 1)
    workload.commit_offsets(pair.admin_servers, GROUPS, "orders")
    census = replace(operator(pair.bootstrap(EXTERNAL.name), "external"), tables=(GROUP_COORDINATOR_PLACEMENT,))
    landed = ingested(census)
    missing = [page.error_code for page in landed["ListGroups", "groups"] if page.chain.node_id == 2]
    assert missing == [ErrorCode.BROKER_NOT_ALIVE]
    host, port = census.servers.split(":")
    here = (1, host, int(port), 0)
    found = [row for page in landed["FindCoordinator", "groups"] for row in page.rows]
    assert {(row[3], row[4], row[5], row[1]) for row in found} == {here}
    (page,) = pages(census.servers, "FindCoordinator", "groups", tuple(GROUPS), CollectSettings())
    assert (page.error_code, page.attempts) == (0, 3)
    assert sorted(row[0] for row in page.rows) == sorted(GROUPS)
    assert {(row[3], row[4], row[5], row[1]) for row in page.rows if row[1] == 0} == {here}
    assert {row[1] for row in page.rows} == {0, 15}


def test_two_brokers_at_one_address_never_count_as_two(
    pair: KafkaCluster, operator: Callable[..., Operator], tmp_path: Path
) -> None:
    """The broker that is there answers, the other one's pages are errors; `doctor` says why, and what is published."""
    found = doctored(written(tmp_path, pair.bootstrap(SHARED.name), others={"tables": ["log_dir_usage"]}))
    assert (found.code, found.states("failed")) == (1, {"brokers"})
    assert "1 of 2 brokers answer" in found.text
    (detail,) = found.details("brokers")
    assert "is another broker (it says that it is not meant)" in detail
    assert "brokers 1 and 2 lead to one address; to do: give each broker an address of its own" in detail

    census = replace(operator(pair.bootstrap(SHARED.name), "shared"), tables=(LOG_DIR_USAGE,))
    ran = census.done("census", "--no-report", **PUBLISH_INCOMPLETE)
    assert "brokers_at_one_address" in ran.err
    missing = [one for row in census.stored(PUBLICATIONS) for one in row["missing"]]
    assert {(one["rpc"], one["broker_id"], one["error"]) for one in missing} == {("DescribeLogDirs", 2, "WRONG_BROKER")}
    assert all("brokers 1 and 2 lead to one address" in one["reason"] for one in missing)
    assert {row["broker_id"] for row in census.read("log_dir_usage") if row["replica_bytes"]} <= {1}
