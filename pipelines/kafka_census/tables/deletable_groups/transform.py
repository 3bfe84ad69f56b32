"""Groups that are no longer used, judged by the censuses that have seen them.

DeleteGroups refuses only groups that have members: a consumer that assigns its partitions itself, Flink, Spark and
MirrorMaker commit as groups without members, and lose their offsets by a deletion. OffsetFetch does not report when an
offset was committed. So the evidence is history: this table's rows of the previous census.

A group is `empty` in a census that read its state, by the RPC of its type (the RPC of another type reports Dead), and
its offsets, and found no members. An unbroken run of such censuses ends with members, and starts anew when an offset is
new or has moved: the group is alive. An offset that is removed is no sign of life: Kafka expires offsets per partition,
and deletes those of a deleted topic. A census that could not read the group neither breaks the run nor adds to it.
Where the listing of groups lacks an answer (a broker's, or that of a partition of `__consumer_offsets` without a
leader), a group of the previous census that is in no other answer still has a row, `unknown`, which continues its
history. Offsets are compared by one hash per committed offset, end offsets by their sum over the same partitions.

`verdict` is the first that holds:

    in_use     it has members
    unknown    its state or its offsets were not read, or answers contradict each other
    in_use     an offset is new, or has moved since the previous census
    deletable  no_offsets, topics_gone, or left_behind: end offsets grew in the empty run, its own did not move
    undecided  otherwise: neither its offsets nor its topics' end offsets move

When a group is first seen, `topics_gone` decides nothing: a topic that Metadata did not list may be younger than that
listing. Once a previous census has read the same offsets, their topics are older than the listing.

Offsets of topics that the principal may not DESCRIBE are not seen here: OffsetFetch leaves them out without an error.
Whether topics were hidden is judged with the census (`visibility` in `publications`).
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.group_types import DESCRIBED_BY
from kafka_census.declarations.transform import Transform
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.shared.group_history import as_before, compared, with_run, with_unlisted
from kafka_census.tables.shared.items import is_true, newest
from kafka_census.tables.shared.reasons import first_that_holds, not_read, not_read_from, words

_PARTITION = ["topic", "partition"]
_WITHOUT_MEMBERS = ("Empty", "Dead")


def deletable_groups(
    *,
    groups: DataFrame,
    classic: DataFrame,
    consumer: DataFrame,
    share: DataFrame,
    streams: DataFrame,
    offsets: DataFrame,
    share_offsets: DataFrame,
    ends: DataFrame,
    topics: DataFrame,
    previous: DataFrame,
    missing: Sequence[MissingRead],
) -> DataFrame:
    """One row per group. Columns: those of `DELETABLE_GROUPS`.

    Inputs are the rows of `group_coordinator_placement` (groups); items of DescribeGroups (classic), of the other
    describing RPCs by their type, of OffsetFetch (offsets), DescribeShareGroupOffsets, ListOffsets (ends: latest) and
    Metadata (topics); and this table's rows of the previous census.
    """
    names_gap = not_read(missing, "Metadata", "names")
    committed = _committed(offsets, share_offsets, ends, topics, names_gap)
    known = (
        with_unlisted(groups, previous, topics, missing)
        .withColumns({"listed_state": F.col("group_state"), "listed_at": F.col("observed_at")})
        .drop("group_state", "observed_at", "reason")
        .join(_described(classic, consumer, share, streams), "group_id", "left")
        .join(committed, "group_id", "left")
        .join(as_before(previous), "group_id", "left")
        .withColumns({"type": F.coalesce("group_type", F.lit("classic")), "names_gap": names_gap})
        .withColumns({"state_unknown": _state_unknown(missing), "offsets_unknown": _offsets_unknown(missing)})
        .withColumns(
            {
                "observed_at": F.greatest("listed_at", "described_at", "offsets_at", "ends_at"),
                "commits_only": F.col("protocol_type") == "",
                "has_members": F.col("state_unknown").isNull()
                & ~(F.col("group_state").isin(*_WITHOUT_MEMBERS) & (F.col("members") == 0)),
            }
        )
    )
    return _judged(with_run(compared(known))).select(*DELETABLE_GROUPS.computed.names)


def _described(*frames: DataFrame) -> DataFrame:
    """One row per described group: state, members, and the error if the description was refused."""
    columns = ("group_id", "error_code", "group_state", "member_id", "received_at")
    items, *others = (frame.select(*columns) for frame in frames)
    for other in others:
        items = items.unionByName(other)
    return items.groupBy("group_id").agg(
        F.max_by("group_state", "received_at").alias("group_state"),
        F.count("member_id").alias("members"),
        F.max(error_name("error_code")).alias("described_error"),
        F.max("received_at").alias("described_at"),
    )


def _committed(
    offsets: DataFrame, share_offsets: DataFrame, ends: DataFrame, topics: DataFrame, names_gap: Column
) -> DataFrame:
    """One row per group whose offsets were reported: their number, their hash, and whether their partitions exist."""
    common = ("group_id", "error_code", *_PARTITION, "received_at")
    of_share = share_offsets.select(*common, F.col("start_offset").alias("offset"), F.lit(True).alias("is_share"))
    reported = offsets.select(*common, F.col("committed_offset").alias("offset"), F.lit(False).alias("is_share"))
    end = F.struct(F.col("offset").alias("end"), F.col("received_at").alias("end_at"))
    ended = ends.where(F.col("error_code") == 0).groupBy(*_PARTITION).agg(F.max_by(end, "received_at").alias("ended"))
    names = newest(topics, "topic", "partition_count", "error_code").select(
        "topic", F.struct("partition_count", "error_code").alias("listed")
    )
    beyond = (F.col("listed.error_code") == 0) & (F.col("partition") >= F.col("listed.partition_count"))
    gone = names_gap.isNull() & (F.col("listed").isNull() | is_true(beyond))
    is_known = F.col("topic").isNotNull() & F.col("offset").isNotNull() & (F.col("error_code") == 0)
    there = F.col("is_known") & ~F.col("gone")
    return (
        reported.unionByName(of_share)
        .join(ended, _PARTITION, "left")
        .join(F.broadcast(names), "topic", "left")
        .withColumns({"is_known": is_known, "gone": gone})
        .groupBy("group_id")
        .agg(
            F.max("received_at").alias("offsets_at"),
            F.max("ended.end_at").alias("ends_at"),
            F.max(error_name("error_code")).alias("offsets_error"),
            # A start offset is unknown where the share coordinator could not be asked; a commit exists or does not.
            F.count_if(F.col("is_share") & F.col("topic").isNotNull() & F.col("offset").isNull()).alias("not_reported"),
            F.count_if("is_known").alias("committed_now"),
            F.coalesce(
                F.bit_xor(F.when(F.col("is_known"), F.xxhash64(*_PARTITION, "offset"))), F.lit(0).cast("bigint")
            ).alias("fingerprint_now"),
            F.sort_array(F.collect_list(F.when(F.col("is_known"), F.xxhash64(*_PARTITION, "offset")))).alias(
                "hashes_now"
            ),
            F.count_if(F.col("is_known") & F.col("gone")).alias("gone_now"),
            F.count_if(there & F.col("ended.end").isNull()).alias("ends_missing"),
            F.try_sum(F.when(there, F.col("ended.end")).otherwise(0)).alias("ends_sum"),
        )
    )


def _by_type(names: dict[str, str], missing: Sequence[MissingRead]) -> tuple[Column, Column]:
    """For the group's type: its RPC, and the missing reads of that walk."""
    rpc = first_that_holds(*[(F.col("type") == kind, name) for kind, name in names.items()])
    gap = first_that_holds(
        *[(F.col("type") == kind, not_read(missing, name, "groups")) for kind, name in names.items()]
    )
    return rpc, gap


