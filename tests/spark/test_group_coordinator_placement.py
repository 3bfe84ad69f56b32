"""Formula, listing and FindCoordinator are compared for every group, and every disagreement has a name."""

from typing import Any

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.testing import assertDataFrameEqual

from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from spark.landed_items import CENSUS, CLUSTER, REDPANDA, Item, at, compute, item, missing_read, rows_by
from spark.placed_ids import found, internal, refused

TABLE = GROUP_COORDINATOR_PLACEMENT
OFFSETS = "__consumer_offsets"
TWENTY = "c"  # hash 99: partition 1 of 2, led by broker 20
TEN = "b"  # hash 98: partition 0 of 2, led by broker 10


def offsets(leaders: tuple[int | None, ...] = (10, 20), **columns: Any) -> dict[str, list[Item]]:
    """__consumer_offsets, with one leader per partition."""
    return internal(OFFSETS, leaders, **columns)


def listed(group: str, broker: int, received: int = 2, state: str = "Stable") -> Item:
    """A group in a broker's ListGroups."""
    return item(broker, received, group_id=group, protocol_type="consumer", group_state=state, group_type="classic")


def placed(spark: SparkSession, groups: list[Item], coordinators: list[Item], **more: Any) -> dict[str, Row]:
    """The table by group id."""
    roles = offsets() | more
    return rows_by(compute(spark, TABLE, groups=groups, coordinators=coordinators, **roles), "group_id")


def test_a_group_where_all_three_agree(spark: SparkSession) -> None:
    """Every column of the simplest row."""
    computed = compute(spark, TABLE, groups=[listed(TWENTY, 20)], coordinators=[found(TWENTY, 20)], **offsets())
    head = (CENSUS, CLUSTER, at(3), TWENTY, "classic", "Stable", "consumer")
    placement = (99, 1, 2, 20, None, [20], 20, "host-20", 9092, None, "agree", None)
    expected = spark.createDataFrame([(*head, *placement)], TABLE.computed)
    assertDataFrameEqual(computed, expected, ignoreNullable=True)


def test_polygenelubricants_the_empty_id_and_astral_characters_are_placed_as_kafka_does(spark: SparkSession) -> None:
    """The absolute value of the smallest int is 0; hashes run over UTF-16 units; an empty id is a valid group id."""
    expected = {"polygenelubricants": (-(2**31), 0), "": (0, 0), "é": (233, 33), "😀": (1772899, 49)}
    groups = [listed(group, 10) for group in expected]
    rows = placed(spark, groups, [], **offsets(tuple([10] * 50)))
    assert {group: (row.hash, row.offsets_partition) for group, row in rows.items()} == expected


def test_every_disagreement_has_a_name(spark: SparkSession) -> None:
    """All ids are of partition 0, which broker 10 leads.

    grown      brokers hash with the number of partitions at their start: the formula names another broker than Kafka
    left       only a broker that is not its coordinator lists the group, and nobody can reach it there
    twice      while a coordinator moves, both brokers may list the group; the later answer's state counts
    nowhere    FindCoordinator names a coordinator whose list lacks the group
    denied     it may be listed but not described; `odd` has a code without a name here
    old        ListGroups below v4 has no state, below v5 no type: null, not a guess
    """
    grown, left, twice, nowhere, denied, odd, old = "bdfhjln"
    ancient = item(10, group_id=old, protocol_type="consumer", group_state=None, group_type=None)
    groups = [*(listed(group, 10) for group in (denied, odd)), *(listed(group, 30) for group in (grown, left, twice))]
    coordinators = [found(grown, 30), *(found(group, 10) for group in (left, twice, nowhere, old))]
    refusals = [refused(denied, 30, "Not authorized"), refused(odd, 999)]
    rows = placed(spark, [*groups, listed(twice, 10, 4, "Empty"), ancient], [*coordinators, *refusals])
    why = "broker 10 leads partition 0 of __consumer_offsets, coordinator 30: the topic grew since brokers started, "
    told = {group: (row.agreement, row.listed_by, row.group_state, row.reason) for group, row in rows.items()}
    elsewhere, lacking = told.pop(left), told.pop(nowhere)
    assert elsewhere[:3] == ("listed_elsewhere", [30], "Stable")
    assert elsewhere[3].startswith("listed by broker 30, coordinator 10")
    assert lacking[:3] == ("listed_nowhere", [], None)
    assert told == {
        grown: ("formula_differs", [30], "Stable", f"{why}or the leader moved"),
        twice: ("listed_twice", [10, 30], "Empty", "listed by brokers 10, 30, coordinator 10"),
        denied: ("unknown", [10], "Stable", "FindCoordinator: GROUP_AUTHORIZATION_FAILED: Not authorized"),
        odd: ("unknown", [10], "Stable", "FindCoordinator: ERROR_999"),
        old: ("agree", [10], None, None),
    }
    assert (rows[grown].expected_coordinator, rows[grown].found_coordinator) == (10, 30)
    assert rows[twice].observed_at == at(4).replace(tzinfo=None)
    assert (rows[odd].found_error, rows[old].group_type) == ("ERROR_999", None)


def test_the_formula_is_not_reported_of_redpanda(spark: SparkSession) -> None:
    """Redpanda hashes ids in another way: the formula's columns are null, and no topic is said to have grown."""
    theirs = {"cluster_id": REDPANDA}
    groups = [dict(listed(TEN, 30)) | theirs, dict(listed(TWENTY, 20)) | theirs]
    rows = placed(spark, groups, [dict(found(TEN, 30)) | theirs, dict(refused(TWENTY, 15)) | theirs])
    row = rows[TEN]
    assert (row.offsets_partition, row.expected_coordinator, row.found_coordinator) == (None, None, 30)
    assert row.expected_reason == "the formula does not apply: Redpanda places ids by a hash of its own"
    assert (row.agreement, row.reason) == ("unknown", f"no expected coordinator: {row.expected_reason}")
    assert rows[TWENTY].agreement == "no_coordinator"
    assert rows[TWENTY].reason == "FindCoordinator: COORDINATOR_NOT_AVAILABLE"


