"""The clock, passed in as a value so that tests can stop it.

Wall time is always an aware UTC datetime; durations come from the monotonic clock.
"""

import time
from datetime import UTC, datetime


class Clock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The wall time, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never go back; only differences are meaningful."""
        return time.monotonic()