def _state_unknown(missing: Sequence[MissingRead]) -> Column:
    """Why the group's state is not known for sure; null when the state is known."""
    rpc, gap = _by_type(DESCRIBED_BY, missing)
    found, state = F.col("found_coordinator"), F.col("group_state")
    orphaned = state.isin(*_WITHOUT_MEMBERS) & ~is_true(F.array_contains("listed_by", found))
    elsewhere = F.coalesce(
        words("its coordinator, broker ", found, ", does not list it"), F.lit("its coordinator is not known")
    )
    return first_that_holds(
        (F.col("unlisted").isNotNull(), F.col("unlisted")),
        (~F.col("type").isin(*DESCRIBED_BY), words("groups of type ", F.col("type"), " are not known here")),
        (F.col("described_error").isNotNull(), words(rpc, ": ", F.col("described_error"))),
        (state.isNull(), F.coalesce(gap, words(rpc, " did not tell of it"))),
        # The group is orphaned or moving: its coordinator answers as it does for a group that does not exist.
        (orphaned, elsewhere),
        (
            (state == "Dead") & ~F.col("listed_state").isin(*_WITHOUT_MEMBERS),
            words("listed as ", F.col("listed_state"), ", described as Dead: it is of another type by now, or gone"),
        ),
    )


def _offsets_unknown(missing: Sequence[MissingRead]) -> Column:
    """Why the group's offsets are not known, or not all of them; null when they are known."""
    others = dict.fromkeys(DESCRIBED_BY, "OffsetFetch")
    rpc, gap = _by_type(others | {"share": "DescribeShareGroupOffsets"}, missing)
    cut = not_read_from(missing, "OffsetFetch", "groups", "found_coordinator")
    return first_that_holds(
        # A missing page may hold the rest of a group that another page began.
        ((F.col("type") != "share") & cut.isNotNull(), cut),
        (F.col("offsets_at").isNull(), F.coalesce(gap, words(rpc, " did not tell of it"))),
        (F.col("offsets_error").isNotNull(), words(rpc, ": ", F.col("offsets_error"))),
        (F.col("not_reported") > 0, words("start offsets of ", F.col("not_reported"), " partitions are not known")),
        (F.col("committed_now") > 0, F.col("names_gap")),
    )


