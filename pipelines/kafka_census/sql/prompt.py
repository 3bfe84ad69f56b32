"""Statements that a person types, each ended by a semicolon."""

import sys
from collections.abc import Callable
from contextlib import suppress
from sqlite3 import complete_statement

from kafka_census.display import write_lines
from kafka_census.errors import CensusError

_LEAVE = ("exit", "quit")


def prompt(run: Callable[[str], None], read: Callable[[str], str] = input) -> None:
    """Run what is typed until the input ends (Ctrl-D), or somebody says `exit`; errors are printed and end nothing.

    run   prints what a text answers; Ctrl-C breaks it off
    read  asks for a line; with readline it can be edited, and earlier ones come back
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
    """The lines up to a semicolon that ends a statement; None when there are no more."""
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
