"""The ingest step: take the walks of a census level by level, each wave by wave, until every walk has ended.

A level's walks are planned, fetched and committed together: one requests frame, one Spark job, one commit per
wave. The next wave is planned while the last one is written, and asked for once that is in the lake.

The landed pages are the checkpoint. Everything that a wave needs is in them, so that a killed census resumes from
its last commit: chains that ended without an error are never asked again, open chains continue from their last next
cursor, chains that ended in a retriable error are retried with try_no + 1.

Nodes owe their chains as soon as they are known: nodes that bootstrap names from the first level on, nodes that only
DescribeCluster or a replica list names from the next level on.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.clock import Clock
from kafka_census.declarations.census import Census
from kafka_census.declarations.levels import levels, walks_for
from kafka_census.declarations.walk import Walk
from kafka_census.errors import CensusError
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.identity import REMEDY
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.memory import computed_once
from kafka_census.landing import append, route
from kafka_census.landing.chains import Chains
from kafka_census.landing.fetch.arrow import WaveId
from kafka_census.landing.fetch.fetch import WaveFetcher
from kafka_census.landing.fetch.schema import landed_table, wave_schema
from kafka_census.landing.plan import Plan, Planner
from kafka_census.landing.request import Brokers
from kafka_census.landing.route import Node
from kafka_census.pages.header import Header, WalkName
from kafka_census.pages.landed_census import read_pages
from kafka_census.pages.read import LandedPages, Part
from kafka_census.spark import size
from kafka_census.spark.side_by_side import side_by_side
from kafka_census.tables.all_tables import tables_named
from kafka_census.terminal.progress import Progress

NODES_FROM = frozenset({("DescribeCluster", "cluster"), ("DescribeTopicPartitions", "topics")})
"""The walks from which the route is computed."""

FEW_SO_FAR = size.LARGE // 2
"""While a census has landed fewer items than this, its next pages are kept in memory as they are landed."""

_GROUPS = ("ListGroups", "groups")


@dataclass(frozen=True)
class Wave:
    """A wave that is planned: its level, its number, its requests, and the brokers that it asks."""

    level: int
    number: int
    plan: Plan
    brokers: Brokers


@dataclass
class Ingest:
    """The ingest of one census, new or resumed.

    goes_on    whether pages of this census may have been landed before; False for a new census saves the look-up
    at_once    with 2 or more, a wave is planned while the pages of the last wave are written
    landed     all pages, kept in memory or read back after each wave; None before the first wave
    levels     their number; 0 before they are known
    unwritten  writes to the lake that are still to be done, by name: those of pages before the next wave is asked for
    retries    by walk: the number of waves of this run that retried its failed chains
    """

    spark: SparkSession
    lake: Lake
    cluster: ClusterSettings
    census: Census
    collect: CollectSettings
    progress: Progress
    goes_on: bool = True
    at_once: int = 1
    clock: Clock = field(default_factory=Clock)
    landed: LandedPages | None = field(default=None, init=False)
    levels: int = field(default=0, init=False)
    unwritten: dict[str, Callable[[], None]] = field(default_factory=dict, init=False)
    retries: Counter[WalkName] = field(default_factory=Counter, init=False)

    def __post_init__(self) -> None:
        """Each connection of each task proves the cluster of the census."""
        self.cluster = self.cluster.proving(self.census.cluster_id)

    def run(self) -> LandedPages:
        """Land every page that the tables of the census need; returns all of its landed pages.

        Raises Unreachable, AuthenticationFailed, WrongCluster (the address now belongs to another
        cluster than the census), CorruptLake.
        """
        waves = self._waves()
        wave = self._next(waves)
        while wave:
            self._fetch(wave)
            wave = self._next(waves)
        for write in self.unwritten.values():
            write()
        if self.landed is None:
            raise ValueError("every census asks who is in the cluster")
        return self.landed

    def _next(self, waves: Iterator[Wave]) -> Wave | None:
        """The next wave, planned while the pages of the last wave are written; None where every walk has ended."""
        if not self.unwritten:
            return next(waves, None)
        planned: list[Wave | None] = []
        writes, self.unwritten = self.unwritten, {}
        work = {**writes, "next wave": lambda: planned.append(next(waves, None))}
        side_by_side(self.spark, work, {}, self.at_once)
        return planned[0]

    def _waves(self) -> Iterator[Wave]:
        """The waves of all levels, each planned from the pages of those before it."""
        view = bootstrap(self.cluster, self.collect)
        for address, ids in view.at_one_address.items():
            self.progress.warning("brokers_at_one_address", address=address, brokers=ids, remedy=REMEDY)
        nodes = tuple(Node(broker.node_id, broker, "alive") for broker in sorted(view.brokers, key=lambda b: b.node_id))
        brokers = Brokers(nodes, view.controller_id)
        walks = walks_for(tables_named(self.census.tables))
        if self.goes_on and store.exists(self.spark, self.lake, landed_table()):
            found = read_pages(self.spark, self.lake, self.census.census_id)
            self.landed = found if found.headers else None
        by_level = levels(walks)
        self.levels = len(by_level)
        routed = max(number for number, level in enumerate(by_level) if NODES_FROM & {walk.name for walk in level})
        for number, level in enumerate(by_level):
            taken = [walk for each in by_level[: number + 1] for walk in each]
            brokers = yield from self._waves_of(number, taken, level, brokers)
            if number == routed and self.landed:
                brokers = replace(brokers, nodes=self._route(self.landed, walks, brokers.nodes))
        # Chains of nodes that only the last level has named.
        yield from self._waves_of(len(by_level), walks, (), brokers)

    def _waves_of(
        self, level: int, taken: Sequence[Walk], begins: Sequence[Walk], brokers: Brokers
    ) -> Generator[Wave, None, Brokers]:
        """Waves until no request and no retry is left; returns the brokers. `begins` start in the first wave."""
        while True:
            headers = self.landed.headers if self.landed else ()
            chains = Chains(headers, {walk.name: walk for walk in taken})
            retry = frozenset(walk for walk in chains.retriable if self.retries[walk] < self.collect.max_tries)
            if any(walk.asks_controller and walk.name in retry for walk in taken):
                brokers = replace(brokers, controller_id=self._controller(brokers.controller_id))
            number = 1 + max((header.wave for header in headers), default=-1)
            planner = Planner(self.spark, self.landed, brokers, self.collect, number)
            plan = planner.plan(taken, begins, retry)
            if plan is None:
                return brokers
            yield Wave(level, number, plan, brokers)
            self.retries.update(retry)
            begins = ()

    def _route(self, pages: LandedPages, walks: tuple[Walk, ...], known: tuple[Node, ...]) -> tuple[Node, ...]:
        """The nodes that owe answers: written by an interrupted run, or found in the pages, and written after them.

        known  those that bootstrap named
        """
        nodes = route.written(self.spark, self.lake, self.census) if self.goes_on else ()
        if not nodes:
            nodes = route.found(pages.headers, known)
            self.unwritten["routes"] = partial(
                route.write, self.spark, self.lake, self.census, nodes, walks, may_repeat=self.goes_on
            )
        if not self.goes_on:
            self.landed = replace(pages, owing=route.owing(nodes, walks))
        return nodes

    def _fetch(self, wave: Wave) -> None:
        """Fetch the pages of a wave and add them to `landed`: kept in memory unless they are many, else read back."""
        since, rpcs, nodes = self.clock.monotonic(), wave.plan.rpcs, wave.brokers.nodes
        of = {"level": wave.level, "levels": self.levels, "wave": wave.number}
        self.progress("fetching", **of, rpcs=sorted(rpcs), nodes=len(nodes))
        wave_id = WaveId(self.census.census_id, self.census.cluster_id, wave.number)
        fetcher = WaveFetcher(wave_schema(rpcs), self.cluster, self.collect, wave_id)
        before = self.landed or LandedPages(self.spark, (), ())
        few = before.items < FEW_SO_FAR
        keeps = few and append.keeps(self.spark, self.lake, self.collect, may_repeat=self.goes_on)
        if keeps:
            pages = append.fetched(self.spark, wave.plan, nodes, fetcher)
        else:
            append.land(self.spark, self.lake, wave.plan, nodes, fetcher, may_repeat=self.goes_on)
            pages = computed_once(self._read_back(wave.number)) if few else self._read_back(wave.number)
        headers = Part(pages, rpcs).headers(fetcher.schema)
        landed = replace(before, headers=[*before.headers, *headers])
        # Little is written by one task: one file per RPC, where each fetching task would write another.
        written = pages.coalesce(1) if sum(header.item_count for header in headers) < size.ONE_TASK else pages
        write = partial(append.write, written, self.lake, fetcher, may_repeat=self.goes_on) if keeps else None
        end = partial(self._end, wave, headers, since, write)
        if keeps and landed.items < size.LARGE:
            self.unwritten["pages"] = end
        else:
            end()
        if landed.items >= size.LARGE:
            pages = self._read_back(wave.number)
        elif not few:
            pages = computed_once(pages)
        self.landed = replace(landed, parts=(*before.parts, Part(pages, rpcs)))

    def _end(self, wave: Wave, headers: Sequence[Header], since: float, write: Callable[[], None] | None) -> None:
        """Write the pages of a wave where that is left to do, and report the wave."""
        if write:
            write()
        self.progress(
            "landed",
            level=wave.level,
            wave=wave.number,
            rpcs=sorted(wave.plan.rpcs),
            pages=len(headers),
            items=sum(header.item_count for header in headers),
            groups=sum(header.item_count for header in headers if header.walk == _GROUPS),
            errors=sum(header.failed for header in headers),
            throttle_ms=sum(header.throttle_time_ms or 0 for header in headers),
            seconds=round(self.clock.monotonic() - since, 2),
        )

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
