"""Tables again with broker 3 killed, compared with the Java AdminClient in the same state.

Values of broker 3 are null with a reason that names it, or have no row where no broker lists them. The previous
census gives the history: moves without progress, unchanged configs, transactions seen before. Where the Java client
itself fails, its row has `error`; where it leaves out items that it could not read, it reports nothing. At the end, the
landed pages, and walks of ours without Spark.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from e2e.listing import KEYED, in_columns, items, landed, pages, rows_in
from e2e.operator import Operator
from harness.foretold import happened
from harness.kafka_cluster import KafkaCluster
from harness.trouble import LOST
from kafka_census.kafka.error_codes import error_name
from kafka_census.kafka.protocol.endpoint import Endpoint
from trouble import test_brokers, test_groups, test_lag, test_moves, test_topics, test_transactions
from trouble.conftest import Row, Surveyed, by
from trouble.test_partitions import COUNTED_IN, differences, key, partitions_of, wanted_partitions
from trouble.test_transactions import written

OFFSETS, _ = COUNTED_IN
SECONDS_AN_HOUR = 3600
HEAD = ("census_id", "cluster_id", "cluster", "observed_at")

Partition = tuple[str, int]


def leaderless(killed: Surveyed) -> set[Partition]:
    return {key(row) for row in killed.said["partition"] if row["leader"] is None}


def seconds(later: Row, earlier: Row) -> float:
    elapsed: timedelta = later["observed_at"] - earlier["observed_at"]
    return elapsed.total_seconds()


def readable(said: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
    """The items that the Java client could read; some kinds are empty, when broker 3 had all items."""
    reported = {kind: [row for row in rows if "error" not in row] for kind, rows in said.items()}
    return defaultdict(list, reported)


def test_every_table_tells_of_this_census_and_names_what_is_missing(killed: Surveyed) -> None:
    """Partitions that nobody leads where their groups are listed; groups in one that has a leader are not missing."""
    (said,) = killed.said["cluster"]
    for found in killed.rows.values():
        assert {(row["census_id"], row["cluster_id"]) for row in found} == {(killed.census_id, said["cluster_id"])}
    rows = by(killed.rows["publications"], "table_name")
    assert rows["under_min_isr_partitions"]["is_complete"], "needs no answer of the broker"
    assert not rows["reassignment_backlog"]["is_complete"]
    missing = {(one["rpc"], one["broker_id"], one["error"]) for one in rows["reassignment_backlog"]["missing"]}
    assert missing == {("DescribeLogDirs", LOST, "BROKER_NOT_ALIVE")}
    lost = ", ".join(str(number) for topic, number in sorted(leaderless(killed)) if topic == OFFSETS)
    reason = f"partitions {lost} of {OFFSETS} have no leader: their groups are in no answer"
    for name in ("group_coordinator_placement", "consumer_lag", "deletable_groups"):
        reported = [(one["rpc"], one["broker_id"], one["reason"]) for one in rows[name]["missing"]]
        assert ("ListGroups", None, reason) in reported
        assert not [one for one in reported if one[0] in ("ListOffsets", "DescribeProducers")]
    assert not [one for one in rows["producer_state"]["missing"] if one["rpc"] == "DescribeProducers"]


def test_partitions_without_a_leader_are_offline_and_others_under_or_at_their_minimum(
    whole: Surveyed, killed: Surveyed
) -> None:
    wanted = wanted_partitions(killed.said)
    rows = partitions_of(killed)
    assert differences(rows, wanted) == []
    assert {row["status"] for row in wanted.values()} == {"OFFLINE", "UNDER", "AT", "UNDER_REPLICATED", "OK"}
    assert {one for one, row in rows.items() if row["status"] == "OFFLINE"} == leaderless(killed)
    assert {OFFSETS, "audit", "lonely"} <= {topic for topic, _ in leaderless(killed)}
    assert {row["topic"] for row in rows.values() if row["status"] == "UNDER"} == {"payments"}
    assert {rows[one]["reason"] for one in leaderless(killed)} == {f"no leader; replicas {LOST}"}
    assert all((row["reason"] is None) == (row["status"] == "OK") for row in rows.values())
    # Groups of a partition without a leader are not counted: no broker lists them. The previous census shows that they
    # exist.
    counted = {one: (row[COUNTED_IN[OFFSETS]], row[f"{COUNTED_IN[OFFSETS]}_reason"]) for one, row in rows.items()}
    unlisted = None, "no leader: its groups are listed by no broker"
    assert {one: each for one, each in counted.items() if one[0] == OFFSETS} == {
        one: unlisted if one in leaderless(killed) else (0, None) for one in rows if one[0] == OFFSETS
    }
    assert any(row["found_coordinator"] == LOST for row in whole.rows["group_coordinator_placement"])


def test_the_census_before_foretold_what_the_loss_of_the_broker_did(whole: Surveyed, killed: Surveyed) -> None:
    """By Kafka's own answers before and after; the second census shows the same as how things are."""
    foretold = whole.of("failure_impact")["broker", str(LOST)]
    after = wanted_partitions(killed.said)
    done = happened(wanted_partitions(whole.said), after, {LOST})
    assert {name: foretold[name] for name in done} == done
    assert all(done[f"{name}_partitions"] > 0 for name in ("offline", "under_min_isr", "at_min_isr"))
    assert foretold["verdict"] == "loses_availability"
    rows, offline = test_topics.partitions_of(whole), leaderless(killed) - leaderless(whole)
    assert foretold["offline_bytes"] == sum(rows[one]["leader_bytes"] for one in offline)
    ids = {kind: test_groups.coordinators(whole.said, kind) for kind in ("group", "transaction")}
    assert foretold["groups_moving"] == sum(node == LOST for node in ids["group"].values()) > 0
    assert foretold["transactional_ids_moving"] == sum(node == LOST for node in ids["transaction"].values())
    assert foretold["transactional_ids_stranded"] == 0
    now = killed.of("failure_impact")
    assert now["nothing", ""]["offline_partitions"] == len(leaderless(killed))
    assert now["nothing", ""]["under_min_isr_partitions"] == sum(row["status"] == "UNDER" for row in after.values())
    assert now["broker", str(LOST)]["reason"] == "the broker is not alive: nothing more is lost with it"


