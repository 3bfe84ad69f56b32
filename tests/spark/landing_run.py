"""One census of stand-ins into its own lake, of the walks that a test names."""

from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from deltalake import DeltaTable
from pyspark.sql import SparkSession

from harness.few_tables import FEW_TABLES
from harness.standin_cluster import CLUSTER_ID, StandInCluster
from kafka_census.clock import Clock
from kafka_census.declarations.census import Census, new_census_id, started_at
from kafka_census.declarations.levels import walks_for
from kafka_census.declarations.pages import items_column
from kafka_census.declarations.walks import WALKS
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.lake.lake import Lake
from kafka_census.landing.fetch.schema import landed_table
from kafka_census.landing.ingest import Ingest
from kafka_census.pages.read import LandedPages
from kafka_census.terminal.progress import NullProgress
from spark.report_lake import logged

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
        work = (self.spark, self.lake, settings, self.census, self.collect, NullProgress(), goes_on, self.at_once)
        with patch("kafka_census.landing.ingest.walks_for", lambda _tables: walks):
            return Ingest(*work).run()

    def pages(self, rpc: str) -> list[dict[str, Any]]:
        """Landed pages of an RPC in the order of waves, with their `items`, read without Spark."""
        pages = self.delta().to_pyarrow_table(filters=[("rpc", "=", rpc)]).to_pylist()
        items = items_column(rpc)
        return sorted(
            ({**page, "items": page[items]} for page in pages),
            key=lambda page: (page["wave"], page["scope"], page["node_id"], page["try_no"], page["page_no"]),
        )

    def items(self, rpc: str, column: str) -> list[Any]:
        """A column of the items of an RPC."""
        return sorted(item[column] for page in self.pages(rpc) for item in page["items"] or ())

    def tries(self, rpc: str) -> list[tuple[int, int, str | None]]:
        """(node, try, error) of every page."""
        found = [(page["node_id"], page["try_no"], page["error"]) for page in self.pages(rpc)]
        return sorted(found, key=str)

    def check_that_no_page_is_there_twice(self) -> None:
        """Each page of every walk was landed, and is there once."""
        columns = ["rpc", "chain_id", "page_no", "part_no"]
        written = self.delta().to_pyarrow_table(columns=columns).to_pylist()
        assert {row["rpc"] for row in written} >= set(self.walks)
        assert len({tuple(row.values()) for row in written}) == len(written)

    def delta(self) -> DeltaTable:
        return DeltaTable(self.lake.path("landing", "pages"))

    def app_ids(self) -> set[str]:
        """The ids of the appends, as Delta's log has them."""
        return {entry["txn"]["appId"] for entry in logged(self.lake, landed_table()) if "txn" in entry}
