"""Lines typed on a terminal: edited, completed and recalled by readline, where Python has it.

The history is kept between sessions in a file that only its owner may read: statements may name people.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from kafka_census.files import whole_file

_MOST = 1000
"""Largest number of lines in the file."""
_BETWEEN_WORDS = " \t\n,;()=<>+-*/'\"."

Candidates = Callable[[str, str], Sequence[str]]
"""What the last word of a line may become."""


def history_file() -> Path | None:
    """`sql_history` in the user's folder for states; None where there is no such user."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    try:
        return (state if state.is_absolute() else Path.home() / ".local" / "state") / "kafka-census" / "sql_history"
    except RuntimeError:
        return None


@contextmanager
def editing(history: Path | None, candidates: Candidates) -> Iterator[Callable[[str], None]]:
    """While the block runs, `input` reads with readline; yields a function that remembers a statement.

    A history that cannot be read or written is none.
    """
    try:
        import readline
    except ImportError:
        yield lambda _statement: None
        return
    found: list[str] = []

    def complete(word: str, number: int) -> str | None:
        if number == 0:
            found[:] = candidates(readline.get_line_buffer(), word)
        return found[number] if number < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims(_BETWEEN_WORDS)
    readline.set_auto_history(False)
    readline.parse_and_bind("bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete")
    lines = _read(history)
    for line in lines:
        readline.add_history(line)

    def remember(statement: str) -> None:
        line = " ".join(statement.split("\n")) if _may_be_joined(statement) else statement
        if line.strip() and line != (lines[-1:] or [""])[0]:
            lines.append(line)
            readline.add_history(line)

    try:
        yield remember
    finally:
        readline.set_completer(None)
        _write(history, lines)


def _may_be_joined(statement: str) -> bool:
    """Whether no comment and no text goes to the end of a line."""
    return "--" not in statement and not any(line.count(mark) % 2 for line in statement.split("\n") for mark in "'\"")


def _read(history: Path | None) -> list[str]:
    try:
        return whole_file.read(history).decode("utf-8", "replace").splitlines() if history else []
    except OSError:
        return []


def _write(history: Path | None, lines: Sequence[str]) -> None:
    if history is None or not lines:
        return
    content = "".join(f"{line}\n" for line in "\n".join(lines).split("\n")[-_MOST:])
    with suppress(OSError):
        history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        whole_file.replace(history, content.encode(), mode=0o600)
