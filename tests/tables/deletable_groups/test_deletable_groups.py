"""Evidence is collected census by census: no group that is alive, or that was not read, looks deletable."""

from collections import defaultdict
from typing import Any

from pyspark.sql import Row

from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS as TABLE
from spark.cases import Case, Stories, Story, each_case, told
from spark.landed_items import Item, at, item, missing_read, published

Seen = dict[str, list[Item]]
Offsets = dict[tuple[str, int], int | None]
Told = dict[str, Row]
AT_FIVE: Offsets = {("t", 0): 5}


def group(
    group_id: str,
    state: str | None = "Empty",
    offsets: Offsets | None = None,
    *,
    kind: str | None = "classic",
    members: int = 0,
    **listed: Any,
) -> Seen:
    """A group as one census sees it: listed by its coordinator, described by the RPC of its type, with its offsets.

    A state of None was not described; offsets of None were not read.
    """
    row = {"group_state": state, "protocol_type": "consumer", "listed_by": [1], "found_coordinator": 1}
    seen: Seen = {"groups": [published(0, group_id=group_id, group_type=kind, **row | listed)]}
    if state is not None:
        head = {"group_id": group_id, "error_code": 0, "group_state": state}
        names = [f"m{number}" for number in range(members)] or [None]
        seen[kind or "classic"] = [item(1, 1, **head, member_id=name) for name in names]
    if offsets is not None:
        share = kind == "share"
        column = "start_offset" if share else "committed_offset"
        reported = [{"topic": topic, "partition": part, column: offset} for (topic, part), offset in offsets.items()]
        items = [item(1, 2, **{"group_id": group_id, "error_code": 0} | one) for one in reported or [{}]]
        seen["share_offsets" if share else "offsets"] = items
    return seen


def census(
    minute: int, *groups: Seen, ends: Offsets | None = None, missing: Any = (), **previous: Told
) -> dict[str, Any]:
    """What is read in a census that began `minute` minutes after noon; topics and ends default to t/0 at 100.

    Its previous census is the one before in the story, unless given.
    """
    reported = {("t", 0): 100} if ends is None else ends
    roles: defaultdict[str, list[Item]] = defaultdict(list)
    for seen in groups:
        for role, items in seen.items():
            roles[role] += items
    for (topic, partition), end in reported.items():
        code = 0 if end is not None else 6
        roles["ends"].append(item(1, 3, topic=topic, partition=partition, error_code=code, offset=end))
    counts = {topic: 1 + max(part for name, part in reported if name == topic) for topic, _ in reported}
    roles["topics"] = [item(topic=topic, partition_count=count, error_code=0) for topic, count in counts.items()]
    by_role = {role: [_later(one, minute) for one in items] for role, items in roles.items()}
    before = {role: [row.asDict() for row in rows.values()] for role, rows in previous.items()}
    return {"missing": missing} | by_role | before


def _later(one: Item, minute: int) -> Item:
    times = {
        name: value + (at(60 * minute) - at(0)) for name, value in one.items() if name in ("received_at", "observed_at")
    }
    return {**one, **times}


STORIES = Stories(TABLE, lambda row: row.group_id)


@STORIES.story
def a_group_whose_topics_go_on_without_it_is_left_behind() -> Story:
    """The run and its counts grow census by census; a group whose topics do not grow stays undecided."""
    idle: Offsets = {("quiet", 0): 7}
    seen = (group("left", offsets=AT_FIVE), group("quiet", offsets=idle))
    first = yield census(0, *seen, ends={("t", 0): 100, ("quiet", 0): 7})
    second = yield census(10, *seen, ends={("t", 0): 130, ("quiet", 0): 7})
    third = yield census(20, *seen, ends={("t", 0): 130, ("quiet", 0): 7})
    left = third["left"]
    assert [rows["left"].verdict for rows in (first, second, third)] == ["undecided", "deletable", "deletable"]
    assert (left.censuses_empty, left.censuses_left_behind, left.evidence) == (3, 1, ["empty", "left_behind"])
    assert left.empty_since == left.offsets_unchanged_since == first["left"].observed_at
    assert (second["left"].end_offsets_grew, left.end_offsets_grew, left.offsets_moved) == (True, False, False)
    quiet = third["quiet"]
    assert (quiet.verdict, quiet.evidence, quiet.censuses_empty) == ("undecided", ["empty"], 3)
    assert quiet.reason == "neither its offsets nor the end offsets of its partitions have moved"


