"""The log of a partition: offsets, times and sizes, computed from seed and position."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kafka_emulator.arithmetic import Words

START_TIME_MS = 1_760_000_000_000
"""The time of the first record of every log; generated values must not depend on the clock."""

BYTES_A_RECORD = 100
OPEN_RECORDS = 10
"""The number of records that open transactions have written to a partition."""

Declared = Mapping[int, tuple[int, int]]


class Log(NamedTuple):
    """One partition's log, the same for the leader and for followers in sync.

    start               the first offset
    high_watermark      the end for a consumer with read_uncommitted
    last_stable         the end for a consumer with read_committed: lower where a transaction is open
    end                 the log end offset of the leader
    leader_epoch        the epoch of the last record
    max_timestamp       the time of the newest record, and its offset; -1 and -1 in an empty log, -1 and the first
                        offset where records bear no time
    size                bytes in the leader's log dir
    """

    start: int
    high_watermark: int
    last_stable: int
    end: int
    leader_epoch: int
    max_timestamp: int
    max_timestamp_offset: int
    size: int

    def offset_at(self, timestamp: int) -> int:
        """The first offset that is not before a time; -1 if all are before it. Records are a millisecond apart."""
        if self.max_timestamp < 0:
            return -1
        offset = max(self.start, timestamp - START_TIME_MS)
        return offset if offset < self.high_watermark else -1


def logs_of(
    drawn: Words,
    epochs: Sequence[int],
    has_open: npt.NDArray[np.bool_],
    declared: Declared,
    timeless: Sequence[int] = (),
) -> list[Log]:
    """The logs of many partitions at once; an open transaction ends the stable part of a log.

    drawn      `mix(topic.drawn, index)` of each partition
    declared   start and end of logs that a scenario declares, by position; few of the others are empty
    timeless   the positions of logs whose records bear no time
    """
    start = np.where(drawn >> 20 & 3 == 0, drawn % 1000, 0).astype(np.int64)
    records = (10 + (drawn >> 10) % 100_000).astype(np.int64)
    end = np.where((drawn >> 40) % 20 > 0, start + records, start)
    for position, (first, last) in declared.items():
        start[position], end[position] = first, last
    newest = np.where(end > start, end - 1, -1)
    times = np.where(newest >= 0, START_TIME_MS + newest, -1)
    for position in timeless:
        times[position], newest[position] = -1, start[position] if end[position] > start[position] else -1
    return list(
        map(
            Log,
            start.tolist(),
            end.tolist(),
            np.where(has_open, np.maximum(start, end - OPEN_RECORDS), end).tolist(),
            end.tolist(),
            epochs,
            times.tolist(),
            newest.tolist(),
            ((end - start) * BYTES_A_RECORD).tolist(),
        )
    )