def _judged(run: DataFrame) -> DataFrame:
    """Adds evidence and verdict."""
    read = F.col("offsets_unknown").isNull()
    committed = F.col("committed_now")
    topics_gone = read & (committed > 0) & (F.col("gone_now") == committed)
    pieces = {
        "empty": F.col("state_unknown").isNull() & ~F.col("has_members"),
        "no_offsets": read & (committed == 0),
        "topics_gone": topics_gone,
        "left_behind": read & (F.col("censuses_left_behind") > 0),
    }
    evidence = F.array_compact(F.array(*[F.when(holds, F.lit(word)) for word, holds in pieces.items()]))
    younger = "Metadata lists none of its topics: they are deleted, or were created since; the next census tells"
    seen_before = is_true(~F.col("offsets_moved"))
    useless = pieces["no_offsets"] | (topics_gone & seen_before) | pieces["left_behind"]
    verdicts = (
        (F.col("has_members"), "in_use", words("it is ", F.col("group_state"), ", members: ", F.col("members"))),
        (F.col("state_unknown").isNotNull(), "unknown", F.col("state_unknown")),
        (~read, "unknown", F.col("offsets_unknown")),
        (
            F.col("offsets_moved"),
            "in_use",
            F.lit("an offset is new or moved since the previous census: somebody commits"),
        ),
        (useless, "deletable", F.lit(None).cast("string")),
        (topics_gone, "undecided", F.lit(younger)),
        (F.col("ends_now").isNull(), "undecided", F.lit("end offsets of its partitions were not all read")),
        (F.col("previous_census_id").isNull(), "undecided", F.lit("no previous census to compare its offsets with")),
    )
    standstill = "neither its offsets nor the end offsets of its partitions have moved"
    return run.withColumns(
        {
            "evidence": evidence,
            "verdict": first_that_holds(*[(holds, name) for holds, name, _ in verdicts], otherwise="undecided"),
            "reason": first_that_holds(*[(holds, why) for holds, _, why in verdicts], otherwise=F.lit(standstill)),
        }
    ).withColumn("deletable", F.col("verdict") == "deletable")


DELETABLE_GROUPS_TRANSFORM = Transform(
    DELETABLE_GROUPS,
    deletable_groups,
    {
        "groups": GROUP_COORDINATOR_PLACEMENT,
        "classic": ("DescribeGroups", "groups"),
        "consumer": ("ConsumerGroupDescribe", "groups"),
        "share": ("ShareGroupDescribe", "groups"),
        "streams": ("StreamsGroupDescribe", "groups"),
        "offsets": ("OffsetFetch", "groups"),
        "share_offsets": ("DescribeShareGroupOffsets", "groups"),
        "ends": ("ListOffsets", "latest"),
        "topics": ("Metadata", "names"),
    },
    previous=True,
)
