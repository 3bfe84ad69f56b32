"""The decision on each group after a last look, and the outcome of requests: rows in, rows out, no requests.

Codes are Kafka's. A finding before any request has the code that DeleteGroups would
have answered (68, 69), and `sent` false. A request whose answer was lost, or whose code does not prove that nothing
was written (`NOT_DELETED`, `NOT_COMMITTED`), is `unknown`: it may have been carried out, and counts as a deletion
until a look shows otherwise.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.kafka.error_codes import NOT_COMMITTED, NOT_DELETED
from kafka_census.tables.shared.reasons import first_that_holds, words

NOT_FOUND, NON_EMPTY, DENIED = 69, 68, 30
SETTLED = ("deleted", "gone", "kept")
"""Outcomes after which a plan does not touch the group again."""

LOOKED = ("gone", "kept", "still_there")
"""Outcomes of a look that settle the unknown outcome of an earlier run's request."""

_REFUSED = (29, DENIED, 31)
_UNPROVEN = "its error does not prove that nothing was done"
_MOVED = "its offsets moved since the plan was made: somebody commits them"


def checked(wave: DataFrame, found: DataFrame) -> DataFrame:
    """Adds outcome, error_code and reason to the found states.

    wave   group_id, group_type, offsets_fingerprint, committed_partitions of the plan
    found  rows of `writing.check.SCHEMA`
    """
    absent = F.col("state_code").isin(0, NOT_FOUND) & F.col("group_state").isNull()
    unread = F.col("offsets_code") != 0
    same = fingerprint("offsets").eqNullSafe(F.coalesce("offsets_fingerprint", F.lit(0).cast("bigint"))) & (
        F.size("offsets") == F.coalesce("committed_partitions", F.lit(0))
    )
    gone = F.lit("there is no such group any more: somebody else deleted it, or Kafka did")
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


def looked(wave: DataFrame, found: DataFrame) -> DataFrame:
    """As `checked`, for groups whose deletion an earlier run sent without a known outcome; adds `sent`.

    A group that is in use may have been deleted and re-created.
    """
    judged, outcome = checked(wave, found), F.col("outcome")
    there = "the group is as the plan says: what an earlier run sent for it was not carried out"
    gone = "there is no such group any more: an earlier run sent its deletion, and did not learn the outcome"
    return judged.select(
        *[name for name in judged.columns if name not in ("outcome", "reason")],
        F.when(outcome == "delete", "still_there").otherwise(outcome).alias("outcome"),
        F.when(outcome == "delete", there).when(outcome == "gone", gone).otherwise(F.col("reason")).alias("reason"),
        outcome.isin("gone", "kept").alias("sent"),
    )


def protected(wave: DataFrame) -> DataFrame:
    """Adds outcome and reason to groups that a pattern protects now; the pattern is in the column `pattern`."""
    why = words("protected by ", F.col("pattern"), " (deletion.protect)")
    return wave.withColumns({"outcome": F.lit("kept"), "reason": why})


def too_many(wave: DataFrame, most: int) -> DataFrame:
    """Adds outcome and reason to groups that are not sent: with them, more than `most` groups could be deleted."""
    why = f"another run deletes groups of this plan: with these it could be more than deletion.max_deletes ({most:,})"
    return wave.withColumns({"outcome": F.lit("failed"), "reason": F.lit(why)})


def deleted(sent: DataFrame) -> DataFrame:
    """Adds outcome and reason to rows of `writing.delete.SCHEMA`."""
    code = F.col("error_code")
    gone = F.lit("there is no such group any more: an answer to us was lost, or somebody else deleted it")
    cases = (
        (F.col("moved"), F.lit("kept"), F.lit("its offsets moved in the moment before: somebody commits them")),
        (code == 0, F.lit("deleted"), F.lit(None).cast("string")),
        (code == NOT_FOUND, F.lit("gone"), F.coalesce("error_message", gone)),
        (code == NON_EMPTY, F.lit("kept"), F.lit("a member joined in the moment before")),
        (F.col("sent") & ~code.isin(*NOT_DELETED), F.lit("unknown"), _said("error_message", _UNPROVEN)),
    )
    return _with_outcomes(sent, cases)


def restored(sent: DataFrame) -> DataFrame:
    """Adds outcome and reason to rows of `writing.restore.SCHEMA`, which have `saved`, the partitions to restore."""
    code, there, saved = F.col("error_code"), F.col("partitions"), F.col("saved")
    part = words(saved - there, " of ", saved, " partitions were not taken")
    before = F.when(~F.col("sent"), "all of its saved offsets were there already")
    cases = (
        (F.col("lives").isNotNull(), F.lit("kept"), words("there is such a group: ", F.col("lives"))),
        (F.col("sent") & ~code.isin(0, *NOT_COMMITTED), F.lit("unknown"), _said("error_message", _UNPROVEN)),
        ((code == 0) & (there == saved), F.lit("restored"), before),
        (there > 0, F.lit("partly_restored"), part),
    )
    return _with_outcomes(sent, cases)


def _with_outcomes(sent: DataFrame, cases: Sequence[tuple[Column, Column, Column]]) -> DataFrame:
    """Adds outcome and reason by the first case that holds; without one, by the error code and message."""
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


def _said(message: str, otherwise: str = "see its error") -> Column:
    return F.coalesce(F.col(message), F.lit(otherwise))