def test_a_partition_is_where_it_was_and_what_only_the_broker_knows_is_null(whole: Surveyed, killed: Surveyed) -> None:
    """Nobody writes: the rate of each partition with a leader is 0, and of Kafka's own topics at least that."""
    rows, wanted = test_topics.partitions_of(killed), test_topics.wanted_partitions(readable(killed.said))
    assert differences(rows, wanted) == []
    down = f"DescribeLogDirs was not read from broker {LOST} (BROKER_NOT_ALIVE)"
    for one, row in rows.items():
        assert (row["status"] == "OFFLINE") == (one in leaderless(killed))
        assert row["replica_bytes_reason"] == (down if LOST in row["replicas"] else None)
        if one in leaderless(killed):
            reasons = {row[f"{name}_reason"] for name in ("leader_bytes", "start_offset", "records_per_second")}
            assert reasons == {"the partition has no leader"}
        else:
            assert row["previous_census_id"] == whole.census_id
            assert row["records_per_second"] == 0 or (row["is_internal"] and row["records_per_second"] > 0)


def test_every_broker_is_as_the_java_client_lists_it(killed: Surveyed) -> None:
    wanted = test_brokers.wanted_brokers(killed.said)
    rows = killed.of("brokers")
    assert differences(rows, wanted) == []
    assert (rows[LOST]["state"], rows[LOST]["leaders"]) == ("fenced", 0)
    assert rows[LOST]["offline_replicas"] == rows[LOST]["replicas"] > 0
    assert {node: row["features_reason"] for node, row in rows.items() if row["features_reason"]} == {
        LOST: f"ApiVersions was not read from broker {LOST} (BROKER_NOT_ALIVE)"
    }


