"""Keys are cut into windows: each key is in one, partitions of a topic stay together, and no window is larger."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from pyspark.sql import Row, SparkSession

from kafka_census.declarations.walk import Walk
from kafka_census.declarations.walks import walk_named
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.landing.key_windows import Windows
from kafka_census.landing.request import Brokers
from kafka_census.landing.route import Node
from kafka_census.pages.read import LandedPages

SIZE = 50
BROKERS = Brokers(tuple(Node(number, Endpoint(number, "127.0.0.1", 9092), "alive") for number in (1, 2)))
GROUPS, PARTITIONS = walk_named("OffsetFetch", "groups"), walk_named("ListOffsets", "latest")


def cut(
    spark: SparkSession, walks: Sequence[Walk], keys: Sequence[tuple[int, int, str]], sizes: Sequence[int] = ()
) -> list[Row]:
    counts = [(*at, count) for at, count in Counter((walk, at) for walk, at, _ in keys).items()]
    frame = spark.createDataFrame(list(keys), "walk int, at int, key string")
    return (
        Windows(spark, LandedPages(spark, (), ()), walks, BROKERS)
        .cut(frame, counts, sizes or [SIZE] * len(walks), 3)
        .collect()
    )


def test_partitions_of_a_topic_at_a_broker_are_asked_for_together(spark: SparkSession) -> None:
    """A request names each of its topics once. Windows end between topics here, of which a full one holds five."""
    topics = [(f"topic-{number}", 1 + number % 2) for number in range(200)]
    keys = [(1, at, f"{topic}/{partition}") for topic, at in topics for partition in range(10)]
    keys += [(0, 1, f"group-{number}") for number in range(100)]
    requests = cut(spark, (GROUPS, PARTITIONS), keys)
    assert sorted(key for request in requests for key in request["keys"]) == sorted(key for _, _, key in keys)
    assert max(len(request["keys"]) for request in requests) <= SIZE
    windows = defaultdict(set)
    for request in requests:
        for topic in {key.rpartition("/")[0] for key in request["keys"]} if request.rpc == "ListOffsets" else ():
            windows[topic, request.node_id].add(request.chain_id)
    assert set(windows) == set(topics)
    assert {len(chains) for chains in windows.values()} == {1}


def test_keys_of_one_prefix_are_as_many_windows_as_they_need_each_walk_by_its_own_size(spark: SparkSession) -> None:
    """Group ids with a slash have nothing in common, and are spread; a large topic fills one window after the other."""
    keys = [(walk, 1, f"prod/{number}") for walk in (0, 1) for number in range(1000)]
    requests = cut(spark, (GROUPS, PARTITIONS), keys, (SIZE, 400))
    groups, partitions = ([one for one in requests if one.rpc == walk.rpc] for walk in (GROUPS, PARTITIONS))
    for some in (groups, partitions):
        assert sorted(key for one in some for key in one["keys"]) == sorted(key for walk, _, key in keys if walk)
    buckets = [{one.chain_id.rpartition("-")[0] for one in some} for some in (groups, partitions)]
    assert [len(some) for some in buckets] == [25, 1]
    assert len(groups) >= 20
    assert max(len(one["keys"]) for one in groups) <= SIZE
    assert sorted(len(one["keys"]) for one in partitions) == [200, 400, 400]
