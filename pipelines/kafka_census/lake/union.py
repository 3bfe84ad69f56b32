"""The rows of many frames in one."""

from collections.abc import Sequence

from pyspark.sql import DataFrame


def union(frames: Sequence[DataFrame], *, one_task: bool = False) -> DataFrame:
    """The rows of all frames, by the position of their columns; there is at least one frame.

    one_task  the rows are so few that one task reads them all: a GROUP BY on them needs no shuffle

    Spark analyzes the whole plan at every union: when halves are united, each frame is analyzed as often as the plan
    is deep; when frames are united one after the other, as often as there are frames.
    """
    rows = _by_halves(frames)
    return rows.coalesce(1) if one_task else rows


def _by_halves(frames: Sequence[DataFrame]) -> DataFrame:
    if len(frames) == 1:
        return frames[0]
    middle = len(frames) // 2
    return _by_halves(frames[:middle]).union(_by_halves(frames[middle:]))
