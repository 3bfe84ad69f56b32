"""group_coordinator_placement, coordinator_load and deletable_groups, compared with the Java AdminClient.

`__consumer_offsets` was grown from 8 to 10 partitions after the brokers had started. They still hash to 8, and only
FindCoordinator shows it: the Java client names a group's coordinator, and no partition. It reports neither groups
whose coordinator differs from the topic's size, nor the groups that the loss of a broker would affect.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from scipy.stats import chi2

from harness.kafka_cluster import KafkaCluster
from harness.trouble import OFFSETS, SPELLINGS
from kafka_emulator.arithmetic import java_hash, partition_for
from trouble.conftest import Row, Surveyed
from trouble.test_partitions import differences

STATE = "__transaction_state"
AT_START = 8
"""Partitions of `__consumer_offsets` when the brokers started."""

Position = tuple[str, int, int]
"""Topic, partition and offset."""


def described(said: Mapping[str, list[Row]], topic: str) -> dict[int, Row]:
    return {row["partition"]: row for row in said["partition"] if row["topic"] == topic}


def coordinators(said: Mapping[str, list[Row]], kind: str) -> dict[str, int]:
    return {row["key"]: row["node_id"] for row in said[f"{kind}_coordinator"]}


def members(said: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
    """The members by group, as the RPC of its type describes them; one row without a member for an empty group."""
    rows: dict[str, list[Row]] = {}
    for kind in ("classic_member", "consumer_member", "share_member", "streams_member"):
        for row in said[kind]:
            rows.setdefault(row["group_id"], []).append(row)
    return rows


def member_count(rows: list[Row]) -> int:
    return sum("member_id" in row for row in rows)


def wanted_placement(said: Mapping[str, list[Row]], bootstrap: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A group and its columns of group_coordinator_placement; `bootstrap` are the bootstrap servers of the census.

    The Java client merges the listings of brokers. The coordinator that describes a group lists it; no other broker
    can, because no broker was restarted since the topic grew.
    """
    endpoints = dict(zip(sorted(said["cluster"][0]["nodes"]), bootstrap.split(","), strict=True))
    partitions, found = described(said, OFFSETS), coordinators(said, "group")
    for group in said["group"]:
        name = group["group_id"]
        host, port = endpoints[found[name]].rsplit(":", 1)
        partition = partition_for(name, len(partitions))
        leader = partitions[partition]["leader"]
        yield (
            name,
            {
                "group_type": group["group_type"].lower(),
                "group_state": group["group_state"],
                "protocol_type": group["protocol_type"],
                "hash": java_hash(name),
                "offsets_partition": partition,
                "offsets_partitions": len(partitions),
                "expected_coordinator": leader,
                "expected_reason": None,
                "listed_by": [found[name]],
                "found_coordinator": found[name],
                "found_host": host,
                "found_port": int(port),
                "found_error": None,
                "agreement": "agree" if leader == found[name] else "formula_differs",
            },
        )


def test_every_group_is_placed_as_the_java_client_finds_it(whole: Surveyed, cluster: KafkaCluster) -> None:
    placed = whole.of("group_coordinator_placement")
    assert differences(placed, dict(wanted_placement(whole.said, cluster.bootstrap_servers))) == []
    assert {row["group_type"] for row in placed.values()} == {"classic", "consumer", "share", "streams"}
    assert set(SPELLINGS) < placed.keys()
    hashes = {"polygenelubricants": -(2**31), "": 0, "é": 0xE9, "\U0001f600": 31 * 0xD83D + 0xDE00}
    assert {name: placed[name]["hash"] for name in hashes} == hashes
    assert {placed[name]["offsets_partition"] for name in ("polygenelubricants", "")} == {0}


def test_a_grown_offsets_topic_is_reported_where_kafkas_client_is_silent(whole: Surveyed) -> None:
    """Brokers hash to the 8 partitions of their start: the formula gives another broker, and the row says why."""
    leaders = {number: row["leader"] for number, row in described(whole.said, OFFSETS).items()}
    assert len(leaders) > AT_START
    found = coordinators(whole.said, "group")
    assert {name: leaders[partition_for(name, AT_START)] for name in found} == found
    now = {name: leaders[partition_for(name, len(leaders))] for name in found}
    differ = {name for name in found if now[name] != found[name]}
    assert 0 < len(differ) < len(found)
    reasons = {
        name: row["reason"]
        for name, row in whole.of("group_coordinator_placement").items()
        if row["reason"] is not None
    }
    assert reasons == {
        name: f"broker {now[name]} leads partition {partition_for(name, len(leaders))} of {OFFSETS}, coordinator "
        f"{found[name]}: the topic grew since brokers started, or the leader moved"
        for name in differ
    }


def next_leader(partition: Row, alive: set[int]) -> int | None:
    """The next leader of a partition that loses its leader: the first replica in sync, else the first eligible one."""
    others = [replica for replica in partition["replicas"] if replica != partition["leader"]]
    eligible = [replica for replica in others if replica in partition["elr"] and replica in alive]
    return next(iter([replica for replica in others if replica in partition["isr"]] + eligible), None)