def test_the_log_dirs_of_the_killed_broker_are_one_row_that_says_so(killed: Surveyed) -> None:
    rows = killed.of("log_dir_usage")
    unread = rows.pop((LOST, ""))
    assert differences(rows, test_brokers.wanted_log_dirs(killed.said)) == []
    known = {name for name, value in unread.items() if value is not None}
    assert known == {*HEAD, "broker_id", "log_dir", "state", "reason"}
    assert unread["state"] == "not_read"
    assert f"broker {LOST}" in unread["reason"]


def test_configs_of_the_killed_broker_are_not_read_and_no_change(whole: Surveyed, killed: Surveyed) -> None:
    """The Java client's configs of the others are compared; of two brokers that differ, neither is the outlier."""
    kinds = {
        "not_default": test_brokers.wanted_not_default(killed.said),
        "between_brokers": test_brokers.wanted_between_brokers(killed.said),
        "since_before": wanted_changes(whole, killed),
    }
    for kind, wanted in kinds.items():
        assert differences(test_brokers.drift_of(killed, kind), wanted) == []
    assert set(kinds["since_before"]) == {("topic", "trimmed", "retention.ms")}
    (unread,) = test_brokers.drift_of(killed, "not_read").values()
    told = killed.of("configs")
    assert told.pop(("broker", str(LOST), ""))["reason"] == unread["reason"]
    assert differences(told, test_brokers.wanted_configs(killed.said)) == []
    assert (unread["resource_type"], unread["resource_name"], unread["name"]) == ("broker", str(LOST), "")
    assert f"broker {LOST}" in unread["reason"]
    assert {row["kind"] for row in killed.rows["config_drift"]} <= {*kinds, "not_read"}
    name = "log.cleaner.backoff.ms"
    assert {one: row["expected"] for one, row in kinds["between_brokers"].items() if one[2] == name} == {
        ("broker", "1", name): None,
        ("broker", "2", name): None,
    }


def wanted_changes(whole: Surveyed, killed: Surveyed) -> dict[tuple[str, str, str], dict[str, Any]]:
    """The configs, set now or before, that changed or were unset; among those that both censuses could read."""
    before, now = (test_brokers.wanted_not_default(survey.said) for survey in (whole, killed))
    reported = test_brokers.configs(killed.said)
    return {
        one: {
            "value": None if reported[one]["is_sensitive"] else reported[one]["value"],
            "expected": before[one]["value"] if one in before else now[one]["expected"],
            "previous_census_id": whole.census_id,
        }
        for one in (before.keys() | now.keys()) & reported.keys()
        if (one in before, before.get(one, {}).get("value")) != (one in now, now.get(one, {}).get("value"))
    }


def wanted_backlog(whole: Surveyed, killed: Surveyed) -> dict[test_moves.Copy, dict[str, Any]]:
    """All columns of the backlog, compared with the previous census; values that only broker 3 has are left out."""
    before = test_moves.wanted_backlog(whole.said)
    wanted = test_moves.wanted_backlog(killed.said)
    rows, earlier = killed.of("reassignment_backlog"), whole.of("reassignment_backlog")
    for one, row in wanted.items():
        row.update(test_moves.NO_PROGRESS, previous_census_id=whole.census_id)
        _, _, node, kind = one
        if kind == "remove":
            continue
        if node == LOST:
            del row["bytes_left_reason"], row["target_throttle_reason"]
            row.update(dict.fromkeys(("bytes_done", "bytes_left", "throttle_bytes_per_second", "stalled")))
            continue
        fell = before[one]["bytes_left"] - row["bytes_left"]
        gained = row["bytes_done"] - before[one]["bytes_done"]
        row["bytes_per_second"] = pytest.approx(min(fell, gained) / seconds(rows[one], earlier[one]))
        row["stalled"] = gained <= 0
    return wanted


