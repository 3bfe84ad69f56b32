"""The age of a lag, held against the times at which a real broker appended the records.

The topic takes the broker's time, which the broker tells the producer of each record. One partition is written
steadily, one in a burst, one not at all between three censuses.
"""

import time
from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Message, Producer
from pyspark.sql import SparkSession

from e2e.operator import Operator
from harness import workload
from harness.kafka_cluster import KafkaCluster
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.partitions.columns import PARTITIONS
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS

TOPIC = "in-time"
STEADY, BURSTY, IDLE = range(3)
Appended = dict[int, list[float]]
"""The second at which each record of a partition was appended, by its offset."""


def write(servers: str, seconds: float, appended: Appended, burst: int = 0) -> None:
    """Ten records a second to the steady partition, and `burst` at once, halfway, to the bursty one."""
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 0, "acks": "all", "log_level": 0})

    def acknowledged(error: object, message: Message) -> None:
        assert error is None
        appended[message.partition()].append(message.timestamp()[1] / 1000)

    rounds = int(seconds * 10)
    for number in range(rounds):
        producer.produce(TOPIC, b"steady", partition=STEADY, on_delivery=acknowledged)
        for _ in range(burst if number == rounds // 2 else 0):
            producer.produce(TOPIC, b"bursty", partition=BURSTY, on_delivery=acknowledged)
        producer.poll(0.1)
        time.sleep(0.1)
    assert producer.flush(30) == 0


@pytest.fixture(scope="module")
def appended() -> Appended:
    return defaultdict(list)


@pytest.fixture(scope="module")
def lags(
    spark: SparkSession, single: KafkaCluster, appended: Appended, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[int, int], dict[str, Any]]:
    """Rows of consumer_lag of the third census, by partition and committed offset."""
    servers = single.bootstrap_servers
    folder: Path = tmp_path_factory.mktemp("in-time")
    census = Operator(spark, folder, servers, tables=(UNDER_MIN_ISR_PARTITIONS, BROKERS, PARTITIONS, CONSUMER_LAG))
    stamped = {"message_timestamp_type": "LogAppendTime"}
    workload.create_topic(servers, TOPIC, assignment=[[1], [1], [1]], **stamped)
    workload.produce(servers, TOPIC, 5_000, IDLE)
    for seconds, burst in ((0.5, 0), (6.0, 60), (1.0, 0)):
        write(servers, seconds, appended, burst)
        if seconds == 1.0:
            for partition, offsets in OFFSETS.items():
                for offset in offsets:
                    at = len(appended[partition]) + offset if offset < 0 else offset
                    workload.commit_offsets(servers, [f"{partition}-{offset}"], TOPIC, partition, at)
        ran = census.run("census", "--no-report")
        assert ran.code == 0, ran.err[-2000:]
    return {(row["partition"], row["committed_offset"]): row for row in census.read("consumer_lag")}


OFFSETS = {STEADY: (10, 35, 60, -1), BURSTY: (0, 30, 59), IDLE: (1,)}


def test_a_lag_in_time_is_the_age_of_the_record(
    lags: dict[tuple[int, int], dict[str, Any]], appended: Appended
) -> None:
    assert len(lags) == sum(map(len, OFFSETS.values()))
    newest = len(appended[STEADY]) - 1
    for (partition, offset), row in lags.items():
        if partition == IDLE or (partition, offset) == (STEADY, newest):
            continue
        after, before = row["appended_after"].timestamp(), row["appended_before"].timestamp()
        at = appended[partition][offset]
        # The broker tells whole milliseconds.
        assert after - 0.001 <= at <= before + 0.001, row
        assert row["lag_seconds_method"] == "interpolated"
        age = (row["observed_at"] - timedelta(seconds=at)).timestamp()
        width = before - after
        # The end was read some moments before the last answer.
        assert abs(row["lag_seconds"] - age) <= (2.5 if partition == STEADY else width + 1), row


def test_the_newest_record_counts_by_its_own_time(
    lags: dict[tuple[int, int], dict[str, Any]], appended: Appended
) -> None:
    newest = len(appended[STEADY]) - 1
    row = lags[STEADY, newest]
    assert row["lag"] == 1
    assert row["lag_seconds_method"] == "exact"
    age = (row["observed_at"] - timedelta(seconds=appended[STEADY][newest])).timestamp()
    assert abs(row["lag_seconds"] - age) <= 2.5


def test_a_record_that_is_older_than_every_census_is_at_least_as_old(
    lags: dict[tuple[int, int], dict[str, Any]], appended: Appended
) -> None:
    row = lags[IDLE, 1]
    first = appended[STEADY][0]
    assert (row["lag_seconds_method"], row["appended_after"]) == ("at_least", None)
    # The first census came after the first steady record, the last one after all of them.
    assert appended[STEADY][-1] - first - 1 < row["lag_seconds"] < (row["observed_at"].timestamp() - first) + 1
