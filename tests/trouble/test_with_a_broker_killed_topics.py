"""topics and group_members again with broker 3 killed, after a census with all brokers."""

from harness.trouble import LOST
from trouble import test_groups, test_topics
from trouble.conftest import Surveyed
from trouble.test_partitions import differences
from trouble.test_with_a_broker_killed import leaderless, readable


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


def test_members_are_of_the_groups_that_are_still_listed(killed: Surveyed) -> None:
    rows = killed.of("group_members")
    assert differences(rows, dict(test_groups.wanted_members(readable(killed.said)))) == []
