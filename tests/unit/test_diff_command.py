"""`kafka-census diff`: which censuses are meant, what is printed, and that no Spark is needed."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import StructType

from harness.small_lake import NOON, append, census_id
from kafka_census.cli.command import command
from kafka_census.declarations.audit import PUBLICATIONS
from kafka_census.declarations.table import Table
from kafka_census.errors import ConfigError, CorruptLake
from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.tables.topic_readiness.columns import TOPIC_READINESS as TOPICS
from kafka_census.terminal.log import Redactor

LOST = [{"rpc": "ListGroups", "broker_id": 3, "error": "BROKER_NOT_ALIVE", "reason": "no endpoint"}]


def group(name: str, lag: int, members: int = 1) -> dict[str, Any]:
    zeros = dict.fromkeys(("partitions_missed", "partitions_without_commit", "partitions_out_of_range"), 0)
    return {"group_id": name, "lag_total": lag, "members": members, **zeros}


def quota(value: float) -> dict[str, Any]:
    return {"entity": "user a", "user": "a", "is_default": False, "quota": "producer_byte_rate", "value": value}


def publish(root: Path, number: int, cluster: str, rows: dict[Table, list[dict[str, Any]]], **ids: Any) -> None:
    """Publish a census with its rows; what is `missing` is missing of group_lag."""
    missing = ids.pop("missing", [])
    ids = {"census_id": census_id(number), "cluster_id": f"id-{cluster}"} | ids
    for table, some in rows.items():
        append(root, table, [{**ids, "observed_at": NOON, **row} for row in some], ["census_id"])
    reported = [
        {**ids, "cluster": cluster, "table_name": table.name, "missing": missing if table is GROUP_LAG else []}
        | {"published_at": NOON + timedelta(hours=number), "row_count": len(some)}
        for table, some in rows.items()
    ]
    append(root, PUBLICATIONS, reported)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four censuses of `prod`: the second as the first, the third worse, the fourth without broker 3; one of `test`."""
    root = tmp_path_factory.mktemp("diff") / "lake"
    calm = [group("billing", 0), group("it's\x1b[31m", 5)]
    for number in (1, 2):
        publish(root, number, "prod", {GROUP_LAG: calm, QUOTAS: [quota(1000)]})
    publish(root, 3, "prod", {GROUP_LAG: [group("billing", 10**6, 0), *calm[1:]], QUOTAS: [quota(2000)]})
    publish(root, 4, "prod", {GROUP_LAG: [group("billing", 10**6, 0)]}, missing=LOST)
    publish(root, 5, "test", {GROUP_LAG: [group("other", 0)]})
    return root


def run(*arguments: str) -> int:
    return command(["diff", *arguments], Redactor())


def test_a_renamed_cluster_is_compared_with_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "lake"
    for number, cluster in enumerate(("dev", "new", "dev", "new"), 1):
        publish(root, number, cluster, {QUOTAS: [quota(number)]}, cluster_id="copied")
    conf = tmp_path / "census.yaml"
    servers = "bootstrap_servers: [b:9092]"
    conf.write_text(f"lake: {{root: {root}}}\nclusters: {{new: {{{servers}, former_names: [dev]}}}}\n", "utf-8")
    of_lake, both = ("--lake", str(root)), ("--cluster", "dev", "--cluster", "new")
    for arguments, compared in (
        (("--config", str(conf), "--cluster", "new"), f"new: from {census_id(3)} to {census_id(4)}\n"),
        ((*of_lake, "--cluster", "new"), f"new: from {census_id(2)} to {census_id(4)}\n"),
        ((*of_lake, *both), f"from dev, {census_id(3)}\nto new, {census_id(4)}\n"),
    ):
        assert run(*arguments) == 0
        assert capsys.readouterr().out.startswith(compared)


