"""The rows of many frames in one."""

from collections.abc import Sequence

from pyspark.sql import DataFrame


def union(frames: Sequence[DataFrame]) -> DataFrame:
    """The rows of all frames, by the position of their columns; there is at least one frame.

    Spark looks through the whole plan at every union: by halves that is as many times as the plan is deep, and one
    after the other as many times as there are frames.
    """
    if len(frames) == 1:
        return frames[0]
    middle = len(frames) // 2
    return union(frames[:middle]).union(union(frames[middle:]))
