"""The ingest step: take the walks of a census in order, wave by wave, until each has ended.

The landed pages are the checkpoint. Everything a wave needs to know is read back from
Delta, so that a census that was killed anywhere goes on where its last commit left
it: chains that ended cleanly are never asked again, open chains go on from their last
next cursor, chains that ended in a retriable error are asked again with try_no + 1.
"""

from contextlib import nullcontext
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.census import Census
from kafka_census.errors import CensusError
from kafka_census.landing import append, plan
from kafka_census.landing.route import Node, route
from kafka_census.progress import Progress, timed
from kafka_census.protocol.cluster import bootstrap
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.rpc import rpc as rpc_named
from kafka_census.source.arrow import WaveId
from kafka_census.source.fetch import Fetcher
from kafka_census.source.schema import page_table
from kafka_census.tables import store, tables_named
from kafka_census.tables.lake import Lake
from kafka_census.tables.landed import Landed
from kafka_census.tables.memory import in_memory
from kafka_census.tables.walks import walks_for

BEFORE_ROUTE = frozenset(
    {
        ("DescribeCluster", "cluster"),
        ("Metadata", "names"),
        ("ListPartitionReassignments", "before"),
        ("DescribeTopicPartitions", "topics"),
    }
)
"""Walks up to the last of those that the route is made from; any bootstrap broker can answer them."""


@dataclass(frozen=True)
class Ingest:
    """One ingest: what every step of it needs."""

    spark: SparkSession
    lake: Lake
    cluster: ClusterSettings
    census: Census
    collect: CollectSettings
    progress: Progress

    def run(self) -> None:
        """Land every page that the census' tables need."""
        view = bootstrap(self.cluster, self.collect)
        nodes = tuple(Node(broker.node_id, broker, "alive") for broker in sorted(view.brokers, key=lambda b: b.node_id))
        walks = walks_for(tables_named(self.census.tables))
        # The first walk always lands a page: where it has none, no other walk has any.
        fresh = not self._state(walks[0]).pages
        waves: dict[str, int] = {}
        routed = False
        for walk in walks:
            if (walk.rpc, walk.scope) not in BEFORE_ROUTE and not routed:
                nodes = route(self.spark, self.lake, self.census, walks)
                routed = True
            before = _State(waves.get(walk.rpc, 0)) if fresh else self._state(walk)
            waves[walk.rpc] = self._walk(walk, nodes, before, view.controller_id)
        if not routed:
            route(self.spark, self.lake, self.census, walks)

    def _controller(self, known: int) -> int:
        """Who is the controller now; the one that is known where nobody tells: the walk says why in its next page."""
        try:
            return bootstrap(self.cluster, self.collect).controller_id
        except CensusError:
            return known

    def _walk(self, walk: Landed, nodes: tuple[Node, ...], state: "_State", controller_id: int) -> int:
        """Waves of one walk until nothing is left to ask or to hope for; the number of its RPC's next wave."""
        wave = plan.Wave(walk, nodes, state.next_wave, self.collect.keys_per_request, controller_id)
        requests = plan.initial(self.spark, self.lake, self.census, wave, landed=state.pages > 0)
        retries = 0
        while True:
            retry = state.retriable > 0 and retries < self.collect.max_tries
            if retry and walk.at_controller:
                wave = replace(wave, controller_id=self._controller(wave.controller_id))
            if state.open_chains or retry:
                again = plan.again(self.spark, self.lake, self.census, wave, retry=retry)
                requests = again if requests is None else requests.unionByName(again)
                retries += retry
            if requests is None:
                break
            state = self._land(wave, requests)
            if not state.open_chains and not state.retriable:
                return state.next_wave
            requests = None
            wave = replace(wave, number=state.next_wave)
        # Readers find every walk's table, be it without a page: a cluster may have no groups.
        store.create(self.spark, self.lake, page_table(rpc_named(walk.rpc, walk.scope)))
        return state.next_wave

    def _land(self, wave: plan.Wave, requests: DataFrame) -> "_State":
        """Fetch and append one wave, telling of it; what is landed then."""
        rpc, scope = wave.walk.rpc, wave.walk.scope
        self.progress("fetching", rpc=rpc, scope=scope, wave=wave.number, nodes=len(wave.nodes))
        with timed(self.progress, "landed", rpc=rpc, scope=scope, wave=wave.number) as done:
            wave_id = WaveId(self.census.census_id, self.census.cluster_id, wave.number)
            fetcher = Fetcher(rpc, scope, self.cluster, self.collect, wave_id)
            # An append that reads its own table depends on what is there, for Delta, and is refused when another
            # cluster's came first: the brokers would be asked again. What is kept was read before.
            with in_memory(requests) if wave.number else nullcontext(requests) as kept:
                append.land(self.spark, self.lake, kept, wave, fetcher)
            state = self._state(wave.walk)
            done.update(pages=state.pages, items=state.items, errors=state.errors)
        return state

    def _state(self, walk: Landed) -> "_State":
        """What is landed of a walk, in one small query."""
        table = page_table(rpc_named(walk.rpc, walk.scope))
        landed = store.find(self.spark, self.lake, table)
        if landed is None:
            return _State()
        pages = landed.where(F.col("census_id") == self.census.census_id)
        ours = F.col("scope") == walk.scope
        last = F.max_by(F.struct("error_code", "next_cursor"), F.struct("page_no", "try_no"))
        chains = pages.groupBy("scope", "chain_id").agg(
            F.max("wave").alias("wave"),
            F.count("*").alias("pages"),
            F.sum("item_count").alias("items"),
            last.alias("last"),
        )
        found = chains.select("scope", "wave", "pages", "items", "last.*").agg(
            F.coalesce(F.max("wave") + 1, F.lit(0)).alias("next_wave"),
            F.coalesce(F.sum(F.when(ours, F.col("pages"))), F.lit(0)).alias("pages"),
            F.coalesce(F.sum(F.when(ours, F.col("items"))), F.lit(0)).alias("items"),
            F.count_if(ours & (F.col("error_code") != 0)).alias("errors"),
            F.count_if(ours & plan.is_open()).alias("open_chains"),
            F.count_if(ours & plan.is_retriable(walk)).alias("retriable"),
        )
        row = found.first()
        if row is None:
            raise ValueError(f"{table.name}: an aggregate without a row")
        return _State(**row.asDict())


@dataclass(frozen=True)
class _State:
    """How far a walk has come."""

    next_wave: int = 0
    pages: int = 0
    items: int = 0
    errors: int = 0
    open_chains: int = 0
    retriable: int = 0


def ingest(
    spark: SparkSession,
    lake: Lake,
    cluster: ClusterSettings,
    census: Census,
    collect: CollectSettings,
    progress: Progress,
) -> None:
    """Land the pages of a census, from the start or from where it was left.

    Raises Unreachable, AuthenticationFailed, WrongCluster (the cluster is not the
    census' own any more), CorruptLake.
    """
    proven = replace(cluster, cluster_id=census.cluster_id)  # by each connection of each task
    Ingest(spark, lake, proven, census, collect, progress).run()