@STORIES.story
def an_empty_group_whose_offsets_move_is_alive() -> Story:
    """assign(), Flink, Spark and MirrorMaker commit without members: the run starts anew with each commit."""
    yield census(0, *_commits(5), group("adds", offsets=AT_FIVE))
    again = yield census(10, *_commits(5), group("adds", offsets=AT_FIVE))
    ends: Offsets = {("t", 0): 900, ("u", 0): 9}
    rows = yield census(20, *_commits(6), group("adds", offsets=AT_FIVE | {("u", 0): 2}), ends=ends)
    for name, row in rows.items():
        assert (again[name].censuses_empty, row.censuses_empty, row.censuses_left_behind) == (2, 1, 0), name
        assert (row.verdict, row.offsets_moved, row.deletable) == ("in_use", True, False)
        assert row.empty_since == row.offsets_unchanged_since == row.observed_at
    assert rows["assign"].reason == "an offset is new or moved since the previous census: somebody commits"
    assert (rows["assign"].commits_only, rows["adds"].commits_only) == (True, False)


@STORIES.story
def an_offset_that_is_removed_is_no_sign_of_life() -> Story:
    """Kafka expires offsets per partition and drops those of deleted topics: the run continues without a commit."""
    two = AT_FIVE | {("u", 0): 2}
    kinds = ("expires", "loses all", "moves as well")
    ends: Offsets = {("t", 0): 100, ("u", 0): 9}
    first = yield census(0, *(group(kind, offsets=two) for kind in kinds), ends=ends)
    left = {"expires": AT_FIVE, "loses all": {}, "moves as well": {("t", 0): 6}}
    second = yield census(10, *(group(kind, offsets=left[kind]) for kind in kinds), ends=ends)
    assert told(second, "verdict offsets_moved offsets_removed censuses_empty") == {
        "expires": ("undecided", False, 1, 2),
        "loses all": ("deletable", False, 2, 2),
        "moves as well": ("in_use", True, 2, 1),
    }
    expires = second["expires"]
    assert expires.empty_since == expires.offsets_unchanged_since == first["expires"].observed_at
    assert (expires.end_offsets_grew, expires.end_offsets) == (None, 100), "the sum is over other partitions"
    third = (yield census(20, group("expires", offsets=AT_FIVE), ends={("t", 0): 150}))["expires"]
    assert (third.verdict, third.evidence, third.offsets_removed) == ("deletable", ["empty", "left_behind"], 0)


@STORIES.story
def a_row_of_a_release_without_hashes_is_compared_as_a_whole() -> Story:
    """Which offsets changed is unknown: any change counts as a commit, and no change as none."""
    first = yield census(0, group("same", offsets=AT_FIVE), group("other", offsets=AT_FIVE | {("t", 1): 1}))
    older = {name: Row(**row.asDict() | {"offset_hashes": []}) for name, row in first.items()}
    rows = yield census(10, *(group(name, offsets=AT_FIVE) for name in ("same", "other")), previous=older)
    assert told(rows, "offsets_moved offsets_removed") == {"same": (False, None), "other": (True, None)}


def _commits(offset: int) -> tuple[Seen, ...]:
    """Groups that have committed that offset: one that never had members, and one of each other kind."""
    offsets: Offsets = {("t", 0): offset}
    kinds = [group(kind, offsets=offsets, kind=kind) for kind in ("consumer", "share", "streams")]
    return group("assign", offsets=offsets, protocol_type=""), *kinds


@STORIES.story
def offsets_that_swap_places_have_moved() -> Story:
    """The hash is over partitions with their offsets, because a sum would not change."""
    ends: Offsets = {("t", 0): 100, ("t", 1): 100}
    before = yield census(0, group("g", offsets={("t", 0): 5, ("t", 1): 6}), ends=ends)
    row = (yield census(10, group("g", offsets={("t", 1): 5, ("t", 0): 6}), ends=ends))["g"]
    assert row.offsets_moved
    same = (yield census(10, group("g", offsets={("t", 1): 6, ("t", 0): 5}), ends=ends, previous=before))["g"]
    assert not same.offsets_moved


@STORIES.story
def members_end_the_run() -> Story:
    """Counts from before the members do not continue; end offsets that grew meanwhile are no evidence."""
    first = yield census(0, group("g", offsets=AT_FIVE))
    second = yield census(10, group("g", "Stable", AT_FIVE, members=1), ends={("t", 0): 200})
    third = yield census(20, group("g", offsets=AT_FIVE), ends={("t", 0): 300})
    assert (second["g"].empty_since, second["g"].censuses_empty) == (None, 0)
    row = third["g"]
    assert (row.verdict, row.censuses_empty, row.censuses_left_behind) == ("undecided", 1, 0)
    assert (row.empty_since, row.offsets_unchanged_since) == (row.observed_at, first["g"].observed_at)


