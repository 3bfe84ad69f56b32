"""Which errors are retried, and the wait before a retry.

Some errors that are called retriable are permanent in practice (3 for a deleted topic),
so every retry is bounded by attempts and by the chain's deadline.
"""

import random
from dataclasses import dataclass

from kafka_census.kafka.error_codes import RETRIABLE


def is_retriable(code: int) -> bool:
    """Whether the same request may succeed later."""
    return code in RETRIABLE


@dataclass(frozen=True)
class Backoff:
    """Exponential backoff with ±20 % jitter, in seconds."""

    first_ms: int
    max_ms: int

    def delay(self, failures: int) -> float:
        """Seconds to wait after the nth failure, n from 1."""
        full = min(self.max_ms, self.first_ms << (failures - 1))
        return full * random.uniform(0.8, 1.2) / 1000  # noqa: S311 - jitter needs no secrecy
