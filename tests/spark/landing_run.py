"""One census of stand-ins into its own lake, of the walks that a test names."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from deltalake import DeltaTable
from pyspark.sql import DataFrame, SparkSession

from harness.few_tables import FEW_TABLES
from harness.standin_cluster import CLUSTER_ID, StandInCluster
from kafka_census.clock import Clock
from kafka_census.declarations.census import Census, new_census_id, started_at
from kafka_census.declarations.levels import walks_for
from kafka_census.declarations.walks import WALKS
from kafka_census.kafka.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.lake.lake import Lake
from kafka_census.landing.ingest import ingest
from kafka_census.pages.read import LandedPages, Part
from kafka_census.terminal.progress import NullProgress

EVERYTHING = tuple(walk.rpc for walk in walks_for(FEW_TABLES))
QUICK = CollectSettings(
    retry_backoff_ms=1, retry_backoff_max_ms=5, max_attempts=2, request_timeout_ms=2000, max_tries=1, keys_per_request=2
)


class Crash(BaseException):
    """Stands for kill -9 at one point in one JVM."""


@dataclass
class Run:
    """A census of the stand-ins into its own lake."""

    spark: SparkSession
    cluster: StandInCluster
    lake: Lake
    collect: CollectSettings = QUICK
    walks: tuple[str, ...] = ("DescribeCluster", "ListGroups")
    at_once: int = 1
    census: Census = field(init=False)
    _begun: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        census_id = new_census_id(Clock())
        names = tuple(table.name for table in FEW_TABLES)
        self.census = Census(census_id, CLUSTER_ID, "standin", started_at(census_id), names)

    def ingest(self, *, goes_on: bool | None = None) -> LandedPages:
        """Land, or from the second time on resume landing, only the walks of these RPCs."""
        goes_on, self._begun = self._begun if goes_on is None else goes_on, True
        settings = ClusterSettings("standin", (self.cluster.bootstrap_servers,))
        named = (walk for walk in WALKS if walk.rpc in self.walks)
        walks = tuple(walk for walk in named if walk.keys is None or walk.keys.rpc in self.walks)
        work = (self.spark, self.lake, settings, self.census, self.collect, NullProgress(), self.at_once)
        with patch("kafka_census.landing.ingest.walks_for", lambda _tables: walks):
            return ingest(*work, goes_on=goes_on)

    def pages(self, rpc: str) -> DataFrame:
        return LandedPages(self.spark, (Part(self.spark.table(self.lake.name("landing", "pages"))),), ()).of(rpc)

    def tries(self, rpc: str) -> list[tuple[Any, ...]]:
        """(node, try, wave, error) of every page."""
        rows = self.pages(rpc).select("node_id", "try_no", "wave", "error").collect()
        return sorted((tuple(row) for row in rows), key=str)

    def delta(self) -> DeltaTable:
        return DeltaTable(self.lake.path("landing", "pages"))

    def app_ids(self) -> set[str]:
        """The ids of the appends, as Delta's log has them."""
        log = Path(self.lake.path("landing", "pages"), "_delta_log")
        return set(re.findall(r'"appId":"([^"]*)"', "".join(file.read_text() for file in log.glob("*.json"))))