@STORIES.story
def a_census_that_could_not_read_a_group_breaks_nothing_and_counts_for_nothing() -> Story:
    """Neither state nor offsets were read; an offset that moved meanwhile still counts as moved."""
    moves = {("t", 0): 6}
    start = (group("state", offsets=AT_FIVE), group("offsets", offsets=AT_FIVE), group("moves", offsets=AT_FIVE))
    first = yield census(0, *start)
    blind = (group("state", None, AT_FIVE), group("offsets"), group("moves"))
    missing = [
        missing_read("DescribeGroups", "groups", 1, "CONNECTION_FAILED"),
        missing_read("OffsetFetch", "groups", 2, "NOT_COORDINATOR"),
    ]
    second = yield census(10, *blind, missing=missing)
    assert told(second, "verdict reason censuses_empty end_offsets") == {
        "state": ("unknown", "DescribeGroups was not read from broker 1 (CONNECTION_FAILED)", 1, 100),
        **dict.fromkeys(
            ("offsets", "moves"), ("unknown", "OffsetFetch was not read from broker 2 (NOT_COORDINATOR)", 1, 100)
        ),
    }
    ends: Offsets = {("t", 0): 500}
    last = (group("state", offsets=AT_FIVE), group("offsets", offsets=AT_FIVE), group("moves", offsets=moves))
    third = yield census(20, *last, ends=ends)
    judged = {"state": ("deletable", 2), "offsets": ("deletable", 2), "moves": ("in_use", 1)}
    assert told(third, "verdict censuses_empty") == judged
    assert third["state"].empty_since == first["state"].observed_at


@STORIES.story
def end_offsets_are_compared_over_the_same_partitions() -> Story:
    """A partition without a leader, a deleted topic and a re-created topic do not count as progress."""
    two: Offsets = {("t", 0): 5, ("u", 0): 5}
    names = ("unread", "lost", "anew")
    first = yield census(0, *(group(name, offsets=two) for name in names), ends={("t", 0): 100, ("u", 0): 100})
    assert {row.end_offsets for row in first.values()} == {200}

    unread = (yield census(10, group("unread", offsets=two), ends={("t", 0): 150, ("u", 0): None}))["unread"]
    assert (unread.end_offsets_grew, unread.end_offsets, unread.verdict) == (None, 200, "undecided")
    assert unread.reason == "end offsets of its partitions were not all read"

    lost = (yield census(10, group("lost", offsets=two), ends={("t", 0): 900}, previous=first))["lost"]
    assert (lost.end_offsets_grew, lost.end_offsets, lost.partitions_gone, lost.verdict) == (None, 900, 1, "undecided")

    anew = (yield census(10, group("anew", offsets=two), ends={("t", 0): 100, ("u", 0): 3}, previous=first))["anew"]
    assert (anew.end_offsets_grew, anew.verdict) == (False, "undecided")


def case(columns: str, rows: dict[str, Any], *groups: Seen, **more: Any) -> Case:
    return Case(census(0, *groups, **more), None).table(columns, rows)


JUDGED = "verdict reason"
HUGE: Offsets = dict.fromkeys((("t", 0), ("t", 1)), 2**63 - 1)
DELETED: Offsets = {("deleted", 0): 5}
YOUNG = "Metadata lists none of its topics: they are deleted, or were created since; the next census tells"
DEAD_OTHER = "listed as Stable, described as Dead: it is of another type by now, or gone"
DESCRIBED_BY = {"classic": "DescribeGroups"}
DESCRIBED_BY |= {kind: f"{kind.title()}GroupDescribe" for kind in ("consumer", "share", "streams")}


def dead(name: str, **listed: Any) -> Seen:
    answer = item(1, 1, group_id=name, error_code=0, group_state="Dead")
    return {**group(name, None, {}, **listed), "classic": [answer]}