def test_group_listed_by_none_is_unknown_where_its_list_was_not_read(spark: SparkSession) -> None:
    """A missing list proves nothing about the group."""
    missing = [missing_read("ListGroups", "groups", 10, "CONNECTION_FAILED")]
    row = placed(spark, [], [found(TEN, 10)], missing=missing)[TEN]
    assert (row.agreement, row.reason) == ("unknown", "ListGroups was not read from broker 10 (CONNECTION_FAILED)")


def test_leaderless_offsets_partition_has_no_coordinator(spark: SparkSession) -> None:
    """COORDINATOR_NOT_AVAILABLE, because the group's partition has no leader."""
    rows = placed(spark, [listed(TEN, 10)], [refused(TEN, 15)], **offsets((-1, 20)))
    row = rows[TEN]
    assert (row.agreement, row.found_error) == ("no_coordinator", "COORDINATOR_NOT_AVAILABLE")
    assert (row.expected_coordinator, row.found_coordinator, row.found_host, row.found_port) == (None,) * 4
    assert row.expected_reason == row.reason == "partition 0 of __consumer_offsets has no leader"


def test_no_coordinator_says_which_of_kafkas_causes_it_is(spark: SparkSession) -> None:
    """Kafka has one code for a fenced leader, one without the listener, and one that is not ready."""
    leaders = {"c": 10, "a": 20, "b": 30}  # hashes 99, 97 and 98: partitions 0, 1 and 2 of 3
    rows = placed(
        spark,
        [listed(group, leader) for group, leader in leaders.items()],
        [refused(group, 15) for group in leaders],
        **offsets((10, 20, 30)) | {"brokers": [item(node_id=10, is_fenced=True), item(node_id=30, is_fenced=False)]},
    )
    assert {group: (row.agreement, row.reason) for group, row in rows.items()} == {
        "c": ("no_coordinator", "broker 10, leader of partition 0, is fenced"),
        "a": (
            "no_coordinator",
            "broker 20, leader of partition 1, has no endpoint on the listener that was asked, or is not alive",
        ),
        "b": ("no_coordinator", "broker 30, leader of partition 2, does not coordinate yet"),
    }


def test_offsets_topic_that_is_not_seen_leaves_the_formula_open(spark: SparkSession) -> None:
    """Without the topic FindCoordinator is not asked, since the request would create it; listing and hash are kept."""
    refusal = refused(TEN, -106, "__consumer_offsets was not seen")
    row = placed(spark, [listed(TEN, 10)], [refusal], partitions=[], topics=[])[TEN]
    assert (row.hash, row.offsets_partition, row.offsets_partitions, row.expected_coordinator) == (98, None, None, None)
    assert (
        row.expected_reason == "__consumer_offsets is not listed: it does not exist or is not visible to this principal"
    )
    assert (row.agreement, row.found_error, row.listed_by) == ("unknown", "NOT_ASKED", [10])
    assert row.reason == "FindCoordinator: NOT_ASKED: __consumer_offsets was not seen"


def test_missing_metadata_is_not_taken_for_a_missing_topic(spark: SparkSession) -> None:
    """An answer that was not read is named, and nothing is concluded from its absence."""
    missing = [missing_read("Metadata", "names", None, "DEADLINE_EXCEEDED")]
    row = placed(spark, [listed(TEN, 10)], [found(TEN, 10)], partitions=[], topics=[], missing=missing)[TEN]
    assert (row.agreement, row.expected_reason) == ("unknown", "Metadata was not read (DEADLINE_EXCEEDED)")
    assert row.reason == "no expected coordinator: Metadata was not read (DEADLINE_EXCEEDED)"


@pytest.mark.parametrize(
    ("partitions", "missing", "why"),
    [
        ([item(topic=OFFSETS, error_code=29)], [], "TOPIC_AUTHORIZATION_FAILED"),
        (
            [],
            [missing_read("DescribeTopicPartitions", "topics", None, "REQUEST_TIMED_OUT")],
            "DescribeTopicPartitions was not read (REQUEST_TIMED_OUT)",
        ),
        ([], [], "it is not in the answer"),
    ],
)
def test_undescribed_offsets_partition_says_why(
    spark: SparkSession, partitions: list[Item], missing: list[MissingRead], why: str
) -> None:
    """The number of partitions is known from the listing, the leader is not known."""
    row = placed(spark, [listed(TEN, 10)], [found(TEN, 10)], partitions=partitions, missing=missing)[TEN]
    assert (row.offsets_partition, row.expected_coordinator, row.agreement) == (0, None, "unknown")
    assert row.expected_reason == f"partition 0 of __consumer_offsets was not described: {why}"


def test_group_without_an_answer_of_find_coordinator_is_unknown(spark: SparkSession) -> None:
    """Its window of keys is missing: the row stays, and its found columns are null with the reason."""
    missing = [missing_read("FindCoordinator", "groups", None, "DEADLINE_EXCEEDED")]
    row = placed(spark, [listed(TEN, 10)], [], missing=missing)[TEN]
    assert (row.agreement, row.found_coordinator, row.found_error) == ("unknown", None, None)
    assert row.reason == "FindCoordinator was not read (DEADLINE_EXCEEDED)"