def rows(lake: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[tuple[Any, ...]]:
    assert run("--lake", str(lake), "--format", "json", *arguments) == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [(row["change"], row["key"], row["column_name"]) for row in printed]


WORSE = [
    ("worse", "billing", "lag_total"),
    ("worse", "billing", "members"),
    ("changed", "user a producer_byte_rate", "value"),
]


def test_censuses_are_named_by_ids_or_by_their_order(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prod = ("--cluster", "prod")
    assert rows(lake, capsys, census_id(1), census_id(2), *prod) == []
    assert rows(lake, capsys, census_id(2)[:15], census_id(3)) == WORSE
    assert rows(lake, capsys, "previous", census_id(3), *prod) == WORSE
    assert rows(lake, capsys, *prod) == [("unread", "it's\x1b[31m", "")]
    assert rows(lake, capsys, census_id(3), census_id(1), *prod)[-1] == ("better", "billing", "members")
    # Two clusters are compared as they were last; what one lacks because it was not read is not gone.
    found = rows(lake, capsys, "--cluster", "test", *prod)
    assert found == [("unread", "other", ""), ("appeared", "billing", "")]


def test_what_is_not_compared_of_two_clusters_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, topic = tmp_path / "lake", {"topic": "orders", "partitions": 3}
    for number in (1, 2):
        publish(root, number, "prod", {TOPICS: [topic | {"topic_id": str(number)}]}, cluster_id=f"id-{number}")
    assert run("--lake", str(root), "--cluster", "prod") == 0
    printed = capsys.readouterr()
    nothing = "nothing changed in what was compared"
    assert printed.out == f"from prod, {census_id(1)}\nto prod, {census_id(2)}\n{nothing}\n"
    left_out = "not compared: topic.topic_id, because these are two clusters, by id or by name"
    assert printed.err.splitlines()[1:] == [left_out]


def test_a_screen_has_counts_and_the_worst_first(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--lake", str(lake), census_id(2), census_id(3)) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        f"prod: from {census_id(2)} to {census_id(3)}",
        "3 changes: 2 worse, 1 changed",
        "",
        "worse",
        "of     key      column     before  after",
        "group  billing  lag_total  0       1000000",
        "group  billing  members    some    none",
        "",
        "changed",
        "of     key                        column  before  after",
        "quota  user a producer_byte_rate  value   1000    2000",
    ]
    assert printed.err.startswith("not compared: acl_inventory, brokers, ")
    assert run("--lake", str(lake), "--cluster", "prod") == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[3:] == [
        "unread",
        "group it's\\x1b[31m: ListGroups was not read from broker 3 (BROKER_NOT_ALIVE)",
    ]
    assert "quotas" in printed.err
    assert run("--lake", str(lake), census_id(1), census_id(2)) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["nothing changed in what was compared"]


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        ((), "the lake has several clusters, prod, test: name one with --cluster for latest"),
        (("--cluster", "nope"), "no census of cluster 'nope' is published; there are prod, test"),
        (("2026", census_id(3)), "several published censuses begin with '2026', such as "),
        (("1999", census_id(3)), "no published census begins with '1999'"),
        (("--cluster", "test"), "no census of cluster 'test' is published before "),
        (("latest", "--cluster", "a", "--cluster", "b"), "two clusters are compared by their latest censuses: "),
        (("--cluster", "a", "--cluster", "b", "--cluster", "c"), "--cluster is given once, or twice for two clusters"),
    ],
)
def test_what_cannot_be_compared_is_one_line(lake: Path, arguments: tuple[str, ...], reported: str) -> None:
    with pytest.raises(ConfigError) as mistake:
        run("--lake", str(lake), *arguments)
    assert str(mistake.value).startswith(reported)
    assert "\n" not in str(mistake.value)


def test_a_table_of_an_older_release_is_one_line(tmp_path: Path) -> None:
    """Its columns are not all there: nothing is compared, instead of things that only look otherwise."""
    former = [field for field in QUOTAS.schema.fields if not field.name.endswith("_is_default")]
    for number in (1, 2):
        publish(tmp_path, number, "prod", {replace(QUOTAS, schema=StructType(former)): [quota(number)]})
    with pytest.raises(CorruptLake, match=r"older release; run kafka-census migrate .+user_is_default"):
        run("previous", "latest", "--lake", str(tmp_path))
