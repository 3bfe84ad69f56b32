r"""The prompt: statements typed on a terminal, each ended by a semicolon, and commands such as `\d`."""

import sys
from collections.abc import Callable, Sequence
from sqlite3 import complete_statement

from kafka_census.errors import BadQuery, CensusError
from kafka_census.reading.sql.completion import Completion
from kafka_census.reading.sql.line_editing import editing, history_file
from kafka_census.terminal.display import write_lines

_LEAVE = ("exit", "quit", "\\q")
_HELP = ("help", "\\?", "\\h")

HELP = """\
Statements end with ; and may take several lines. Only queries run: nothing can
be changed. Ctrl-C drops what is typed, or stops the statement that runs.

\\d          the views
\\d NAME     the columns of a view, with their comments
\\?, help    this text
\\q, exit    leave (also Ctrl-D)

FROM freshness;            how old what is shown is
FROM groups LIMIT 10;      a short name: \\d says what it stands for
FROM group_lag_as_of(now() - INTERVAL 1 DAY);
DESCRIBE group_lag; SUMMARIZE group_lag;

The Tab key completes names; kafka-census sql --help has options for scripts.
""".splitlines()


Describe = Callable[[str], Sequence[str]]
"""Returns the lines of the columns of a view; for an empty name, of all views."""


def is_command(line: str) -> bool:
    """Whether a line is no statement, but a command of the prompt."""
    return line.lstrip().startswith("\\") or _word(line) in (*_LEAVE, *_HELP)


def shown(line: str, describe: Describe) -> Sequence[str]:
    """What a command shows; nothing for one that leaves.

    Raises BadQuery for a view that is not there, and for a command that is not there.
    """
    command, _, name = _word(line).partition(" ")
    if command in _HELP:
        return HELP
    if command.rstrip("+") in ("\\d", "\\dt", "\\dv"):
        return describe(name.strip())
    if command in _LEAVE:
        return []
    raise BadQuery(f"there is no command {command}; \\? lists them")


def prompt(
    run: Callable[[str], None], describe: Describe, completion: Completion, read: Callable[[str], str] = input
) -> None:
    """Run typed statements until the input ends (Ctrl-D) or is `exit`; errors are printed and do not end the prompt.

    run   prints the results of a text; Ctrl-C cancels it
    read  reads a line; with readline, lines can be edited, completed and recalled
    """
    typed: list[str] = []

    def candidates(line: str, word: str) -> Sequence[str]:
        return completion.candidates("\n".join([*typed, line]), word)

    with editing(history_file(), candidates) as remember:
        while True:
            try:
                line = read("    ..> " if typed else "census> ")
                if is_command(line) and (not typed or line.lstrip().startswith("\\")):
                    if _word(line) in _LEAVE:
                        return
                    remember(line)
                    write_lines(shown(line, describe), sys.stdout)
                    continue
                typed += [line] if typed or line.strip() else []
                text = "\n".join(typed)
                if complete_statement(text):
                    typed.clear()
                    remember(text)
                    run(text)
            except EOFError:
                sys.stdout.write("\n")
                return
            except CensusError as error:
                write_lines([f"error: {error}"], sys.stderr)
            except KeyboardInterrupt:
                typed.clear()
                sys.stderr.write("\n")


def _word(line: str) -> str:
    return line.strip().rstrip(";").rstrip().lower()
