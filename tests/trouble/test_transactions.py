"""Transactional ids, producers of partitions and open transactions, each row compared with Kafka's own answers.

The cluster has transactions in every state: committed, aborted, open with a coordinator that will end it, and
one that never ends. What hangs is what Kafka's own tool finds.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from harness.kafka_cluster import KafkaCluster
from harness.oracle import command_line
from kafka_emulator.arithmetic import java_hash, partition_for
from trouble.conftest import Row, Surveyed
from trouble.test_partitions import differences, key

TOOL = "org.apache.kafka.tools.TransactionsCommand"
OPEN = ("Ongoing", "PrepareCommit", "PrepareAbort")
MAX_TIMEOUT_MS = 900_000
"""transaction.max.timeout.ms of the cluster, which is Kafka's default: 15 minutes."""

Partition = tuple[str, int]


def milliseconds(when: datetime) -> int:
    """Milliseconds since 1970."""
    return (when - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def table(printed: str) -> list[dict[str, str]]:
    lines = [[cell.strip() for cell in line.split("\t")] for line in printed.splitlines() if line]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def leaders(survey: Surveyed) -> Mapping[Partition, int | None]:
    return {key(row): row["leader"] for row in survey.said["partition"]}


def wanted_ids(survey: Surveyed, bootstrap: str) -> dict[str, dict[str, Any]]:
    """The columns of transaction_coordinator_placement, by id; `bootstrap` are the servers of the brokers alive."""
    said, leads = survey.said, leaders(survey)
    endpoints = dict(zip(sorted(said["cluster"][0]["nodes"]), bootstrap.split(","), strict=True))
    count = sum(topic == "__transaction_state" for topic, _ in leads)
    coordinators = {row["key"]: row["node_id"] for row in said["transaction_coordinator"]}
    listed = {row["transactional_id"]: row for row in said["transaction"]}
    wanted = {}
    for one in said["described_transaction"]:
        name = one["transactional_id"]
        host, port = endpoints[coordinators[name]].rsplit(":", 1)
        partition = partition_for(name, count)
        wanted[name] = {
            "transaction_state": listed[name]["transaction_state"],
            "hash": java_hash(name),
            "transactions_partition": partition,
            "transactions_partitions": count,
            "expected_coordinator": leads["__transaction_state", partition],
            "expected_reason": None,
            "listed_by": [listed[name]["node_id"]],
            "found_coordinator": coordinators[name],
            "found_host": host,
            "found_port": int(port),
            "found_error": None,
            "agreement": "agree",
            "reason": None,
            "producer_id": one["producer_id"],
            "producer_epoch": one["producer_epoch"],
            "described_state": one["transaction_state"],
            "transaction_timeout_ms": one["transaction_timeout_ms"],
            "transaction_started_at": one["transaction_start_time_ms"],
            "written_partitions": len(written(survey)[name]),
            "description_reason": None,
        }
    assert set(listed) == set(coordinators) == set(wanted)
    return wanted


def ids_of(survey: Surveyed) -> dict[str, Row]:
    return {
        name: {**row, "transaction_started_at": milliseconds(row["transaction_started_at"])}
        for name, row in survey.of("transaction_coordinator_placement").items()
    }


def test_every_transactional_id_is_where_kafka_has_it(whole: Surveyed, cluster: KafkaCluster) -> None:
    wanted = wanted_ids(whole, cluster.bootstrap_servers)
    assert differences(ids_of(whole), wanted) == []
    fates = {"done": "CompleteCommit", "undone": "CompleteAbort", "open": "Ongoing", "hung": "CompleteCommit"}
    assert fates.items() <= {name: row["described_state"] for name, row in wanted.items()}.items()
    # Only an open one has a duration: Kafka's tool gives one that was committed a growing duration (KAFKA-15546).
    starts = {row["transactional_id"]: row for row in whole.said["described_transaction"]}
    for row in whole.rows["transaction_coordinator_placement"]:
        said = starts[row["transactional_id"]]
        if said["transaction_state"] in OPEN:
            lasted = milliseconds(row["observed_at"]) - said["transaction_start_time_ms"]
            assert (row["duration_ms"], row["duration_reason"]) == (lasted, None)
            assert row["over_timeout"] is (lasted > said["transaction_timeout_ms"])
        else:
            assert (row["duration_ms"], row["over_timeout"]) == (None, None)
            assert row["duration_reason"] == f"no transaction is open ({said['transaction_state']})"


def written(survey: Surveyed) -> Mapping[str, set[Partition]]:
    """The partitions of a transaction, by transactional id; empty after its end."""
    held: dict[str, set[Partition]] = {row["transactional_id"]: set() for row in survey.said["described_transaction"]}
    for row in survey.said["described_transaction"]:
        if "topic" in row:
            held[row["transactional_id"]].add(key(row))
    return held


def producers(survey: Surveyed) -> Mapping[Partition, list[Row]]:
    """The producers by partition, as its leader describes them; an empty list without producers."""
    found: dict[Partition, list[Row]] = {}
    for row in survey.said["producer"]:
        reported = found.setdefault(key(row), [])
        if row.get("producer_id") is not None:
            reported.append(row)
    return found


def wanted_producers(survey: Surveyed) -> dict[Partition, dict[str, Any]]:
    described = {key(row): row for row in survey.said["partition"]}
    wanted = {}
    for partition, reported in producers(survey).items():
        is_open = [one for one in reported if one["current_txn_start_offset"] is not None]
        # The marker that ends a transaction has its coordinator's epoch.
        idempotent = sum(one["coordinator_epoch"] is None for one in reported) - len(is_open)
        wanted[partition] = {
            "topic_id": described[partition]["topic_id"],
            "asked_broker_id": described[partition]["leader"],
            "producer_ids": len(reported),
            "idempotent_only": idempotent,
            "idempotent_only_share": idempotent / len(reported) if reported else None,
            "open_transactions": len(is_open),
            "oldest_open_offset": min((one["current_txn_start_offset"] for one in is_open), default=None),
            "oldest_open_timestamp": min((one["last_timestamp"] for one in is_open), default=None),
            "oldest_last_timestamp": min((one["last_timestamp"] for one in reported), default=None),
            "producer_ids_per_hour": None,
            "previous_census_id": None,
            "reason": None,
        }
    return wanted


def producers_of(survey: Surveyed) -> dict[Partition, Row]:
    times = ("oldest_open_timestamp", "oldest_last_timestamp")
    return {
        one: {**row, **{name: row[name] and milliseconds(row[name]) for name in times}}
        for one, row in survey.of("producer_state").items()
    }


def test_every_partitions_producers_are_those_that_its_leader_describes(whole: Surveyed) -> None:
    wanted, got = wanted_producers(whole), producers_of(whole)
    assert differences(got, wanted) == []
    assert wanted.keys() == leaders(whole).keys()
    assert got["orders", 1]["idempotent_only"] == 1
    assert [name for name, row in got.items() if row["open_transactions"] > 0][1:]
    assert any(row["producer_ids"] > row["idempotent_only"] + row["open_transactions"] for row in got.values())


FOUND_HANGING = {
    "Topic": "topic",
    "Partition": "partition",
    "ProducerId": "producer_id",
    "ProducerEpoch": "producer_epoch",
    "StartOffset": "current_txn_start_offset",
    "LastTimestamp": "last_timestamp",
}
"""Columns of what `find-hanging` prints, and ours."""


def test_every_open_transaction_is_judged_by_kafkas_rule(whole: Surveyed, cluster: KafkaCluster) -> None:
    """It hangs if no transactional id has the producer id, or the id's transaction does not have the partition.

    What hangs is what Kafka's own tool finds: of any age, as by default it reports nothing in the first 15 minutes.
    """
    ids = {row["producer_id"]: row["transactional_id"] for row in whole.said["transaction"]}
    described = {row["transactional_id"]: row for row in whole.said["described_transaction"]}
    opened = [
        (partition, one)
        for partition, reported in producers(whole).items()
        for one in reported
        if one["current_txn_start_offset"] is not None
    ]
    wanted = []
    for partition, one in opened:
        name = ids[one["producer_id"]]
        state, hangs = described[name]["transaction_state"], partition not in written(whole)[name]
        wanted.append(
            {
                "topic": partition[0],
                "partition": partition[1],
                "producer_id": one["producer_id"],
                "producer_epoch": one["producer_epoch"],
                "current_txn_start_offset": one["current_txn_start_offset"],
                "verdict": "hanging" if hangs else "held",
                "evidence": "not_in_transaction" if hangs else None,
                "reason": f"the transaction of {name} ({state}) does not have the partition" if hangs else None,
                "transactional_id": name,
                "transaction_state": state,
                "transaction_timeout_ms": described[name]["transaction_timeout_ms"],
                "last_timestamp": one["last_timestamp"],
                "max_timeout_ms": MAX_TIMEOUT_MS,
                "max_timeout_source": "broker",
                "censuses_hanging": int(hangs),
                "previous_census_id": None,
            }
        )
    find, young = ("find-hanging", "--broker-id"), ("--max-transaction-timeout", "0")
    led = {leaders(whole)[partition] for partition, _ in opened}
    found = [row for node in led for row in table(command_line(cluster.admin_servers, TOOL, *find, str(node), *young))]
    assert sorted(([row[name] for name in FOUND_HANGING] for row in found), key=str) == sorted(
        ([str(row[name]) for name in FOUND_HANGING.values()] for row in wanted if row["verdict"] == "hanging"), key=str
    )
    got = [
        {**{name: row[name] for name in wanted[0]}, "last_timestamp": milliseconds(row["last_timestamp"])}
        for row in whole.rows["hanging_transactions"]
    ]
    assert sorted(got, key=str) == sorted(wanted, key=str)
    for row in whole.rows["hanging_transactions"]:
        assert row["record_age_ms"] == milliseconds(row["observed_at"]) - milliseconds(row["last_timestamp"])
    verdicts = {row["transactional_id"]: row["verdict"] for row in wanted}
    assert {"hung": "hanging", "open": "held"}.items() <= verdicts.items()
