"""Error codes of a page: Kafka's own, and ours for what no broker could say.

Kafka's codes are int16 and at least -1; ours are below -99 so that they cannot
meet. Names are Kafka's (`org.apache.kafka.common.protocol.Errors`).
"""

from kafka import errors as kafka_errors

NONE = 0
UNSUPPORTED_VERSION = 35
SASL_AUTHENTICATION_FAILED = 58

BROKER_NOT_ALIVE = -100
CONNECTION_FAILED = -101
DEADLINE_EXCEEDED = -102
CURSOR_REPEATED = -103
FRAME_TOO_LARGE = -104
MALFORMED_RESPONSE = -105
NOT_ASKED = -106
INCONSISTENT_PAGES = -107

SHRINKABLE = frozenset({DEADLINE_EXCEEDED, FRAME_TOO_LARGE})
"""Where asking for less may help."""

OURS = {
    BROKER_NOT_ALIVE: "BROKER_NOT_ALIVE",
    CONNECTION_FAILED: "CONNECTION_FAILED",
    DEADLINE_EXCEEDED: "DEADLINE_EXCEEDED",
    CURSOR_REPEATED: "CURSOR_REPEATED",
    FRAME_TOO_LARGE: "FRAME_TOO_LARGE",
    MALFORMED_RESPONSE: "MALFORMED_RESPONSE",
    NOT_ASKED: "NOT_ASKED",
    INCONSISTENT_PAGES: "INCONSISTENT_PAGES",
}

# Codes that kafka-python 3.0 does not know by name.
NEWER = {
    128: "INVALID_REGULAR_EXPRESSION",
    129: "REBOOTSTRAP_REQUIRED",
    130: "STREAMS_INVALID_TOPOLOGY",
    131: "STREAMS_INVALID_TOPOLOGY_EPOCH",
    132: "STREAMS_TOPOLOGY_FENCED",
    133: "SHARE_SESSION_LIMIT_REACHED",
}


def error_name(code: int) -> str | None:
    """Name of an error code; None for 0."""
    if code == NONE:
        return None
    known = OURS.get(code) or NEWER.get(code)
    if known:
        return known
    error = kafka_errors.kafka_errors.get(code)
    return error.message if error is not None else f"ERROR_{code}"


class WireError(Exception):
    """No usable answer from a node; `code` is one of the codes above."""

    def __init__(self, code: int, message: str) -> None:
        """Keep the code beside the one-line message."""
        super().__init__(message)
        self.code = code
        self.message = message
