"""The time to hide secrets in a text, by the size of the text and by the secrets, in milliseconds.

Each size is four times the one before: where the time is linear, so is it. The first text is an ordinary log line; the
others are what a hostile broker may answer, and made the former pattern of each secret quadratic.
"""

from benchmarks.common import best, table
from kafka_census.kafka.protocol.redaction import redacted

SIZES = (1_000, 4_000, 16_000, 64_000, 256_000)
LINE = "broker 1 (b1.example:9093): SASL_AUTHENTICATION_FAILED: who is census with this password? "
TEXTS = {
    "a log line, again and again": LINE,
    "percent-encoded letters": "%be",
    "backslashes": "\\",
    "escapes in escapes": "\\\\u0061%20",
    "letters and white space": "a ",
}


def main() -> None:
    """A table of texts by size, one of secrets by number, and one of a secret by size."""
    secrets = [f"be careful {number}" for number in range(10)]
    rows = [[name, *(_ms(text * (size // len(text) + 1), secrets) for size in SIZES)] for name, text in TEXTS.items()]
    table("Milliseconds for ten secrets, by bytes of the text", ["text", *map("{:,}".format, SIZES)], rows)
    counts = (10, 40, 160, 640)
    rows = [["a log line", *(_ms(LINE, [f"canary {number}" for number in range(count)]) for count in counts)]]
    table("Milliseconds for one line, by number of secrets", ["text", *map("{:,}".format, counts)], rows)
    rows = [["a log line", *(_ms(LINE, ["c" * size]) for size in SIZES)]]
    table("Milliseconds for one secret, by its length", ["text", *map("{:,}".format, SIZES)], rows)


def _ms(text: str, secrets: list[str]) -> float:
    seconds, _ = best(lambda: redacted(text, secrets), 3)
    return seconds * 1000
