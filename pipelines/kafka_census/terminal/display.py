"""Text from outside made printable: it must not control a terminal or forge a line.

Names of groups, topics, hosts and clusters, and error messages of brokers may hold any character. All output (a printed
result, an error line, a line of the log) passes through `printable`, which shows unprintable
characters as escapes: control characters of C0 and C1, line breaks, bidi overrides, zero-width
characters. JSON lines of the log use JSON's escapes instead.
"""

from collections.abc import Iterable
from typing import TextIO


def printable(text: str) -> str:
    """The text in one line, with escapes for unprintable characters; the function is idempotent."""
    return (
        text
        if text.isprintable()
        else "".join(
            each if each.isprintable() else each.encode("unicode_escape", "backslashreplace").decode("ascii")
            for each in text
        )
    )


def printable_lines(text: str) -> str:
    """The same for a text of several lines, such as a traceback: its line breaks stay."""
    return "\n".join(printable(line) for line in text.split("\n"))


def write_lines(lines: Iterable[str], out: TextIO) -> None:
    """Print a result; each element is one line, whatever characters it holds."""
    for line in lines:
        print(printable(line), file=out)
