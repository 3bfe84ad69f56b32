"""The one exception of the wire."""


class WireError(Exception):
    """No usable answer from a node; `code` is one of `kafka_census.kafka.error_codes`.

    advice  what to correct, where that is known
    sent    whether the node may have received the request, and carried it out
    """

    def __init__(self, code: int, message: str, advice: str | None = None, *, sent: bool = False) -> None:
        """Keep the code beside the one-line message."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.advice = advice
        self.sent = sent
