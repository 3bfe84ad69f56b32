"""Commands in the line of an error, such as `survey it first: kafka-census run`: they are typed, so they must run.

Such a line is made where the command line is not known. Its commands get the options of the command line that failed,
and so lead to the same configuration and the same lake.
"""

import os
import re
import shlex
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from kafka_census.declarations.given import is_override
from kafka_census.declarations.jobs import COMMANDS, JOBS
from kafka_census.defaults import CONFIG
from kafka_census.lake.lake import holds_credentials

_OPTIONS = ("--config", "--bootstrap-server", "--command-config", "--lake")
_ASKS = {"doctor": True, "sql": False, "diff": False, "impact": False} | {
    " ".join((word, *step)): job.asks
    for word, of in COMMANDS.items()
    for name, job in JOBS.items()
    for first, *step in [name.split()]
    if first == of
}
"""Subcommands, and whether they ask brokers."""

_COMMAND = re.compile(rf"\bkafka-census (?P<name>{'|'.join(sorted(_ASKS, key=len, reverse=True))})\b")


def options_of(argv: Sequence[str]) -> str:
    """The options of a command line, which may be wrong, that name its configuration and lake, as a shell takes them.

    An address with credentials is left out.
    """
    words = [word for each in argv for word in (each.split("=", 1) if each.startswith(_OPTIONS) else [each])]
    given = {option: value for option, value in pairwise(words) if option in _OPTIONS and not holds_credentials(value)}
    given = {option: value for option, value in given.items() if (option, value) != ("--config", CONFIG)}
    return " ".join(f"{option} {shlex.quote(value)}" for option, value in given.items())


def with_options(line: str, options: str) -> str:
    """A line whose commands have these options; one that asks brokers says where to name them, where nothing does."""

    def named(found: re.Match[str]) -> str:
        if line[found.end() :].lstrip().startswith(_OPTIONS):
            return found[0]
        brokers = "--bootstrap-server HOST:PORT" if _ASKS[found["name"]] and not _name_brokers(options) else ""
        return " ".join(filter(None, (found[0], brokers, options)))

    return _COMMAND.sub(named, line)


def _name_brokers(options: str) -> bool:
    """Whether brokers are named with these options: by them, the environment, or the configuration file."""
    by_file = "--config" in options or ("--lake" not in options and Path(CONFIG).exists())
    return by_file or "--bootstrap-server" in options or any(map(is_override, os.environ))
