"""What 3, 30 and 300 nodes cost: one ListGroups wave over loopback stand-ins, through Spark, two cores."""

import tempfile
import time
from contextlib import ExitStack

from kafka.protocol.admin import ListGroupsRequest

from benchmarks.common import session, table
from harness.responses import listed_groups
from harness.standin import StandIn
from kafka_census.declarations.walks import walk_named
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.lake.lake import Lake
from kafka_census.landing.append import land, task_count
from kafka_census.landing.fetch.arrow import WaveId
from kafka_census.landing.fetch.fetch import WaveFetcher
from kafka_census.landing.fetch.schema import wave_schema
from kafka_census.landing.plan import Planner
from kafka_census.landing.request import Brokers
from kafka_census.landing.route import Node

SIZES = (3, 30, 300)


def main() -> None:
    """Seconds of one wave, and tasks."""
    spark = session()
    collect = CollectSettings()
    rows: list[list[object]] = []
    for size in (SIZES[0], *SIZES):  # the first warms up
        with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
            answer = listed_groups("g")
            brokers = [
                stack.enter_context(StandIn({ListGroupsRequest: lambda _request, _n, answer=answer: answer}, node_id=n))
                for n in range(1, size + 1)
            ]
            nodes = tuple(Node(one.node_id, one.endpoint, "alive") for one in brokers)
            planner = Planner(spark, None, Brokers(nodes), collect, 0)
            walk = walk_named("ListGroups", "groups")
            fetcher = WaveFetcher(wave_schema([walk.rpc]), ClusterSettings("b", ()), collect, WaveId("bench", "k", 0))
            start = time.perf_counter()
            plan = planner.plan([walk], [walk], ())
            if plan is None:
                raise ValueError("nothing was planned")
            land(spark, Lake(folder), plan, nodes, fetcher)
            seconds = time.perf_counter() - start
            rows.append([size, task_count(spark, nodes, collect), seconds, seconds / size * 1000])
    table("One ListGroups wave, planned, fetched and committed", ["nodes", "tasks", "s", "ms per node"], rows[1:])