def wanted_load(said: Mapping[str, list[Row]]) -> dict[int, dict[str, Any]]:
    """The columns of coordinator_load, by broker, without p-values and the columns that depend on them."""
    alive = set(said["cluster"][0]["nodes"])
    brokers = alive | {replica for row in said["partition"] for replica in row["replicas"]}
    found, member_rows = coordinators(said, "group"), members(said)
    wanted: dict[int, dict[str, Any]] = {
        broker: {
            "broker_state": "alive" if broker in alive else "not_alive",
            "members": sum(member_count(rows) for name, rows in member_rows.items() if found[name] == broker),
            "groups_undescribed": 0,
            "members_reason": None,
            "if_lost": [],
        }
        for broker in brokers
    }
    heirs: dict[int, dict[int, Counter[str]]] = {broker: {} for broker in brokers}
    for ids, kind, topic, led in (
        ("groups", "group", OFFSETS, "offsets_partitions_led"),
        ("transactional_ids", "transaction", STATE, "transactions_partitions_led"),
    ):
        partitions, holders = described(said, topic), coordinators(said, kind)
        for broker, row in wanted.items():
            mine = {number: one for number, one in partitions.items() if one["leader"] == broker}
            held = Counter(partition_for(name, len(partitions)) for name, node in holders.items() if node == broker)
            stranded = 0
            for number, partition in mine.items():
                heir = next_leader(partition, alive)
                if heir is None:
                    stranded += held[number]
                else:
                    heirs[broker].setdefault(heir, Counter())[ids] += held[number]
            row |= {
                ids: held.total(),
                f"{ids}_reason": None,
                led: len(mine),
                f"{led}_reason": None,
                f"{ids}_expected": pytest.approx(len(holders) * len(mine) / len(partitions)),
                f"{ids}_stranded": stranded,
                f"{ids}_unforeseen": sum(count for number, count in held.items() if number not in mine),
                f"{ids}_unplaced": 0,
            }
    for broker, taken in heirs.items():
        wanted[broker]["if_lost"] = [
            {"broker_id": heir, "groups": counts["groups"], "transactional_ids": counts["transactional_ids"]}
            for heir, counts in sorted(taken.items())
        ]
    return wanted


def test_what_each_broker_coordinates_is_what_the_java_client_finds_there(whole: Surveyed) -> None:
    wanted = wanted_load(whole.said)
    assert differences(whole.of("coordinator_load"), wanted) == []
    # The offsets have one replica: no broker takes over. The transactions' state has three: all have an heir.
    # (Kafka chooses the leaders of offsets partitions: a broker may coordinate no group.)
    assert all(row["groups_stranded"] + row["groups_unforeseen"] == row["groups"] for row in wanted.values())
    assert sum(row["groups"] for row in wanted.values()) == len(whole.said["group_coordinator"]) > 0
    assert any(row["groups_unforeseen"] for row in wanted.values())
    inherited = [heir["transactional_ids"] for row in wanted.values() for heir in row["if_lost"]]
    assert sum(inherited) == len(whole.said["transaction_coordinator"]) > 0


def test_the_spread_of_ids_is_pearsons(whole: Surveyed) -> None:
    """For the whole cluster, by formula, the same in every row; the distribution is SciPy's."""
    for ids, kind, topic in (("groups", "group", OFFSETS), ("transactional_ids", "transaction", STATE)):
        names, count = coordinators(whole.said, kind), len(described(whole.said, topic))
        held, share = Counter(partition_for(name, count) for name in names), len(names) / count
        assert share >= 1
        statistic = sum((held[number] - share) ** 2 / share for number in range(count))
        chance = float(chi2.sf(statistic, count - 1))
        skew = "wrong" if chance < 1e-6 else "unlucky" if chance < 0.01 else "fair"
        for row in whole.rows["coordinator_load"]:
            numbers = row[f"{ids}_chi_square"], row[f"{ids}_p_value"]
            assert numbers == pytest.approx((statistic, chance), rel=1e-9)
            assert (row[f"{ids}_skew"], row[f"{ids}_skew_reason"]) == (skew, None)


def wanted_members(said: Mapping[str, list[Row]]) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    """Group and member, and its columns of group_members. A streams group's task is a partition of its only topic."""
    types = {row["group_id"]: row for row in said["group"]}
    for rows in members(said).values():
        for row in (row for row in rows if "member_id" in row):
            # Subtopologies of the group read the same topic, and have the same tasks.
            tasks = {topic: parts for _, parts in row.get("active_tasks", ()) for topic in row["source_topics"]}.items()
            assignment = [(topic, sorted(parts)) for topic, parts in row.get("assignment", tasks)]
            group = types[row["group_id"]]
            yield (
                (row["group_id"], row["member_id"]),
                {
                    "status": "described",
                    "reason": None,
                    "group_type": group["group_type"].lower(),
                    "group_state": row["group_state"],
                    "protocol_type": group["protocol_type"],
                    "client_id": row["client_id"],
                    "client_host": row["client_host"],
                    "instance_id": row.get("instance_id", row.get("group_instance_id")),
                    "rack_id": row["rack_id"],
                    "partitions": sum(len(parts) for _, parts in assignment),
                    "assignment": [{"topic": topic, "partitions": parts} for topic, parts in sorted(assignment)],
                    "assignment_reason": None,
                    # Java does not tell it of a share group.
                    "assignor": row.get("assignor_name", row.get("protocol", "simple")),
                    # No broker here has a plugin that stores topologies.
                    "topology_status": "NOT_STORED" if group["group_type"].lower() == "streams" else None,
                    "subtopologies": None,
                    "source_topics": [],
                    "stores": [],
                },
            )


