"""A lake as somebody asks it: statements and commands with their answers, and first how old these are."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TextIO

from kafka_census import __version__
from kafka_census.clock import Clock
from kafka_census.lake.cluster_key import mixed
from kafka_census.reading.sql.age import State, ages
from kafka_census.reading.sql.described import columns_of, listing
from kafka_census.reading.sql.output import FORMATS
from kafka_census.reading.sql.prompt import is_command, shown
from kafka_census.reading.sql.session import Session
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.terminal.columns import terminal_width, wrapped
from kafka_census.terminal.display import write_lines
from kafka_census.terminal.human import short_path


@dataclass
class Shell:
    """What answers the statements of one command.

    open      opens the lake as it is now
    at        the aware time of `--as-of`; None: now
    present   the present name of a cluster by each of its former names
    comments  returns what a row is by the name of a table, for tables in the lake that have no comment yet
    """

    session: Session
    open: Callable[[], PublishedLake]
    at: datetime | None
    present: Mapping[str, str]
    comments: Callable[[], Mapping[str, str]]
    _told: set[State] = field(default_factory=set, init=False)
    _opened: PublishedLake | None = field(default=None, init=False)

    def opened(self) -> PublishedLake:
        """The lake as it was at the last statement."""
        return self._opened or self._open_again()

    def banner(self) -> Sequence[str]:
        """The lake, the age of what it shows, and how to get help."""
        width = terminal_width()
        lake = self._open_again()
        lines = [line for told in self._news(lake) for line in wrapped(told, "", "  ", width)]
        help_ = "\\d lists views, \\d NAME its columns, \\? helps, \\q leaves; end statements with ;"
        return [f"kafka-census {__version__}, lake {short_path(lake.root)}", *lines, *wrapped(help_, width=width), ""]

    def describe(self, name: str) -> Sequence[str]:
        """The columns of a view; for an empty name, all views."""
        lake, width = self._open_again(), terminal_width()
        if name:
            return columns_of(name, self.session, lake, self.comments(), width)
        return listing(lake, self.comments(), width)

    def answer(self, text: str, form: str, out: TextIO) -> None:
        """Write the results of the statements of a text, or of one command; what is new of their age goes to stderr.

        form  a name of `FORMATS`

        Raises BadQuery, CorruptLake and OutOfResources.
        """
        if is_command(text):
            write_lines(shown(text, self.describe), out)
            return
        lake = self._open_again()
        write_lines([f"note: {line}" for line in self._news(lake)], sys.stderr)
        for result in self.session.results(text, lake, alone=form == "parquet"):
            FORMATS[form](result, out)

    def _open_again(self) -> PublishedLake:
        self._opened = self.open()
        return self._opened

    def _news(self, lake: PublishedLake) -> list[str]:
        """The lines that were not told before, but for the age in them."""
        as_of = f" as of {self.at:%Y-%m-%d %H:%M %Z}" if self.at else ""
        told: list[tuple[State, str]] = [((line,), line) for line in mixed(lake.lasts, self.present)]
        told += list(ages(self.session, lake, self.present, self.at or Clock().now(), as_of))
        new = [line for state, line in told if state not in self._told]
        self._told.update(state for state, _ in told)
        return new
