"""How a process of ours ends: whatever goes wrong is one line on stderr, `error: ...`, and an exit code.

0 done, 1 nothing could be surveyed, 2 bad usage or configuration, 3 surveyed but refused, 4 `--fail-on` found
something: the error's own, as `kafka_census.errors` has them. `--debug` shows the traceback before the line. On
Databricks a process returns or raises: a task there takes SystemExit, even 0, for a failure. It shows no secret that
the `Redactor` knows.
"""

import io
import os
import select
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import TextIO

from kafka_census.causes import explained
from kafka_census.display import printable, printable_lines, write_lines
from kafka_census.errors import ConfigError, Interrupted, NotAllSurveyed
from kafka_census.log import Redactor
from kafka_census.started_by import on_databricks
from kafka_census.wording import one_line

Action = Callable[[Redactor], int]
"""What a process does: it gives an exit code or raises, and teaches the redactor the secrets that it reads."""

_UNREAD = 141
"""The exit code where whoever read the results had enough, as `head` has: that of a process which SIGPIPE ends."""

_BUG = "; this is a bug, run again with --debug for the traceback"


def end(action: Action, argv: Sequence[str]) -> None:
    """Do something and end the process with its exit code; on Databricks return or raise."""
    if on_databricks():
        _return_or_raise(action, argv)
    else:
        sys.exit(ended(action, argv))


def ended(action: Action, argv: Sequence[str]) -> int:
    """Do something; its exit code, or that of the error in which it ended, which is reported on stderr.

    argv  the words of the command line, which may not even have been understood: `--debug` is looked for among them
    """
    redactor = Redactor()
    _forgive_encoding(sys.stdout, sys.stderr)
    try:
        code = action(redactor)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return report(Interrupted("interrupted"), redactor, debug=False)
    except Exception as error:  # noqa: BLE001 - the last resort of a process: reported in one line
        if isinstance(error, BrokenPipeError) and _nobody_reads(sys.stdout):
            return _UNREAD
        return report(error, redactor, debug="--debug" in argv)
    return code


def report(error: Exception, redactor: Redactor, *, debug: bool, cluster: str = "") -> int:
    """Report an error on stderr, each mistake of a configuration in a line of its own; the exit code.

    cluster  the one of several whose error it is: the last line names it
    """
    *others, last = map(ConfigError, error.args) if isinstance(error, ConfigError) else [error]
    lines = [one_line(each, redactor.hide) for each in (*others, last)]
    known = explained(error, redactor.hide)
    if cluster and not lines[-1].startswith(f"cluster '{cluster}'"):
        lines[-1] = f"cluster '{cluster}': {lines[-1]}"
    if known is None and not debug:
        lines[-1] += _BUG
    if debug:
        sys.stderr.write(_traceback(error, redactor))
    write_lines([f"error: {line}" for line in lines], sys.stderr)
    return 1 if known is None else known.exit_code


def _nobody_reads(stream: TextIO) -> bool:
    """Whether it is a pipe whose reader is gone; what is left to write, when Python ends too, is then left out."""
    try:
        descriptor = stream.fileno()
    except OSError:  # no file at all
        return False
    pipe = select.poll()
    pipe.register(descriptor, 0)
    broken = any(event & select.POLLERR for _, event in pipe.poll(0))
    if broken:
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    return broken


def _return_or_raise(action: Action, argv: Sequence[str]) -> None:
    """Raise what can be explained as an error of ours, a bug as RuntimeError; neither shows a secret."""
    redactor = Redactor()
    try:
        code = action(redactor)
    except Exception as error:  # noqa: BLE001 - raised again without what must not be shown
        known = explained(error, redactor.hide)
        text = _traceback(error, redactor) if "--debug" in argv else printable(one_line(error, redactor.hide))
        raise (type(known) if known else RuntimeError)(text) from None
    if code:
        raise NotAllSurveyed("not all of it was done: stderr says what not, and why")


def _traceback(error: BaseException, redactor: Redactor) -> str:
    return printable_lines(redactor.hide("".join(traceback.format_exception(error))))


def _forgive_encoding(*streams: object) -> None:
    """Group ids may hold any character; a terminal that lacks one shows its escape."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
