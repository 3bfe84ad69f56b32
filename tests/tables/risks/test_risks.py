"""Each risk by its condition and threshold; a value that is not known is a row that says so."""

from datetime import date
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from kafka_census.declarations.risk_policy import AcceptedRisk, RiskPolicy
from kafka_census.tables.risks.columns import RISK_WORDS, RISKS
from kafka_census.tables.risks.transform import risks
from spark.landed_items import Item, compute, missing_read, published, rows_by, rows_of, transform_of

HEAD = published(1)
POLICY = RiskPolicy(
    partitions_per_broker=100,
    accept=(
        AcceptedRisk("one_replica", date(2026, 11, 20), "it is over", topic="scratch-*"),
        AcceptedRisk("one_replica", date(2026, 11, 21), "data of tests", topic="scratch-*"),
        AcceptedRisk("leaders_away", date(2027, 1, 1), "it is new", name="3"),
    ),
)


def part(topic: str, replicas: list[int], **columns: Any) -> Item:
    known = {"isr": replicas, "min_isr_effective": 1, "racks": ["a", "b"], "replicas_sharing_rack": 0}
    return HEAD | {"topic": topic, "partition": 0, "replicas": replicas, "is_internal": False} | known | columns


def broker(node: int, **columns: Any) -> Item:
    known = {"state": "alive", "preferred_imbalance": 0.1, "preferred_leaders": 10, "preferred_elsewhere": 1}
    release = {"release_at_least": "4.3", "features": [], "replicas": 100}
    return HEAD | {"broker_id": node} | known | release | columns


def config(topic: str, value: str | None, reason: str | None = None) -> Item:
    name = "" if reason else "unclean.leader.election.enable"
    row = {"resource_type": "topic", "resource_name": topic, "name": name, "value": value, "source": "topic"}
    return HEAD | row | {"reason": reason}


def voter(node: int, caught_up: bool | None) -> Item:
    return HEAD | {"replica_id": node, "directory_id": "", "role": "voter", "caught_up": caught_up}


def log_dir(node: int, usable: int | None, state: str = "online") -> Item:
    total = None if usable is None else 100
    row = {"broker_id": node, "log_dir": "/a", "state": state, "usable_bytes": usable, "total_bytes": total}
    return HEAD | row | {"reason": None if state == "online" else "not answered"}


def moves(node: int, bytes_left: int | None, unknown: int = 0) -> Item:
    return HEAD | {"broker_id": node, "replicas_in": 1, "bytes_left_in": bytes_left, "unknown_in": unknown}


def grant(principal: str, *dangers: str) -> Item:
    return HEAD | {"principal": principal, "dangers": list(dangers), "is_dangerous": bool(dangers)}


WORLD: dict[str, list[Item]] = {
    "partitions": [
        part("well", [1, 2, 3], min_isr_effective=2),
        part("single", [1]),
        part("single", [1, 2], partition=1, min_isr_effective=2),
        part("scratch-1", [1]),
        part("unread", [1, 2, 3], min_isr_effective=None),
        part("racked", [1, 2, 3], min_isr_effective=2, replicas_sharing_rack=2),
        part("half", [1, 2, 3], min_isr_effective=2, racks=["a"], replicas_sharing_rack=None),
        part("rackless", [1, 2, 3], min_isr_effective=2, racks=[], replicas_sharing_rack=None),
        part("__consumer_offsets", [1, 2], isr=[2], is_internal=True, min_isr_effective=1),
        part("hidden", [], partition=-1),
    ],
    "brokers": [
        broker(1),
        broker(2, preferred_imbalance=0.2, preferred_elsewhere=2, replicas=101),
        broker(3, preferred_imbalance=0.5, preferred_elsewhere=5, release_at_least="4.4"),
        broker(4, preferred_imbalance=None, preferred_leaders=None, replicas=None, counts_reason="not described"),
        broker(5, state="gone", preferred_imbalance=None, preferred_leaders=None, replicas=None),
    ],
    "configs": [config("well", "false"), config("single", "true"), config("unread", None, "refused")],
    "quorum": [voter(1, True), voter(2, True), voter(3, False)],
    "log_dirs": [log_dir(1, 15), log_dir(2, 14), log_dir(3, None), log_dir(4, None, "not_read")],
    "backlog": [moves(1, 15), moves(2, 15), moves(3, 1), moves(5, 1)],
    "acls": [grant("User:a", "wildcard", "cluster_alter"), grant("User:a", "wildcard"), grant("User:b")],
}
FOUND: dict[tuple[str, str], Any] = {
    ("one_replica", "single"): "1 of 2 partitions",
    ("one_replica", "scratch-1"): "accepted: data of tests",
    ("no_replica_to_spare", "single"): "1 of 2 partitions",
    ("no_replica_to_spare", "unread"): "?: the minimum ISR of some partitions is not known",
    ("min_isr_one", "unread"): "?: the minimum ISR of some partitions is not known",
    ("min_isr_one", "__consumer_offsets"): "1 of 1 partitions",
    ("one_rack", "racked"): "1 of 1 partitions",
    ("one_rack", "half"): "?: the racks of some replicas are not known",
    ("one_coordinator", "__consumer_offsets"): "1 of 1 partitions",
    ("few_internal_replicas", "__consumer_offsets"): "1 of 1 partitions",
    ("unclean_election", "single"): "by its source: topic",
    ("unclean_election", "unread"): "?: refused",
    ("no_voter_to_spare", ""): "2 of 3 voters are caught up, 2 are a majority",
    ("leaders_away", "2"): "others lead 2 of 10 of its partitions",
    ("leaders_away", "3"): "accepted: it is new",
    ("leaders_away", "4"): "?: not described",
    ("crowded_broker", "2"): "101 replicas, where 100 are meant to be the most",
    ("crowded_broker", "4"): "?: not described",
    ("mixed_releases", ""): "releases of at least 4.3, 4.4",
    ("disk_filling", "2:/a"): "86 % of its volume are used",
    ("disk_filling", "3:/a"): "?: brokers before 3.3 do not tell the size of a volume",
    ("disk_filling", "4:/a"): "?: not answered",
    ("moves_do_not_fit", "2"): "15 bytes are still to come, and 14 are free",
    ("moves_do_not_fit", "3"): "?: what moves still bring, or what is free, is not known",
    ("moves_do_not_fit", "5"): "?: what moves still bring, or what is free, is not known",
    ("dangerous_grants", "User:a"): "2 entries: cluster_alter, wildcard",
}


