"""How a process of ours says what went wrong: in one line on stderr, `error: ...`, with the exit code of the error."""

import sys
import traceback

from kafka_census.causes import explained
from kafka_census.display import printable_lines, write_lines
from kafka_census.errors import ConfigError
from kafka_census.log import Redactor
from kafka_census.wording import one_line


def report(error: BaseException, redactor: Redactor, *, debug: bool, cluster: str = "") -> int:
    """Report an error, each mistake of a configuration in a line of its own; the exit code.

    debug    show its traceback before the last line
    cluster  the one of several whose error it is: the last line names it
    """
    *others, last = map(ConfigError, error.args) if isinstance(error, ConfigError) else [error]
    write_lines([f"error: {one_line(other, redactor.hide)}" for other in others], sys.stderr)
    line, known = one_line(last, redactor.hide), explained(error, redactor.hide)
    if cluster and not line.startswith(f"cluster '{cluster}'"):
        line = f"cluster '{cluster}': {line}"
    if known is None and not debug:
        line += "; this is a bug, run again with --debug for the traceback"
    say(error, line, redactor, debug=debug)
    return 1 if known is None else known.exit_code


def say(error: BaseException, line: str, redactor: Redactor, *, debug: bool) -> None:
    """Print a line for an error, which holds no secret any more."""
    if debug:
        sys.stderr.write(shown_traceback(error, redactor))
    write_lines([f"error: {line}"], sys.stderr)


def shown_traceback(error: BaseException, redactor: Redactor) -> str:
    """The traceback, without secrets and without what could drive a terminal."""
    return printable_lines(redactor.hide("".join(traceback.format_exception(error))))
