"""Text from outside on its way out: nothing in it may drive a terminal or forge a line.

Brokers name groups, topics, hosts, clusters and errors as they like. Every way out (a printed
result, an error line, a line of the log) passes its text through `printable`, which shows what is
not printable as its escape: control characters of C0 and C1, line breaks, bidi overrides, zero-width
characters. JSON lines of the log escape them in JSON's own way instead.
"""

from collections.abc import Iterable
from typing import TextIO


def printable(text: str) -> str:
    """The text in one line, whatever is not printable shown as its escape; a second time changes nothing."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape", "backslashreplace").decode("ascii")
        for each in text
    )


def printable_lines(text: str) -> str:
    """The same for a text of our own making that has lines, such as a traceback: its line breaks stay."""
    return "\n".join(printable(line) for line in text.split("\n"))


def write_lines(lines: Iterable[str], out: TextIO) -> None:
    """Print a result: each line is one line, whatever is in it."""
    for line in lines:
        print(printable(line), file=out)
