"""Which errors are worth asking again for, and how long to wait before it.

The set is what `RetriableException` covers in Kafka 4.3.1's `Errors`, plus our own
codes for lost connections. Some are permanent in practice (3 for a deleted topic),
so every retry is bounded by attempts and by the chain's deadline.
"""

import random
from dataclasses import dataclass

from kafka_census.protocol.error_codes import CONNECTION_FAILED, DEADLINE_EXCEEDED, MALFORMED_RESPONSE

RETRIABLE = frozenset(
    {2, 3, 5, 6, 7, 9, 13, 14, 15, 16, 19, 20, 41, 51, 56, 70, 71, 72, 74, 75, 78, 80, 83, 84, 88, 89}
    | {100, 103, 106, 122, 123, 133}
    | {CONNECTION_FAILED, DEADLINE_EXCEEDED, MALFORMED_RESPONSE}
)


def is_retriable(code: int) -> bool:
    """Whether the same question may get an answer later."""
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
