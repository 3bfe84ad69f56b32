"""The ingest step: take the walks of a census level by level, each wave by wave, until every walk has ended.

A level's walks are planned, fetched and committed together: one requests frame, one Spark job, one commit per
wave. The landed pages are the checkpoint. Everything that a wave needs is in them, so that a killed census resumes from
its last commit: chains that ended without an error are never asked again, open chains continue from their last next
cursor, chains that ended in a retriable error are retried with try_no + 1.

Nodes owe their chains as soon as they are known: nodes that bootstrap names from the first level on, nodes that only
DescribeCluster or a replica list names from the next level on.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census import size
from kafka_census.census import Census
from kafka_census.errors import CensusError
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.memory import computed_once
from kafka_census.landing import append
from kafka_census.landing.chains import Chains
from kafka_census.landing.plan import Plan, Planner
from kafka_census.landing.request import Brokers
from kafka_census.landing.route import Node, owing, route
from kafka_census.pages.header import Header, WalkName
from kafka_census.pages.landed_census import read_pages
from kafka_census.pages.read import LandedPages, Part
from kafka_census.progress import Progress, timed
from kafka_census.protocol.cluster import bootstrap
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.source.arrow import WaveId
from kafka_census.source.fetch import WaveFetcher
from kafka_census.source.schema import landed_table, wave_schema
from kafka_census.tables import tables_named
from kafka_census.tables.levels import levels, walks_for
from kafka_census.tables.walk import Walk

NODES_FROM = frozenset({("DescribeCluster", "cluster"), ("DescribeTopicPartitions", "topics")})
"""The walks from which the route is computed."""

FEW_SO_FAR = size.LARGE // 2
"""While a census has landed fewer items than this, its next pages are kept in memory as they are landed."""


@dataclass
class Ingest:
    """The ingest of one census.

    goes_on  whether pages of this census may have been landed before
    landed   all landed pages, kept in memory or read back after each wave; None before the first wave
    retries  by walk: the number of waves of this run that retried its failed chains
    """

    spark: SparkSession
    lake: Lake
    cluster: ClusterSettings
    census: Census
    collect: CollectSettings
    progress: Progress
    goes_on: bool = True
    landed: LandedPages | None = field(default=None, init=False)
    retries: Counter[WalkName] = field(default_factory=Counter, init=False)

    def run(self) -> LandedPages:
        """Land every page that the tables of the census need. Raises what `bootstrap` and fetching tasks raise."""
        view = bootstrap(self.cluster, self.collect)
        nodes = tuple(Node(broker.node_id, broker, "alive") for broker in sorted(view.brokers, key=lambda b: b.node_id))
        brokers = Brokers(nodes, view.controller_id)
        walks = walks_for(tables_named(self.census.tables))
        if self.goes_on and store.exists(self.spark, self.lake, landed_table()):
            found = read_pages(self.spark, self.lake, self.census.census_id)
            self.landed = found if found.headers else None
        by_level = levels(walks)
        routed = max(number for number, level in enumerate(by_level) if NODES_FROM & {walk.name for walk in level})
        for number, level in enumerate(by_level):
            taken = [walk for each in by_level[: number + 1] for walk in each]
            brokers = self._take(number, taken, level, brokers)
            if number == routed and self.landed:
                nodes = route(self.spark, self.lake, self.census, self.landed, walks, goes_on=self.goes_on)
                brokers = replace(brokers, nodes=nodes)
                if not self.goes_on:
                    self.landed = replace(self.landed, owing=owing(nodes, walks))
        # Chains of nodes that only the last level has named.
        self._take(len(by_level), walks, (), brokers)
        if self.landed is None:
            raise ValueError("every census asks who is in the cluster")
        return self.landed

    def _take(self, level: int, taken: Sequence[Walk], begins: Sequence[Walk], brokers: Brokers) -> Brokers:
        """Land waves until no request and no retry is left; return the brokers. `begins` start in the first wave."""
        while True:
            headers = self.landed.headers if self.landed else ()
            chains = Chains(headers, {walk.name: walk for walk in taken})
            retry = frozenset(walk for walk in chains.retriable if self.retries[walk] < self.collect.max_tries)
            if any(walk.asks_controller and walk.name in retry for walk in taken):
                brokers = replace(brokers, controller_id=self._controller(brokers.controller_id))
            wave = 1 + max((header.wave for header in headers), default=-1)
            planner = Planner(self.spark, self.landed, brokers, self.collect.keys_per_request, wave)
            plan = planner.plan(taken, begins, retry)
            if plan is None:
                return brokers
            self._land(level, wave, plan, brokers)
            self.retries.update(retry)
            begins = ()

    def _land(self, level: int, wave: int, plan: Plan, brokers: Brokers) -> None:
        """Fetch and append one wave, read its pages back, and report progress."""
        rpcs = sorted(plan.rpcs)
        self.progress("fetching", level=level, wave=wave, rpcs=rpcs, nodes=len(brokers.nodes))
        with timed(self.progress, "landed", level=level, wave=wave, rpcs=rpcs) as done:
            wave_id = WaveId(self.census.census_id, self.census.cluster_id, wave)
            fetcher = WaveFetcher(wave_schema(plan.rpcs), self.cluster, self.collect, wave_id)
            headers = self._landed_by(wave, plan, brokers, fetcher)
            done["pages"] = len(headers)
            done["items"] = sum(header.item_count for header in headers)
            done["errors"] = sum(header.failed for header in headers)
            done["throttle_ms"] = sum(header.throttle_time_ms or 0 for header in headers)

    def _landed_by(self, wave: int, plan: Plan, brokers: Brokers, fetcher: WaveFetcher) -> Sequence[Header]:
        """Land a wave, add its pages to `landed`, in memory unless they are many, and return their headers."""
        before = self.landed or LandedPages(self.spark, (), ())
        few = before.items < FEW_SO_FAR
        pages = append.land(self.spark, self.lake, plan, brokers.nodes, fetcher, may_repeat=self.goes_on, keep=few)
        if pages is None:
            pages = computed_once(self._read_back(wave)) if few else self._read_back(wave)
        headers = Part(pages, plan.rpcs).headers(wave_schema(plan.rpcs))
        landed = replace(before, headers=[*before.headers, *headers])
        if landed.items >= size.LARGE:
            pages = self._read_back(wave)
        elif not few:
            pages = computed_once(pages)
        self.landed = replace(landed, parts=(*before.parts, Part(pages, plan.rpcs)))
        return headers

    def _read_back(self, wave: int) -> DataFrame:
        """The pages of a wave in the lake."""
        mine = (F.col("census_id") == self.census.census_id) & (F.col("wave") == wave)
        return store.read(self.spark, self.lake, landed_table()).where(mine)

    def _controller(self, known: int) -> int:
        """The controller's id now; the `known` id where bootstrap fails: the walk's next page then holds the error."""
        try:
            return bootstrap(self.cluster, self.collect).controller_id
        except CensusError:
            return known


def ingest(
    spark: SparkSession,
    lake: Lake,
    cluster: ClusterSettings,
    census: Census,
    collect: CollectSettings,
    progress: Progress,
    *,
    goes_on: bool = True,
) -> LandedPages:
    """Land the pages of a census, new or resumed, and return all of its landed pages.

    goes_on  whether pages of this census may have been landed before; False for a new census saves the look-up

    Raises Unreachable, AuthenticationFailed, WrongCluster (the address now belongs to another
    cluster than the census), CorruptLake.
    """
    proven = replace(cluster, cluster_id=census.cluster_id)  # by each connection of each task
    return Ingest(spark, lake, proven, census, collect, progress, goes_on).run()