def test_moves_stand_still_and_one_of_them_is_not_known(whole: Surveyed, killed: Surveyed) -> None:
    """Throttled to one byte per second: no byte less than in the previous census, so no end; null for broker 3."""
    wanted = wanted_backlog(whole, killed)
    rows = killed.of("reassignment_backlog")
    assert differences(rows, wanted) == []
    stalled = {topic: row["stalled"] for (topic, _, _, kind), row in rows.items() if kind != "remove"}
    assert stalled == {"clickstream": True, "folders": True, "archive": None}
    unknown = rows["archive", 0, LOST, "move"]
    for name in ("bytes_left_reason", "target_throttle_reason"):
        assert f"broker {LOST}" in unknown[name]
    assert unknown["bytes_total"] > 0


def endpoints(killed: Surveyed, cluster: KafkaCluster) -> str:
    nodes = sorted(row["node_id"] for row in killed.said["node"])
    named = dict(zip(nodes, cluster.bootstrap_servers.split(","), strict=False))
    return ",".join(named[node] for node in killed.said["cluster"][0]["nodes"])


def test_every_group_that_is_still_listed_has_its_coordinator(
    whole: Surveyed, killed: Surveyed, cluster: KafkaCluster
) -> None:
    """The groups of broker 3 have none, and no broker lists them: they are no rows, here and for the Java client.

    A group whose partition by the formula has no leader any more still has a coordinator, the leader of the
    partition by the brokers' old count: whether they agree is unknown, and the row says why.
    """
    wanted = dict(test_groups.wanted_placement(killed.said, endpoints(killed, cluster)))
    for row in wanted.values():
        if row["expected_coordinator"] is None:
            row["agreement"] = "unknown"
            row["expected_reason"] = f"partition {row['offsets_partition']} of {OFFSETS} has no leader"
    rows = killed.of("group_coordinator_placement")
    assert differences(rows, wanted) == []
    before = test_groups.coordinators(whole.said, "group")
    assert before.keys() - rows.keys() == {name for name, node in before.items() if node == LOST} != set()


def test_transactional_ids_have_new_coordinators_where_broker_3_was_theirs(
    whole: Surveyed, killed: Surveyed, cluster: KafkaCluster
) -> None:
    """Their topic has three replicas: every id is listed, found and described."""
    rows = test_transactions.ids_of(killed)
    assert differences(rows, test_transactions.wanted_ids(killed, endpoints(killed, cluster))) == []
    assert rows.keys() == test_transactions.ids_of(whole).keys()


def test_groups_lag_as_before_and_do_not_drain(whole: Surveyed, killed: Surveyed) -> None:
    """No client commits or writes: rates of 0 where both censuses know an offset of the same log, no time to drain."""
    wanted = dict(test_lag.wanted_lag(readable(killed.said)))
    rows, earlier = killed.of("consumer_lag"), whole.of("consumer_lag")
    for one, row in wanted.items():
        before = earlier[one]
        consumed, produced = (
            0.0 if row["topic_state"] != "recreated" and None not in (row[name], before[name]) else None
            for name in ("committed_offset", "high_watermark")
        )
        stands_still = row["lag"] and consumed is not None and produced is not None
        row |= {
            "consumption_rate": consumed,
            "production_rate": produced,
            "drain_reason": "not_draining" if stands_still else row["drain_reason"],
            "previous_census_id": whole.census_id,
        }
    assert differences(rows, wanted) == []
    assert "not_draining" in {row["drain_reason"] for row in wanted.values()}


