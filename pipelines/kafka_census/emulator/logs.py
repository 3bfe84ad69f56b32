"""What the log of a partition holds: offsets, times and sizes, computed from seed and place."""

from typing import NamedTuple

from kafka_census.emulator.arithmetic import mix
from kafka_census.emulator.topics import Topic

START_TIME_MS = 1_760_000_000_000
"""The time of the first record anywhere; what is generated must not depend on the clock."""

BYTES_A_RECORD = 100
OPEN_RECORDS = 10
"""What open transactions have written to a partition."""


class Log(NamedTuple):
    """One partition's log, the same for a leader and the followers that are in sync.

    start               the first offset
    high_watermark      what a consumer that reads uncommitted may read up to
    last_stable         the same for read committed: less where a transaction is open
    end                 the log end offset of the leader
    leader_epoch        of the last record
    max_timestamp       of the newest record, and its offset; -1 and -1 in an empty log
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
        """The first offset that is not before a time; -1 where all are. Records are a millisecond apart."""
        offset = max(self.start, timestamp - START_TIME_MS)
        return offset if offset < self.high_watermark else -1


def log_of(topic: Topic, index: int, *, leader_epoch: int, has_open: bool = False) -> Log:
    """The log of a partition; one that has an open transaction is stable up to there only."""
    drawn = mix(topic.drawn, index)
    start = drawn % 1000 if drawn >> 20 & 3 == 0 else 0
    records = 10 + (drawn >> 10) % 100_000
    end = start + records if (drawn >> 40) % 20 else start
    newest = end - 1 if end > start else -1
    return Log(
        start,
        end,
        max(start, end - OPEN_RECORDS) if has_open else end,
        end,
        leader_epoch,
        START_TIME_MS + newest if newest >= 0 else -1,
        newest,
        (end - start) * BYTES_A_RECORD,
    )
