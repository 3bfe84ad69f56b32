"""A report as it is printed, and then the problems that `--fail-on` names."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TextIO

from kafka_census.errors import ConfigError
from kafka_census.reading.report.as_json import fields_of
from kafka_census.reading.report.fail_on import require_computed, require_fresh, require_none
from kafka_census.reading.report.newest import Choice, Chosen, choose, nothing
from kafka_census.reading.report.presentation import AS_IT_IS, Presentation
from kafka_census.reading.report.render import refusal_lines, report_lines, short_refusal_lines, short_report_lines
from kafka_census.reading.report.source import Source
from kafka_census.reading.report.summary import Refusal, Report, refusal_of, report_of
from kafka_census.terminal.display import write_lines


@dataclass(frozen=True)
class Asked:
    """A question to a lake.

    prints   whether anything is printed
    as_json  whether that is JSON
    fail_on  words of problems of which one that is found is an error
    how      for people: the width, and what completes commands
    """

    choice: Choice = field(default_factory=Choice)
    prints: bool = True
    as_json: bool = False
    fail_on: tuple[str, ...] = ()
    how: Presentation = AS_IT_IS


def censuses(source: Source, choice: Choice, now: datetime | None) -> Sequence[Report | Refusal]:
    """The report of each census that is chosen. Arguments and errors are those of `choose`."""
    return [_reported(source, choice, chosen, now) for chosen in choose(source, choice, now)]


def _reported(source: Source, choice: Choice, chosen: Chosen, now: datetime | None) -> Report | Refusal:
    if chosen.refused is None:
        report = report_of(source, chosen.rows, choice.limit)
        return replace(report, newer=chosen.newer, now=now, max_age=choice.max_age)
    refusal = refusal_of(source, chosen.rows, chosen.published, choice.limit, choice.policy)
    return replace(refusal, at=chosen.refused.at, newer=chosen.newer, now=now, max_age=choice.max_age)


def answer(source: Source, asked: Asked, out: TextIO, now: datetime | None) -> Sequence[Report | Refusal]:
    """Print the chosen census of each cluster; returns them. A lake without any is one line.

    now  None at the end of a job that has published its census

    Raises as `censuses` does, and TroubleFound for problems that `fail_on` names.
    """
    choice = asked.choice
    found = censuses(source, choice, now)
    for number, census in enumerate(found if asked.prints else ()):
        write_lines([""] if number and not asked.as_json else [], out)
        show(census, out, choice.limit, asked.how, as_json=asked.as_json)
    if not found:
        none = nothing(choice)
        if asked.fail_on and choice.shows != "unpublished":
            raise ConfigError(f"{none}, and so --fail-on has nothing to look at")
        write_lines([] if asked.as_json else [none], out)
    for census in found:
        require_computed(asked.fail_on, (section.table for section in census.sections))
    for census in found:
        hidden = ", not published," if isinstance(census, Refusal) else ""
        require_none(asked.fail_on, f"census {census.census_id} of {census.cluster}{hidden}", census.counts)
        if now is not None:
            require_fresh(asked.fail_on, census.cluster, census.published_at, now, choice.max_age)
    return found


def show(census: Report | Refusal, out: TextIO, limit: int, how: Presentation, *, as_json: bool = False) -> None:
    """Print one census: with a limit whole, without its headline and a line for each table; or as JSON."""
    if isinstance(census, Refusal):
        lines = (refusal_lines if limit else short_refusal_lines)(census, how)
    else:
        lines = (report_lines if limit else short_report_lines)(census, how)
    write_lines([json.dumps(fields_of(census), default=str)] if as_json else lines, out)
