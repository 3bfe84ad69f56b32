"""What is done about a group after one more look at it, and what came of it: rows in, rows out, nobody asked.

Codes are Kafka's. What was found before anything was sent has the code that DeleteGroups would
have answered with (68, 69), and `sent` false.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.transforms.reasons import first_that_holds, words

NOT_FOUND, NON_EMPTY, DENIED = 69, 68, 30
SETTLED = ("deleted", "gone", "kept")
"""Outcomes of apply after which a plan does not touch the group again."""

_REFUSED = (29, DENIED, 31)
_MOVED = "its offsets moved since the plan was made: somebody commits them"


def checked(wave: DataFrame, found: DataFrame) -> DataFrame:
    """Adds outcome, error_code and reason to what was found.

    wave   group_id, group_type, offsets_fingerprint, committed_partitions of the plan; `unsure`: an earlier run was
           about to delete it, and did not come to note what became of it
    found  rows of `writing.check.SCHEMA`
    """
    absent = F.col("state_code").isin(0, NOT_FOUND) & F.col("group_state").isNull()
    unread = F.col("offsets_code") != 0
    same = fingerprint("offsets").eqNullSafe(F.coalesce("offsets_fingerprint", F.lit(0).cast("bigint"))) & (
        F.size("offsets") == F.coalesce("committed_partitions", F.lit(0))
    )
    gone = F.when(
        F.col("unsure"), "there is no such group any more: the run before was about to delete it, and did not end"
    ).otherwise("there is no such group any more: somebody else deleted it, or Kafka did")
    other_type = words("it is not of type ", F.coalesce("group_type", F.lit("classic")), " any more")
    cases: tuple[tuple[Column, Column, Column, Column], ...] = (
        (~F.col("state_code").isin(0, NOT_FOUND), _failed("state_code"), F.col("state_code"), _said("state_message")),
        (unread, _failed("offsets_code"), F.col("offsets_code"), _said("offsets_message")),
        (absent & (F.size("offsets") == 0), F.lit("gone"), F.lit(NOT_FOUND), gone),
        (absent, F.lit("kept"), F.lit(0), other_type),
        (
            (F.col("group_state") != "Empty") | (F.col("members") > 0),
            F.lit("kept"),
            F.lit(NON_EMPTY),
            words("it is ", F.col("group_state"), ", members: ", F.col("members")),
        ),
        (~same, F.lit("kept"), F.lit(0), F.lit(_MOVED)),
    )
    return wave.join(found, "group_id").withColumns(
        {
            "outcome": first_that_holds(*[(holds, outcome) for holds, outcome, _, _ in cases], otherwise="delete"),
            "error_code": first_that_holds(*[(holds, code) for holds, _, code, _ in cases], otherwise=F.lit(0)),
            "reason": first_that_holds(*[(holds, why) for holds, _, _, why in cases]),
        }
    )


def deleted(sent: DataFrame) -> DataFrame:
    """Adds outcome and reason to rows of `writing.delete.SCHEMA`."""
    code = F.col("error_code")
    answer_lost = "there is no such group any more: an answer to us was lost, or somebody else deleted it"
    cases = (
        (F.col("moved"), F.lit("kept"), F.lit("its offsets moved in the moment before: somebody commits them")),
        (code == 0, F.lit("deleted"), F.lit(None).cast("string")),
        (code == NOT_FOUND, F.lit("gone"), F.lit(answer_lost)),
        (code == NON_EMPTY, F.lit("kept"), F.lit("a member joined in the moment before")),
    )
    return _told(sent, cases)


def restored(sent: DataFrame) -> DataFrame:
    """Adds outcome and reason to rows of `writing.restore.SCHEMA`, which have `saved`, the partitions to restore."""
    code, some = F.col("error_code"), F.col("partitions") > 0
    part = words(F.col("saved") - F.col("partitions"), " of ", F.col("saved"), " partitions were not taken")
    cases = (
        (F.col("lives").isNotNull(), F.lit("kept"), words("there is such a group: ", F.col("lives"))),
        (F.col("sent") & (code == 0), F.lit("restored"), F.lit(None).cast("string")),
        (some, F.lit("restored"), part),
    )
    return _told(sent, cases)


def _told(sent: DataFrame, cases: Sequence[tuple[Column, Column, Column]]) -> DataFrame:
    """Adds outcome and reason by the first case that holds; where none does, it is an error."""
    return sent.withColumns(
        {
            "outcome": first_that_holds(*[(holds, name) for holds, name, _ in cases], otherwise=_failed("error_code")),
            "reason": first_that_holds(*[(holds, why) for holds, _, why in cases], otherwise=_said("error_message")),
        }
    )


def fingerprint(offsets: str) -> Column:
    """The hash of `deletable_groups` over an array of offsets; 0 for none."""
    return F.aggregate(
        offsets,
        F.lit(0).cast("bigint"),
        lambda before, one: before.bitwiseXOR(F.xxhash64(one["topic"], one["partition"], one["committed_offset"])),
    )


def _failed(code: str) -> Column:
    return F.when(F.col(code).isin(*_REFUSED), "refused").otherwise("failed")


def _said(message: str) -> Column:
    return F.coalesce(F.col(message), F.lit("see its error"))
