"""The prompt: statements typed on a terminal, each ended by a semicolon."""

import sys
from collections.abc import Callable
from contextlib import suppress
from sqlite3 import complete_statement

from kafka_census.errors import CensusError
from kafka_census.terminal.display import write_lines

_LEAVE = ("exit", "quit")


def prompt(run: Callable[[str], None], read: Callable[[str], str] = input) -> None:
    """Run typed statements until the input ends (Ctrl-D) or is `exit`; errors are printed and do not end the prompt.

    run   prints the results of a text; Ctrl-C cancels it
    read  reads a line; with readline, lines can be edited and recalled
    """
    with suppress(ImportError):
        import readline  # noqa: F401 - `input` uses it once it is imported
    while True:
        try:
            text = _statement(read)
            if text is None:
                return
            run(text)
        except CensusError as error:
            write_lines([f"error: {error}"], sys.stderr)
        except KeyboardInterrupt:
            sys.stderr.write("\n")


def _statement(read: Callable[[str], str]) -> str | None:
    """The lines up to a semicolon that ends a statement; None at the end of the input."""
    try:
        text = read("census> ")
        while text.strip() and not complete_statement(text):
            if text.strip().lower() in _LEAVE:
                return None
            text += "\n" + read("    ..> ")
    except EOFError:
        sys.stdout.write("\n")
        return None
    return text