def told(computed: DataFrame) -> dict[tuple[str, str], str]:
    """What is said of each risk and name."""
    rows = rows_by(computed, "risk", "name")
    words = {"open": "{0.detail}", "accepted": "accepted: {0.accepted_why}", "unknown": "?: {0.reason}"}
    return {key: words[row.state].format(row) for key, row in rows.items()}


def test_a_risk_is_told_accepted_or_not_known(spark: SparkSession) -> None:
    assert told(compute(spark, RISKS, policy=POLICY, **WORLD)) == FOUND
    assert {word for word, _ in FOUND} == set(RISK_WORDS) - {"no_authorizer"}


@pytest.mark.parametrize(
    ("quorum", "expected"),
    [
        ([voter(1, True), voter(2, True), voter(3, True)], {}),
        ([voter(1, True), voter(2, True), voter(3, None)], "?: 1 voters are not known to be caught up"),
        ([voter(-1, None) | {"role": "unknown", "reason": "refused"}], "?: refused"),
    ],
)
def test_a_quorum_has_a_voter_to_spare_or_that_is_not_known(spark: SparkSession, quorum: Any, expected: Any) -> None:
    found = told(compute(spark, RISKS, brokers=[broker(1)], quorum=quorum))
    assert found == (expected and {("no_voter_to_spare", ""): expected})


def test_nobody_checks_or_nobody_told(spark: SparkSession) -> None:
    open_door = compute(spark, RISKS, brokers=[broker(1)], acls=[grant("", "no_authorizer")])
    assert told(open_door) == {("no_authorizer", ""): "everyone may do everything"}
    refused = [missing_read("DescribeAcls", "acls", None, "CLUSTER_AUTHORIZATION_FAILED")]
    why = f"?: {refused[0].line}"
    found = told(compute(spark, RISKS, brokers=[broker(1)], missing=refused))
    assert found == {(word, ""): why for word in ("dangerous_grants", "no_authorizer")}


def test_a_table_that_the_census_lacks_leaves_its_risks_unknown(spark: SparkSession) -> None:
    rows = {"partitions": [], "brokers": [broker(1)]}
    frames = {name: rows_of(spark, transform_of(RISKS).inputs[name], some) for name, some in rows.items()}
    assert told(risks(**frames, policy=POLICY, missing=())) == {
        ("unclean_election", ""): "?: the census has no table configs",
        ("no_voter_to_spare", ""): "?: the census has no table quorum",
        ("disk_filling", ""): "?: the census has no table log_dir_usage",
        ("moves_do_not_fit", ""): "?: the census has no table log_dir_usage",
        ("dangerous_grants", ""): "?: the census has no table acl_inventory",
        ("no_authorizer", ""): "?: the census has no table acl_inventory",
    }
