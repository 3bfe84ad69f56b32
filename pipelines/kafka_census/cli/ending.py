"""The end of a process: an error is one line on stderr, `error: ...`, and an exit code.

0 done, 1 nothing could be surveyed, 2 bad usage or configuration, 3 surveyed but refused, 4 `--fail-on` found
a problem; `kafka_census.errors` defines the code of each error. `--debug` shows the traceback before the line. On
Databricks the process returns or raises, because a task there counts SystemExit, even with 0, as a failure. No output
contains a secret that the `Redactor` knows.
"""

import io
import os
import select
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import TextIO

from kafka_census.cli.same_options import options_of, with_options
from kafka_census.errors import ConfigError, Interrupted, NotAllSurveyed
from kafka_census.errors.causes import explained
from kafka_census.errors.one_line import one_line
from kafka_census.spark.started_by import on_databricks
from kafka_census.terminal.display import printable, printable_lines, write_lines
from kafka_census.terminal.log import Redactor
from kafka_census.threads import leave

Action = Callable[[Redactor], int]
"""The work of a process: it returns an exit code or raises, and passes the secrets that it reads to the redactor."""

_UNREAD = 141
"""The exit code when the reader of stdout closed the pipe, as `head` does: that of a process killed by SIGPIPE."""

_BUG = "; this is a bug, run again with --debug for the traceback"


def end(action: Action, argv: Sequence[str]) -> None:
    """Run the action and end the process with its exit code; on Databricks return or raise."""
    if on_databricks():
        _return_or_raise(action, argv)
    else:
        leave(ended(action, argv))


def ended(action: Action, argv: Sequence[str]) -> int:
    """Run the action; returns its exit code, or that of its error, which is reported on stderr.

    argv  the words of the command line, in which `--debug` is searched even if they are invalid
    """
    redactor = Redactor()
    _forgive_encoding(sys.stdout, sys.stderr)
    try:
        code = action(redactor)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return report(Interrupted("interrupted"), redactor, debug=False, options="")
    except Exception as error:  # noqa: BLE001 - the last resort of a process: reported in one line
        if isinstance(error, BrokenPipeError) and _nobody_reads(sys.stdout):
            return _UNREAD
        return report(error, redactor, debug="--debug" in argv, options=options_of(argv))
    return code


def report(error: Exception, redactor: Redactor, *, debug: bool, options: str, cluster: str = "") -> int:
    """Report an error on stderr, one line per mistake of a configuration; returns the exit code.

    options  those that the commands in a line get: the configuration and the lake
    cluster  the cluster of the error, if the job has several: the last line names it
    """
    *others, last = map(ConfigError, error.args) if isinstance(error, ConfigError) else [error]
    lines = [with_options(one_line(each, redactor.hide), options) for each in (*others, last)]
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
    """Whether the stream is a pipe whose reader is gone; then the rest of the output, at exit too, is discarded."""
    try:
        descriptor = stream.fileno()
    except OSError:  # not a file
        return False
    pipe = select.poll()
    pipe.register(descriptor, 0)
    broken = any(event & select.POLLERR for _, event in pipe.poll(0))
    if broken:
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    return broken


def _return_or_raise(action: Action, argv: Sequence[str]) -> None:
    """Raise an explained error as CensusError, and a bug as RuntimeError; neither contains a secret."""
    redactor = Redactor()
    try:
        code = action(redactor)
    except Exception as error:  # noqa: BLE001 - raised again without secrets
        known = explained(error, redactor.hide)
        text = _traceback(error, redactor) if "--debug" in argv else printable(one_line(error, redactor.hide))
        raise (type(known) if known else RuntimeError)(text) from None
    if code:
        raise NotAllSurveyed("a part of the work was not done: stderr says which part, and why")


def _traceback(error: BaseException, redactor: Redactor) -> str:
    return printable_lines(redactor.hide("".join(traceback.format_exception(error))))


def _forgive_encoding(*streams: object) -> None:
    """Escape characters that the terminal cannot encode: group ids may contain any character."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
