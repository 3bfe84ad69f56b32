"""One row per group and partition, with any number of answers and members."""

from pyspark.sql import SparkSession

from spark.group_items import classic, committed, ends, group, lag, share, share_offset, silent, topic


def test_what_was_reported_last_counts_with_its_note(spark: SparkSession) -> None:
    """An offset in two answers is taken entirely from the later one: removed metadata are not kept."""
    rows = lag(
        spark,
        group("g"),
        topic("t", 4),
        {
            "offsets": [
                committed("g", "t", 0, 9, metadata="later", received=5),
                committed("g", "t", 0, 8, metadata="earlier", received=4),
                committed("g", "t", 1, 8, metadata="earlier", received=4),
                committed("g", "t", 1, 9, metadata="", received=5),
                committed("g", "t", 2, 8, leader_epoch=3, received=4),
                committed("g", "t", 2, None, error_code=29, received=5),
                committed("g", "t", 3, 7, metadata="only"),
            ]
        },
    )
    reported = {partition: (row.committed_offset, row.metadata) for (_, _, partition), row in rows.items()}
    assert reported == {0: (9, "later"), 1: (9, ""), 2: (None, None), 3: (7, "only")}
    assert rows["g", "t", 2].committed_leader_epoch is None


def test_members_of_one_partition_are_gathered_and_those_of_others_stay_apart(spark: SparkSession) -> None:
    """Two members that share a partition during a rebalance are one row; their other partitions are rows, too."""
    rows = lag(
        spark,
        group("g"),
        classic("g", "m-2", t=[0, 1]),
        classic("g", "m-1", t=[1], u=[0]),
        silent("g"),
        group("alone"),
        classic("alone", "m-3", t=[0], u=[0]),
        silent("alone"),
        topic("t", 2),
        topic("u"),
    )
    assert {key: (row.member_ids, row.client_ids) for key, row in rows.items()} == {
        ("g", "t", 0): (["m-2"], ["client-m-2"]),
        ("g", "t", 1): (["m-1", "m-2"], ["client-m-1", "client-m-2"]),
        ("g", "u", 0): (["m-1"], ["client-m-1"]),
        ("alone", "t", 0): (["m-3"], ["client-m-3"]),
        ("alone", "u", 0): (["m-3"], ["client-m-3"]),
    }


def test_committed_or_assigned_is_enough(spark: SparkSession) -> None:
    """Partitions of either kind, or of both, have one row; share groups' start offsets count as offsets."""
    rows = lag(
        spark,
        group("g"),
        classic("g", "m", t=[0, 1]),
        group("s", "share"),
        share("s", "m-1", t=[0]),
        share("s", "m-2", t=[0]),
        topic("t", 3),
        *[ends("t", partition, start=0, end=9) for partition in range(3)],
        {
            "offsets": [committed("g", "t", 1, 5), committed("g", "t", 2, 6)],
            "share_offsets": [share_offset("s", "t", 0, 4, 5)],
        },
    )
    assert {key: (row.committed_offset, row.member_ids) for key, row in rows.items()} == {
        ("g", "t", 0): (None, ["m"]),
        ("g", "t", 1): (5, ["m"]),
        ("g", "t", 2): (6, []),
        ("s", "t", 0): (4, ["m-1", "m-2"]),
    }
