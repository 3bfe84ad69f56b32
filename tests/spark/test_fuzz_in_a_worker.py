"""Spark workers whose brokers answer garbage: their census lands, in pages that report the errors."""

from pathlib import Path
from unittest.mock import patch

from pyspark.sql import SparkSession

from emulator.asking import cluster, serving
from kafka_census.census import Census, new_census_id, started_at
from kafka_census.clock import Clock
from kafka_census.error_codes import ErrorCode
from kafka_census.lake.lake import Lake
from kafka_census.landing.ingest import ingest
from kafka_census.pages.read import LandedPages
from kafka_census.progress import NullProgress
from kafka_census.protocol.cluster import bootstrap
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.tables import TABLES, WALKS
from kafka_emulator.fault_actions import FaultSection
from kafka_emulator.faults import Faults

SEED = 7
ASKED = ("DescribeCluster", "DescribeLogDirs", "ListGroups")
QUICK = CollectSettings(
    page_limit=4, retry_backoff_ms=1, retry_backoff_max_ms=5, max_attempts=1, max_tries=1, chain_deadline_ms=5_000
)


def test_a_census_of_mutating_brokers_ends_in_pages(spark: SparkSession, tmp_path: Path) -> None:
    """Every listing and one proof of the cluster is mutated; no task fails, and each broker has all pages it owes."""
    server = cluster(brokers={"count": 2}, groups={"count": 12}, topics={"partitions": 12})
    lake = Lake(str(tmp_path / "lake"))
    walks = tuple(walk for walk in WALKS if walk.rpc in ASKED)
    with serving(server):
        settings = ClusterSettings("emulated", (server.bootstrap_servers.partition(",")[0],))
        census_id = new_census_id(Clock())
        view = bootstrap(settings, QUICK)
        census = Census(
            census_id, view.cluster_id, "emulated", started_at(census_id), tuple(table.name for table in TABLES)
        )
        faults = [{"api": rpc, "always": True, "do": {"mutate": SEED}} for rpc in ASKED[1:]]
        faults.append({"api": "DescribeCluster", "page": 3, "do": {"mutate": SEED}})
        server.faults = Faults(tuple(map(FaultSection.model_validate, faults)))
        with patch("kafka_census.landing.ingest.walks_for", lambda _tables: walks):
            ingest(spark, lake, settings, census, QUICK, NullProgress())
    assert server.failure is None
    assert server.faults.never_hit == ()
    pages = LandedPages.read(spark, lake, census_id)
    landed = {walk: pages.of(walk.rpc).collect() for walk in walks}
    for walk, pages in landed.items():
        assert {page.node_id for page in pages} >= ({1, 2} if walk.asks_all_brokers else {1})
        assert all(page.error_message for page in pages if page.error_code)
    codes = [page.error_code for pages in landed.values() for page in pages]
    assert codes.count(ErrorCode.MALFORMED_RESPONSE) > 1
