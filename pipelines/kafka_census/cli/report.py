"""`kafka-census report`: on the terminal the job `report`, with Spark; as HTML or Markdown without Spark.

`--html FILE` writes one HTML file, `--md` prints Markdown. All show the newest computed census of a cluster, marked
where the gate refused it.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kafka_census.cli.jobs import JobCommand
from kafka_census.cli.path_lake import moment, path_lake, require_packages
from kafka_census.errors import ConfigError, CorruptLake
from kafka_census.files import whole_file
from kafka_census.terminal.display import write_lines
from kafka_census.terminal.log import Redactor

if TYPE_CHECKING:
    from kafka_census.reading.html.head import Head

_WITH_SPARK = ("full", "limit", "census_id", "fail_on", "json")
"""Options that only a report with Spark has."""


@dataclass(frozen=True)
class ReportCommand(JobCommand):
    """The job `report`, and the reports without Spark."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the job, and those of a report without Spark."""
        super().add_arguments(parser)
        text = "write one HTML file that opens anywhere, instead of printing; needs no Spark"
        parser.add_argument("--html", metavar="FILE", help=text)
        text = "print a few lines of Markdown for chat; needs no Spark"
        parser.add_argument("--md", action="store_true", help=text)
        text = "with --html or --md: the last published census at a time (UTC), or the id of a census"
        parser.add_argument("--as-of", metavar="TIME|CENSUS_ID", help=text)

    def run(self, args: argparse.Namespace, redactor: Redactor) -> int:
        """Write the report; returns the exit code. Raises CensusError."""
        if args.html is None and not args.md:
            if args.as_of is not None:
                raise ConfigError("--as-of is for a report without Spark: give --html FILE or --md with it")
            return super().run(args, redactor)
        given = [f"--{name.replace('_', '-')}" for name in _WITH_SPARK if getattr(args, name)]
        if given:
            raise ConfigError(f"{given[0]} is for a report on the terminal: leave it out, or --html and --md")
        require_packages("html", "duckdb", "deltalake", "jinja2", "pygal")
        from kafka_census.reading.html.markdown import as_markdown
        from kafka_census.reading.html.page import as_html
        from kafka_census.reading.html.read import read_page

        lake = path_lake(args)
        at = moment(args.as_of, lake.root) if args.as_of else None
        if at and args.shows == "unpublished":
            raise ConfigError("--as-of names a published census: leave it out, or --unpublished")
        page = read_page(lake.root, args.cluster, at, lake.present, args.shows, lake.max_age)
        if args.html is not None:
            write_whole(Path(args.html), as_html(page))
        write_lines(as_markdown(page) if args.md else _written(args.html, page.head), sys.stdout)
        if page.damage:
            more = f" (and {len(page.damage) - 1} more)" if len(page.damage) > 1 else ""
            raise CorruptLake(f"{page.damage[0]}{more}")
        return 0


def _written(path: str, head: "Head") -> Sequence[str]:
    return [f"{path} is written: census {head.census_id}{', NOT PUBLISHED' if head.refused is not None else ''}"]


def write_whole(path: Path, text: str) -> None:
    """Replace a file atomically. Raises ConfigError."""
    try:
        whole_file.replace(path, text.encode())
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}; name another FILE") from None
