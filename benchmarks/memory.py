"""A fetching worker's peak memory at 10,000 and 100,000 partitions, each walk in a process of its own.

Cursor and window walks must stay flat (within 10 %); a whole answer grows with the
cluster, and its bytes an item are stated. One stand-in broker serves all sizes, so that
only our side is measured.
"""

import resource
import subprocess
import sys
from typing import Any
from uuid import UUID

from kafka.protocol.admin import (
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    ListGroupsRequest,
    ListGroupsResponse,
)

from benchmarks.common import table
from harness.standin import StandIn
from kafka_census.paging.page import Chain
from kafka_census.protocol.connection import Endpoint
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.rpc import rpc
from kafka_census.source.arrow import PageEncoder, WaveId
from kafka_census.source.fetch import Fetcher

SIZES = (10_000, 100_000)
PER_TOPIC = 20
WALKS = (("DescribeTopicPartitions", "topics"), ("DescribeConfigs", "topics"), ("ListGroups", "groups"))


def main() -> None:
    """Peak resident memory of a worker above an idle one, MB."""
    rows: list[list[object]] = []
    for name, scope in WALKS:
        peaks = []
        for size in SIZES:
            with StandIn(
                {
                    DescribeTopicPartitionsRequest: partitions,
                    DescribeConfigsRequest: configs,
                    ListGroupsRequest: lambda _request, _n, size=size: groups(size),
                }
            ) as broker:
                command = [sys.executable, "-m", "benchmarks.memory", name, scope, str(broker.endpoint.port), str(size)]
                peaks.append(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
        growth = peaks[1] / peaks[0] - 1
        per_item = (peaks[1] - peaks[0]) * 1e6 / (SIZES[1] - SIZES[0])
        rows.append([name, *peaks, f"{growth:+.0%}", int(per_item)])
    table(
        f"Peak memory of a fetching worker, MB, at {SIZES[0]:,} and {SIZES[1]:,} items",
        ["rpc", f"{SIZES[0]:,}", f"{SIZES[1]:,}", "growth", "bytes an item"],
        rows,
    )


def worker(name: str, scope: str, port: int, size: int) -> float:
    """Walk everything; this process' peak resident memory in MB."""
    endpoint = Endpoint(1, "127.0.0.1", port)
    collect = CollectSettings()
    fetcher = Fetcher(name, scope, ClusterSettings("bench", ()), collect, WaveId("c", "k", 0))
    topics = size // PER_TOPIC if name == "DescribeTopicPartitions" else size
    window = collect.keys_per_request

    def chains() -> Any:
        if name == "ListGroups":
            yield Chain(1, "groups-1", endpoint)
            return
        for start in range(0, topics, window):
            names = tuple(f"topic-{number:07}" for number in range(start, min(topics, start + window)))
            yield Chain(1, f"topics-{start}", endpoint, names)

    encoder = PageEncoder(rpc(name, scope), fetcher.wave)
    items = 0
    for page in fetcher.pages(chains()):
        encoder.encode(page)
        items += len(page.rows)
    if items != size:
        raise ValueError(f"{items} items of {size}")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def partitions(request: Any, _n: int) -> Any:
    """A page of partitions, PER_TOPIC a topic; the limit is a multiple of it."""
    response = DescribeTopicPartitionsResponse
    topic = response.DescribeTopicPartitionsResponseTopic
    part = topic.DescribeTopicPartitionsResponsePartition
    fit = request.response_partition_limit // PER_TOPIC
    names = [one.name for one in request.topics]
    topics = [
        topic(
            error_code=0,
            name=name,
            topic_id=UUID(int=7),
            is_internal=False,
            topic_authorized_operations=0,
            partitions=[
                part(
                    error_code=0,
                    partition_index=index,
                    leader_id=1,
                    leader_epoch=0,
                    replica_nodes=[1, 2, 3],
                    isr_nodes=[1, 2, 3],
                    eligible_leader_replicas=[],
                    last_known_elr=[],
                    offline_replicas=[],
                )
                for index in range(PER_TOPIC)
            ],
        )
        for name in names[:fit]
    ]
    following = response.Cursor(topic_name=names[fit], partition_index=0) if len(names) > fit else None
    return response(throttle_time_ms=0, topics=topics, next_cursor=following)


def configs(request: Any, _n: int) -> Any:
    """min.insync.replicas of each topic."""
    result = DescribeConfigsResponse.DescribeConfigsResult
    value = result.DescribeConfigsResourceResult(
        name="min.insync.replicas",
        value="2",
        read_only=False,
        config_source=5,
        is_sensitive=False,
        synonyms=[],
        config_type=3,
        documentation=None,
    )
    return DescribeConfigsResponse(
        throttle_time_ms=0,
        results=[
            result(error_code=0, error_message=None, resource_type=2, resource_name=one.resource_name, configs=[value])
            for one in request.resources
        ],
    )


def groups(size: int) -> Any:
    """All groups in one answer."""
    group = ListGroupsResponse.ListedGroup
    return ListGroupsResponse(
        throttle_time_ms=0,
        error_code=0,
        groups=[
            group(group_id=f"group-{number:09}", protocol_type="consumer", group_state="Empty", group_type="classic")
            for number in range(size)
        ],
    )


if __name__ == "__main__":
    print(worker(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