def test_what_may_be_deleted_is_seen_a_second_time(whole: Surveyed, killed: Surveyed) -> None:
    """Groups without members are empty for two censuses, with the offsets of the first; `censuses_left_behind` is 0.

    Groups that only broker 3 could list keep their history, in a row that says which partitions have no leader.
    """
    wanted = dict(test_groups.wanted_deletable(readable(killed.said)))
    rows, earlier = killed.of("deletable_groups"), whole.of("deletable_groups")
    assert not [name for name in wanted if name not in rows]
    unlisted = {name: row for name, row in rows.items() if name not in wanted}
    assert unlisted.keys() == earlier.keys() - wanted.keys() != set()
    for name, row in unlisted.items():
        assert (row["verdict"], row["previous_census_id"]) == ("unknown", whole.census_id)
        assert row["censuses_empty"] == earlier[name]["censuses_empty"]
        assert row["reason"].startswith("it could not be listed: ")
        assert f" of {OFFSETS} have no leader: their groups are in no answer" in row["reason"]
    for name, row in wanted.items():
        known = row["committed_partitions"] is not None
        row |= {
            "censuses_empty": earlier[name]["censuses_empty"] + row["censuses_empty"],
            "offsets_moved": False if known else None,
            "offsets_removed": 0 if known else None,
            "end_offsets_grew": False if known else None,
            "previous_census_id": whole.census_id,
        }
        if row["verdict"] == "undecided" and "topics_gone" in row["evidence"]:
            row |= {"verdict": "deletable", "deletable": True, "reason": None}
        elif row["verdict"] == "undecided":
            row["reason"] = "neither its offsets nor the end offsets of its partitions have moved"
    assert differences({name: row for name, row in rows.items() if name in wanted}, wanted) == []
    for name, row in rows.items():
        assert row["offsets_fingerprint"] == earlier[name]["offsets_fingerprint"]
        assert row["empty_since"] == earlier[name]["empty_since"]
        assert row["offsets_unchanged_since"] == earlier[name]["offsets_unchanged_since"]
    assert max(row["censuses_empty"] for row in wanted.values()) == 2


def test_producers_of_partitions_without_a_leader_are_not_known(whole: Surveyed, killed: Surveyed) -> None:
    """Null with a reason, not 0; the new leaders of other partitions know as many producer ids as the old leaders."""
    rows, earlier = test_transactions.producers_of(killed), test_transactions.producers_of(whole)
    wanted = test_transactions.wanted_producers(replace(killed, said=readable(killed.said)))
    for one, row in wanted.items():
        grown = row["producer_ids"] - earlier[one]["producer_ids"]
        per_hour = pytest.approx(grown * SECONDS_AN_HOUR / seconds(rows[one], earlier[one]))
        row |= {"producer_ids_per_hour": per_hour, "previous_census_id": whole.census_id}
    unknown = ("producer_ids", "idempotent_only", "open_transactions", "previous_census_id")
    wanted |= {one: dict.fromkeys(unknown) for one in leaderless(killed)}
    assert differences(rows, wanted) == []
    assert all(rows[one]["reason"] for one in leaderless(killed))


def test_an_open_transaction_is_held_and_one_that_cannot_be_seen_is_unknown(whole: Surveyed, killed: Surveyed) -> None:
    """It was first seen in the previous census. The one that hung then is on broker 3: a row says that it may hang."""
    rows = killed.of("hanging_transactions")
    befores = {one: row for one, row in whole.of("hanging_transactions").items() if row["verdict"] == "held"}
    (hung,) = [row for row in whole.rows["hanging_transactions"] if row["verdict"] == "hanging"]
    said = (row for row in killed.said["producer"] if row.get("current_txn_start_offset") is not None)
    opened = by(said, "topic", "partition", "producer_id")
    unseen = {(*one, -1) for one in leaderless(killed)}
    assert rows.keys() == unseen | opened.keys()
    assert {row["transactional_id"] for row in befores.values()} == {"open", "veiled-open"}
    same = ("producer_id", "producer_epoch", "current_txn_start_offset", "transactional_id", "first_seen_at", "verdict")
    for one, before in befores.items():
        held = rows[one]
        assert {name: held[name] for name in same} == {name: before[name] for name in same}
        assert {name: held[name] for name in same[:3]} == {name: opened[one][name] for name in same[:3]}
        assert held["transactional_id"] in written(killed)
        assert (held["previous_census_id"], held["censuses_hanging"]) == (whole.census_id, 0)
    for one in unseen:
        row = rows[one]
        assert (row["verdict"], row["censuses_hanging"]) == ("unknown", 0)
        assert row["reason"]
    assert key(hung) in leaderless(killed)