def test_every_member_is_as_the_java_client_describes_it(whole: Surveyed) -> None:
    rows, wanted = whole.of("group_members"), dict(wanted_members(whole.said))
    assert differences(rows, wanted) == []
    assert {row["group_type"] for row in wanted.values()} == {"classic", "consumer", "share", "streams"}
    assert {row["instance_id"] is None for row in wanted.values()} == {True, False}
    assert {row["rack_id"] for row in wanted.values()} == {None, "r"}
    assert all(row["client_host"].startswith("/") for row in rows.values())


def offsets(said: Mapping[str, list[Row]]) -> dict[str, set[Position] | None]:
    """The committed offsets by group; None where a share group's start offset is unknown."""
    reported: dict[str, set[Position] | None] = {}
    for row in said["group_offset"]:
        held = reported.setdefault(row["group_id"], set())
        if "topic" in row and held is not None:
            held.add((row["topic"], row["partition"], row["committed_offset"]))
    for group in {row["group_id"] for row in said["share_offset"]}:
        rows = [row for row in said["share_offset"] if row["group_id"] == group and "topic" in row]
        known = all(row["start_offset"] is not None for row in rows)
        reported[group] = {(row["topic"], row["partition"], row["start_offset"]) for row in rows} if known else None
    return reported


def wanted_deletable(said: Mapping[str, list[Row]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A group and its columns of deletable_groups, in a first census: no offset can have moved yet."""
    partitions = {(row["topic"], row["partition"]) for row in said["partition"]}
    ends = {(row["topic"], row["partition"]): row["offset"] for row in said["latest"]}
    reported, member_rows = offsets(said), members(said)
    for group in said["group"]:
        name, held = group["group_id"], reported[group["group_id"]]
        count, state = member_count(member_rows[name]), member_rows[name][0]["group_state"]
        gone = {one for one in held or () if one[:2] not in partitions}
        pieces = {
            "empty": (state, count) == ("Empty", 0),
            "no_offsets": held == set(),
            "topics_gone": bool(held) and gone == held,
        }
        verdict = "in_use" if count else "deletable" if pieces["no_offsets"] else "undecided"
        younger = "Metadata lists none of its topics: they are deleted, or were created since; the next census tells"
        first = "no previous census to compare its offsets with"
        reasons = {
            "in_use": f"it is {state}, members: {count}",
            "deletable": None,
            "undecided": younger if pieces["topics_gone"] else first,
        }
        yield (
            name,
            {
                "verdict": verdict,
                "deletable": verdict == "deletable",
                "reason": reasons[verdict],
                "evidence": [piece for piece, holds in pieces.items() if holds],
                "group_type": group["group_type"].lower(),
                "group_state": state,
                "members": count,
                "protocol_type": group["protocol_type"],
                "commits_only": group["protocol_type"] == "",
                "censuses_empty": int(pieces["empty"] and held is not None),
                "committed_partitions": None if held is None else len(held),
                "partitions_gone": None if held is None else len(gone),
                "offsets_moved": None,
                "offsets_removed": None,
                "end_offsets": None if held is None else sum(ends[one[:2]] for one in held - gone),
                "end_offsets_grew": None,
                "censuses_left_behind": 0,
                "previous_census_id": None,
            },
        )


def test_what_may_be_deleted_is_judged_by_what_the_java_client_sees(whole: Surveyed) -> None:
    """State, members and offsets; `kafka-consumer-groups --delete` would delete every group that is Empty."""
    rows, wanted = whole.of("deletable_groups"), dict(wanted_deletable(whole.said))
    assert differences(rows, wanted) == []
    verdicts = {row["verdict"] for row in wanted.values() if row["group_state"] == "Empty"}
    assert verdicts == {"deletable", "undecided"}
    assert any(row["partitions_gone"] for row in wanted.values())
    assert any("topics_gone" in row["evidence"] for row in wanted.values())
    assert wanted["left"]["evidence"] == wanted["before"]["evidence"] == ["empty"]
    # Equal fingerprints are equal offsets.
    reported = {name: frozenset(held) for name, held in offsets(whole.said).items() if held is not None}
    prints = {name: row["offsets_fingerprint"] for name, row in rows.items() if row["offsets_fingerprint"] is not None}
    assert prints.keys() == reported.keys()
    pairs = {(reported[name], prints[name]) for name in reported}
    assert len(pairs) == len(set(reported.values())) == len(set(prints.values())) < len(reported)
    assert (frozenset(), 0) in pairs
