"""The age of a lag, held against the times at which a real broker appended the records.

The topic takes the broker's time, which the broker tells the producer of each record. One partition is written
steadily, also while three censuses run, one in a burst before the second one, one not at all.
"""

from collections import defaultdict
from pathlib import Path
from threading import Event, Thread
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
Lags = dict[tuple[int, int], dict[str, Any]]


class Steady(Thread):
    """Writes ten records a second to the steady partition, also while a census runs."""

    def __init__(self, producer: Producer, appended: Appended) -> None:
        super().__init__()
        self.producer, self.appended, self.over = producer, appended, Event()

    def run(self) -> None:
        while not self.over.wait(0.1):
            self.write(STEADY)

    def write(self, partition: int) -> None:
        self.producer.produce(TOPIC, b"record", partition=partition, on_delivery=self._acknowledged)
        self.producer.poll(0)

    def _acknowledged(self, error: object, message: Message) -> None:
        assert error is None
        self.appended[message.partition()].append(message.timestamp()[1] / 1000)


@pytest.fixture(scope="module")
def appended() -> Appended:
    return defaultdict(list)


@pytest.fixture(scope="module")
def lags(
    spark: SparkSession, single: KafkaCluster, appended: Appended, tmp_path_factory: pytest.TempPathFactory
) -> Lags:
    """Rows of consumer_lag of the third census, by partition and committed offset."""
    servers = single.bootstrap_servers
    folder: Path = tmp_path_factory.mktemp("in-time")
    census = Operator(spark, folder, servers, tables=(UNDER_MIN_ISR_PARTITIONS, BROKERS, PARTITIONS, CONSUMER_LAG))
    workload.create_topic(servers, TOPIC, assignment=[[1], [1], [1]], message_timestamp_type="LogAppendTime")
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 0, "acks": "all", "log_level": 0})
    steady = Steady(producer, appended)
    for partition in (IDLE, IDLE, BURSTY):
        steady.write(partition)
        assert producer.flush(30) == 0
    steady.start()
    between: list[int] = []
    try:
        for number in range(3):
            between.append(len(appended[STEADY]) + 5)
            if number == 1:
                for _ in range(59):
                    steady.write(BURSTY)
                assert producer.flush(30) == 0
                steady.write(BURSTY)
            if number == 2:
                for partition, offsets in (OFFSETS | {STEADY: tuple(between[1:])}).items():
                    for offset in offsets:
                        workload.commit_offsets(servers, [f"{partition}-{offset}"], TOPIC, partition, offset)
            census.done("census", "--no-report")
    finally:
        steady.over.set()
        steady.join()
        assert producer.flush(30) == 0
    return {(row["partition"], row["committed_offset"]): row for row in census.read("consumer_lag")}


OFFSETS = {BURSTY: (1, 30, 60), IDLE: (0, 1)}
"""What is committed, besides offsets of the steady partition that were appended after the first two censuses."""


def test_a_lag_in_time_is_the_age_of_the_record(lags: Lags, appended: Appended) -> None:
    steady = [record for record in lags if record[0] == STEADY]
    assert len(lags) == len(steady) + 5 == 7
    for partition, offset in (*steady, (BURSTY, 1), (BURSTY, 30)):
        row, at = lags[partition, offset], appended[partition][offset]
        after, before = row["appended_after"].timestamp(), row["appended_before"].timestamp()
        # The broker tells whole milliseconds.
        assert after - 0.001 <= at <= before + 0.001, row
        assert row["lag_seconds_method"] == "interpolated"
        error = row["lag_seconds"] - (row["observed_at"].timestamp() - at)
        # The end was read some moments before the last answer.
        assert abs(error) <= (5 if partition == STEADY else before - after + 5), row
    for partition, offset in ((BURSTY, 60), (IDLE, 1)):
        row = lags[partition, offset]
        assert (row["lag"], row["lag_seconds_method"]) == (1, "exact"), "the newest record counts by its own time"
        assert abs(row["lag_seconds"] - (row["observed_at"].timestamp() - appended[partition][offset])) <= 5


def test_a_record_that_is_older_than_every_census_is_at_least_as_old(lags: Lags, appended: Appended) -> None:
    row = lags[IDLE, 0]
    assert (row["lag_seconds_method"], row["appended_after"]) == ("at_least", None)
    assert row["lag_seconds"] <= row["observed_at"].timestamp() - appended[IDLE][0] + 1
    first = row["appended_before"].timestamp()
    assert row["lag_seconds"] >= appended[STEADY][-1] - first - 60