def test_the_killed_voter_is_behind(killed: Surveyed) -> None:
    """It is still a voter, as the Java client reports. The leader knows its end, unless broker 3 was the leader."""
    rows = by(killed.rows["quorum"], "replica_id")
    wanted = {
        row["replica_id"]: {
            "role": "voter" if row["is_voter"] else "observer",
            "is_leader": row["replica_id"] == row["leader_id"],
            "leader_id": row["leader_id"],
            "leader_epoch": row["leader_epoch"],
            "caught_up": row["replica_id"] != LOST or (None if row["log_end_offset"] < 0 else False),
        }
        for row in killed.said["quorum"]
    }
    assert differences(rows, wanted) == []
    assert rows[LOST]["role"] == "voter"
    assert [name for name, row in rows.items() if row["reason"] is not None] == [LOST]


def test_what_a_topic_has_is_known_but_for_what_broker_3_had(whole: Surveyed, killed: Surveyed) -> None:
    """Replica bytes are unknown for topics with replicas on it, leader bytes and growth for topics without a leader."""
    rows, earlier = test_topics.topics_of(killed), test_topics.topics_of(whole)
    assert differences(rows, dict(test_topics.wanted_topics(killed.said))) == []
    lost = {row["topic"] for row in killed.said["partition"] if LOST in row["replicas"]}
    unread = f"DescribeLogDirs was not read from broker {LOST} (BROKER_NOT_ALIVE)"
    assert {name: row["replica_bytes_reason"] for name, row in rows.items()} == {
        name: unread if name in lost else None for name in rows
    }
    unled = {topic for topic, _ in leaderless(killed)}
    for name, row in rows.items():
        if name in unled:
            assert (row["growth_bytes"], row["growth_reason"]) == (None, row["leader_bytes_reason"])
            assert "has no leader" in row["leader_bytes_reason"]
        else:
            grown = row["leader_bytes"] - earlier[name]["leader_bytes"]
            assert (row["growth_bytes"], row["growth_reason"]) == (grown, None)
            assert (row["previous_census_id"], row["growth_since"]) == (whole.census_id, earlier[name]["observed_at"])
    assert rows["trimmed"]["retention_ms"] == 86_400_000
    assert {bool(row["groups_reason"]) for row in rows.values()} == {True}


def test_a_partition_without_a_leader_is_a_row_of_each_walk_that_says_so(lake: Operator, killed: Surveyed) -> None:
    """It hides no other partition: their leaders answer."""
    found, every = landed(lake), {key(row) for row in killed.said["partition"]}
    for walk in [one.walk for one in KEYED if one.rpc in {"ListOffsets", "DescribeProducers"}]:
        rows = rows_in(found[walk], *walk)
        failed = {key(row): error_name(row["error_code"]) for row in rows if row["error_code"]}
        assert failed == dict.fromkeys(leaderless(killed), "NOT_LEADER_OR_FOLLOWER"), walk
        assert {key(row) for row in rows} == every, walk


@pytest.mark.parametrize("rpc", ["OffsetFetch", "DescribeTransactions"])
def test_a_coordinator_that_was_killed_is_not_waited_for(cluster: KafkaCluster, killed: Surveyed, rpc: str) -> None:
    """Keys that a plan had placed there are located again, and all are answered by their current coordinators."""
    (listing,) = (one for one in KEYED if one.rpc == rpc)
    servers = cluster.admin_servers
    keys = tuple(sorted({row[listing.columns[0]] for row in killed.said[listing.kind]}))
    host, port = servers.split(",")[LOST - 1].rsplit(":", 1)
    got = pages(servers, *listing.walk, keys, at=Endpoint(LOST, host, int(port)))
    assert items(listing, got) == in_columns(killed.said[listing.kind], [listing])[listing.name]
    assert {page.chain.node_id for page in got} <= cluster.alive