CASES = {
    # The lost page may have more offsets of the group: the answer is incomplete.
    "offsets that a missing page may hold are not missing offsets": case(
        f"{JUDGED} committed_partitions",
        {
            "cut": ("unknown", "OffsetFetch was not read from broker 1 (CONNECTION_FAILED)", None),
            "other": ("undecided", YOUNG, 1),
        },
        group("cut", offsets=DELETED),
        group("other", offsets=DELETED, listed_by=[2], found_coordinator=2),
        missing=[missing_read("OffsetFetch", "groups", 1, "CONNECTION_FAILED")],
    ),
    # A refusal, a retriable error, or a topic that hides a whole group: none of them means that a group is empty.
    "errors of answers are reasons": case(
        JUDGED,
        {
            "refused": ("unknown", "DescribeGroups: GROUP_AUTHORIZATION_FAILED"),
            "hidden": ("unknown", "ConsumerGroupDescribe: TOPIC_AUTHORIZATION_FAILED"),
            "forbidden": ("unknown", "OffsetFetch: GROUP_AUTHORIZATION_FAILED"),
            "partly": ("unknown", "OffsetFetch: UNKNOWN_TOPIC_OR_PARTITION"),
            "unknown starts": ("unknown", "start offsets of 1 partitions are not known"),
        },
        group("refused", None, {}) | {"classic": [item(1, 1, group_id="refused", error_code=30)]},
        group("hidden", None, {}, kind="consumer") | {"consumer": [item(1, 1, group_id="hidden", error_code=29)]},
        group("forbidden") | {"offsets": [item(1, 2, group_id="forbidden", error_code=30)]},
        group("partly") | {"offsets": [item(1, 2, group_id="partly", topic="t", partition=1, error_code=3)]},
        group("unknown starts", offsets={("t", 0): None}, kind="share"),
    ),
    # DescribeGroups answers Dead for unknown groups: listed as another type, or of a new type.
    "a dead that means another type is not dead": case(
        JUDGED,
        {
            "upgraded": ("unknown", DEAD_OTHER),
            "future": ("unknown", "groups of type future are not known here"),
            **dict.fromkeys(("old", "dead"), ("deletable", None)),
        },
        *(dead("upgraded", group_state="Stable"), dead("future", kind="future"), dead("old", kind=None)),
        dead("dead", group_state="Dead"),
    ),
    # Orphans of a grown __consumer_offsets are Dead and without offsets at the broker that would get the deletion.
    "a group that its coordinator does not list is unknown": case(
        f"{JUDGED} deletable",
        {
            "orphan": ("unknown", "its coordinator, broker 1, does not list it", False),
            "unplaced": ("unknown", "its coordinator is not known", False),
            "moving": ("in_use", "it is Stable, members: 1", False),
        },
        group("orphan", "Dead", {}, listed_by=[3], found_coordinator=1, group_state="Empty"),
        group("unplaced", "Dead", {}, found_coordinator=None, group_state="Empty"),
        group("moving", "Stable", {}, members=1, listed_by=[3], found_coordinator=1),
    ),
    # Without Metadata it is unknown whether topics exist; a group without offsets needs no topics.
    "topics that could not be listed are not gone": case(
        JUDGED,
        {"g": ("unknown", "Metadata was not read (REQUEST_TIMED_OUT)"), "none": ("deletable", None)},
        group("g", offsets={("x", 0): 5}),
        group("none", offsets={}),
        ends={},
        missing=[missing_read("Metadata", "names", None, "REQUEST_TIMED_OUT")],
    ),
    # A commit is not checked against the log; a sum of the largest offsets overflows, and does not have to exist.
    "offsets beyond any log do not end the census": case(
        "committed_partitions end_offsets verdict", {"g": (2, None, "undecided")}, group("g", offsets=HUGE), ends=HUGE
    ),
    # An empty group without offsets is deletable; without a description the RPC that should have it is named.
    "every type is judged by its own RPC": case(
        f"{JUDGED} members group_type",
        {kind: ("deletable", None, 0, kind) for kind in DESCRIBED_BY}
        | {f"lost {kind}": ("unknown", f"{rpc} did not tell of it", None, kind) for kind, rpc in DESCRIBED_BY.items()},
        *[group(kind, offsets={}, kind=kind) for kind in DESCRIBED_BY],
        *[group(f"lost {kind}", None, {}, kind=kind) for kind in DESCRIBED_BY],
    ),
}
test_every_case = each_case(TABLE, CASES, lambda row: row.group_id)


@STORIES.story
def a_group_that_could_not_be_listed_keeps_its_history() -> Story:
    """Its run continues unchanged; the census that could not list it does not count, and its row names the gap.

    A group that no whole list names was deleted: it has no row.
    """
    seen = group("idle", offsets=AT_FIVE)
    first = (yield census(0, seen))["idle"]
    second = (yield census(1, seen))["idle"]
    row = (yield census(2, missing=[missing_read("ListGroups", "groups", 3, "BROKER_NOT_ALIVE")]))["idle"]
    why = "it could not be listed: ListGroups was not read from broker 3 (BROKER_NOT_ALIVE)"
    assert (row.verdict, row.deletable, row.evidence, row.reason) == ("unknown", False, [], why)
    assert (row.group_type, row.protocol_type, row.observed_at) == ("classic", "consumer", second.observed_at)
    assert (row.empty_since, row.censuses_empty) == (first.empty_since, 2)
    after = (yield census(3, seen))["idle"]
    assert (after.empty_since, after.censuses_empty) == (first.empty_since, 3)
    assert (after.verdict, after.offsets_moved) == ("undecided", False)
    assert after.offsets_unchanged_since == first.observed_at
    assert set((yield census(4, group("other", offsets=AT_FIVE)))) == {"other"}


test_every_story = STORIES.each()
