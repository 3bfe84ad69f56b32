"""The plan of one wave: a requests frame, one row per chain to walk (`source.schema.REQUEST`).

A wave takes, for all walks of its level at once, chains without keys that have not begun, windows of keys that
are not answered yet, and chains that continue. The driver holds headers of pages; keys stay on the executors.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StructField, StructType

from kafka_census.declarations.walk import Keys, Walk
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.rpc import rpc
from kafka_census.lake.memory import computed_once
from kafka_census.lake.rows import local_frame
from kafka_census.landing.chains import Chains, Continuation, continuations, first_requests
from kafka_census.landing.fetch.schema import REQUEST
from kafka_census.landing.key_windows import Windows
from kafka_census.landing.request import Brokers, Request, not_asked
from kafka_census.pages.header import Header, WalkName
from kafka_census.pages.read import LandedPages

_FROM = StructType([StructField("from_page_no", IntegerType()), StructField("from_try_no", IntegerType())])
_PAGE_KEY = ("rpc", "scope", "chain_id", "from_page_no", "from_try_no")


@dataclass(frozen=True)
class Plan:
    """The requests of a wave: the frame, and the RPCs of its rows."""

    requests: DataFrame
    rpcs: frozenset[str]


@dataclass(frozen=True)
class Planner:
    """Plans the waves of one census.

    pages  the landed pages; None before the first wave
    wave   the number of the wave
    """

    spark: SparkSession
    pages: LandedPages | None
    brokers: Brokers
    collect: CollectSettings
    wave: int

    def plan(self, walks: Sequence[Walk], begins: Sequence[Walk], retry: Collection[WalkName]) -> Plan | None:
        """The requests that are left; None where there are none.

        walks   the walks of this level and of all levels before
        begins  those of them whose keys are cut into windows in this wave
        retry   those whose chains that ended in a retriable error are retried
        """
        chains = Chains(self._headers, {walk.name: walk for walk in walks})
        begun = {(header.walk, header.chain_id) for header in self._headers}
        requests = list(first_requests(walks, self.brokers, begun))
        continuing = list(continuations(chains, self.brokers, retry))
        requests += [one.request for one in continuing if not one.page.open_key_count and not one.in_windows]
        frames = []
        keyed = [one for one in continuing if one.page.open_key_count]
        if keyed:
            frames.append(computed_once(self._with_open_keys(keyed)))
        for walk in walks:
            falling = [one.request for one in continuing if one.in_windows and one.page.walk == walk.name]
            if falling and walk.fallback:
                frames.append(computed_once(self._with_keys_of(walk.fallback, falling)))
        rpcs = {one.request.rpc for one in continuing}
        windows, refused, cut = self._windows(begins, chains)
        requests += refused
        frames += windows
        rpcs |= cut | {request.rpc for request in requests}
        if requests:
            frames.append(local_frame(self.spark, requests, REQUEST))
        return Plan(reduce(DataFrame.unionByName, frames), frozenset(rpcs)) if frames else None

    def _windows(self, begins: Sequence[Walk], chains: Chains) -> tuple[list[DataFrame], list[Request], set[str]]:
        """Windows of keys of walks that begin, refusals of walks that must not ask, and the RPCs of the windows."""
        listed = {header.walk for header in self._headers if header.item_count}
        keyed = [walk for walk in begins if walk.keys and (walk.keys.rpc, walk.keys.scope) in listed]
        if not keyed or self.pages is None or not self.brokers.alive:
            return [], [], set()
        windows = Windows(self.spark, self.pages, keyed, self.brokers)
        begun = {header.walk for header in self._headers}
        keys = computed_once(windows.keys(begun, [page for _, _, page in chains.last()]))
        counts = [(row["walk"], row["at"], row["count"]) for row in keys.groupBy("walk", "at").count().collect()]
        refused = []
        for position, walk in enumerate(keyed):
            if walk.creates is not None and walk.creates not in self._internal_topics():
                if any(number == position for number, _, _ in counts):
                    refused.append(not_asked(walk.name, self.brokers.alive[0], walk.creates))
                counts = [count for count in counts if count[0] != position]
        if not counts:
            return [], refused, set()
        rpcs = {keyed[number].rpc for number, _, _ in counts}
        sizes = [rpc(walk.rpc, walk.scope).window_size(self.collect) for walk in keyed]
        return [windows.cut(keys, counts, sizes, self.wave)], refused, rpcs

    def _internal_topics(self) -> set[str]:
        """Kafka's internal topics that Metadata has listed."""
        names = (header for header in self._headers if header.walk == ("Metadata", "names") and not header.failed)
        return {item["topic"] for header in names for item in header.internal or ()}

    def _with_open_keys(self, chains: Sequence[Continuation]) -> DataFrame:
        """Requests with the `open_keys` of the page that they continue from."""
        rows = [(*one.request, one.page.page_no, one.page.try_no) for one in chains]
        requests = local_frame(self.spark, rows, StructType([*REQUEST.fields, *_FROM.fields])).drop("keys")
        pages = self._landed.those([one.page for one in chains]).select(
            "rpc",
            "scope",
            "chain_id",
            F.col("page_no").alias("from_page_no"),
            F.col("try_no").alias("from_try_no"),
            F.col("open_keys").alias("keys"),
        )
        return pages.join(F.broadcast(requests), list(_PAGE_KEY)).select(*REQUEST.names)

    def _with_keys_of(self, fallback: Keys, requests: Sequence[Request]) -> DataFrame:
        """Requests that replace a whole answer, which was too large or too late, by windows of the fallback's keys."""
        items = self._landed.of_walk(fallback.rpc, fallback.scope).select(F.inline("items"))
        keys = items.select(F.sort_array(F.collect_set(F.expr(fallback.sql()))).alias("keys"))
        rows = local_frame(self.spark, requests, REQUEST).drop("keys")
        return rows.crossJoin(F.broadcast(keys)).select(*REQUEST.names)

    @property
    def _headers(self) -> Sequence[Header]:
        return self.pages.headers if self.pages else ()

    @property
    def _landed(self) -> LandedPages:
        if self.pages is None:
            raise ValueError("a chain goes on and nothing is landed")
        return self.pages
