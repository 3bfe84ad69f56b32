"""`kafka-census report`: on the terminal, as HTML (`--html FILE`) or as Markdown (`--md`).

All show the newest computed census of a cluster, marked where the gate refused it. A lake on a path is read without
Spark. One in a catalog is read by Spark, which `--spark-conf` asks for, too, for a report on the terminal.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from kafka_census.cli.jobs import JobCommand
from kafka_census.cli.lake_to_read import LakeToRead, lake_to_read, moment, require_packages
from kafka_census.cli.usage import given
from kafka_census.errors import ConfigError, CorruptLake
from kafka_census.files import whole_file
from kafka_census.terminal.columns import wrapped
from kafka_census.terminal.display import write_lines
from kafka_census.terminal.human import counted
from kafka_census.terminal.log import Redactor

if TYPE_CHECKING:
    from kafka_census.config import Config
    from kafka_census.reading.html.head import Head

_ON_THE_TERMINAL = ("full", "limit", "census_id", "fail_on", "json")
"""Options that only a report on the terminal has."""

_READERS = ("duckdb", "deltalake")
"""The packages that read a lake without Spark."""


@dataclass(frozen=True)
class ReportCommand(JobCommand):
    """The report, which is a job only where Spark reads the lake."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the job, and those of a report without Spark."""
        super().add_arguments(parser)
        text = "write one HTML file that opens anywhere, instead of printing"
        parser.add_argument("--html", metavar="FILE", help=text)
        text = "with --html: FILE is a folder; write a page for each cluster of the lake, and index.html"
        parser.add_argument("--all-clusters", action="store_true", help=text)
        parser.add_argument("--md", action="store_true", help="print a few lines of Markdown for chat")
        text = "only rows about things of this owner, in tables that have owners: see docs/foresight.md"
        parser.add_argument("--owner", metavar="NAME", help=text)
        text = "with --html or --md: the last published census at a time (UTC), or the id of a census"
        parser.add_argument("--as-of", metavar="TIME|CENSUS_ID", help=text)

    def run(self, args: argparse.Namespace, redactor: Redactor) -> int:
        """Print or write the report; returns the exit code. Raises CensusError."""
        if args.html is not None or args.md:
            return _page(args)
        if args.as_of or args.all_clusters:
            option = "--as-of" if args.as_of else "--all-clusters"
            raise ConfigError(f"{option} is for a page: give --html FILE or --md with it")
        require_packages("spark", "pyspark")
        from kafka_census.config import load_given

        config = load_given(given(args), asks=False)
        by_spark = config.lake.root is None or args.spark_conf or not all(map(find_spec, _READERS))
        if by_spark and args.owner is not None:
            raise ConfigError("--owner is for a lake on a path, without --spark-conf; ask `owner` of the views in SQL")
        return super().run(args, redactor) if by_spark else _terminal(args, config)


def _terminal(args: argparse.Namespace, config: "Config") -> int:
    """Print the report of a lake on a path."""
    from kafka_census.census.gate.policy import GatePolicy
    from kafka_census.cli.arguments import ROWS, chosen_clusters
    from kafka_census.cli.configured import print_notes
    from kafka_census.clock import Clock
    from kafka_census.declarations.jobs import JOBS
    from kafka_census.lake.cluster_key import Names
    from kafka_census.lake.folder import require_usable
    from kafka_census.reading.of_owner import NOTE
    from kafka_census.reading.report.answer import Asked, answer
    from kafka_census.reading.report.in_duckdb import InDuckDB
    from kafka_census.reading.report.newest import Choice
    from kafka_census.reading.report.presentation import presentation

    print_notes(config)
    of_one = [config.names(cluster) for cluster in chosen_clusters(args, JOBS["report"], config)]
    names = Names(of_one[0] if of_one else (), config.present_names)
    require_usable(config.lake, writes=False)
    source = InDuckDB(str(config.lake.folder or config.lake.root), owner=args.owner)
    if not config.clusters:
        source.require_there()
    limit = args.limit or (ROWS if args.full else 0)
    choice = Choice(names, args.shows, args.census_id, limit, GatePolicy.of(config), config.max_age)
    asked = Asked(choice, True, args.json, args.fail_on, presentation(config, sys.stdout))
    if args.owner is not None and not args.json:
        write_lines(wrapped(NOTE.format(owner=args.owner), width=asked.how.width), sys.stdout)
    answer(source, asked, sys.stdout, Clock().now())
    return 0


def _page(args: argparse.Namespace) -> int:
    """Write the HTML file, print the Markdown."""
    options = [f"--{name.replace('_', '-')}" for name in _ON_THE_TERMINAL if getattr(args, name)]
    if options:
        raise ConfigError(f"{options[0]} is for a report on the terminal: leave it out, or --html and --md")
    require_packages("html", *_READERS, "jinja2")
    lake = lake_to_read(args)
    at = moment(args.as_of, lake.open) if args.as_of else None
    if at and args.shows == "unpublished":
        raise ConfigError("--as-of names a published census: leave it out, or --unpublished")
    if not args.all_clusters:
        return _of_one(args, lake, at)
    if args.html is None or args.md or args.cluster:
        raise ConfigError("--all-clusters goes with --html FOLDER, without --md and --cluster")
    return _of_all(args, lake, at)


def _of_one(args: argparse.Namespace, lake: LakeToRead, at: datetime | None) -> int:
    from kafka_census.reading.html.markdown import as_markdown
    from kafka_census.reading.html.page import as_html
    from kafka_census.reading.html.read import read_page

    page = read_page(lake.open(), args.cluster, at, lake.present, args.shows, lake.max_age, args.owner, lake.how)
    if args.html is not None:
        write_whole(Path(args.html), as_html(page))
    write_lines(as_markdown(page) if args.md else _written(args.html, page.head), sys.stdout)
    if page.damage:
        more = f" (and {len(page.damage) - 1} more)" if len(page.damage) > 1 else ""
        raise CorruptLake(f"{page.damage[0]}{more}")
    return 0


def _of_all(args: argparse.Namespace, lake: LakeToRead, at: datetime | None) -> int:
    """Write a page for each cluster, and the index; what is damaged is in both, and raised at the end."""
    from kafka_census.clock import Clock
    from kafka_census.reading.html.cells import TIME
    from kafka_census.reading.html.fleet import as_index, member, without_page
    from kafka_census.reading.html.head import clusters_of
    from kafka_census.reading.html.page import as_html
    from kafka_census.reading.html.read import read_page

    opened = lake.open()
    clusters = sorted({*clusters_of(opened, at, lake.present, args.shows), *lake.how.servers})
    folder, members, damage = Path(args.html), [], []
    _make_folder(folder)
    for cluster in clusters:
        try:
            page = read_page(opened, cluster, at, lake.present, args.shows, lake.max_age, args.owner, lake.how)
        except (ConfigError, CorruptLake) as error:
            members.append(without_page(cluster, str(error)))
            damage += [str(error)] if isinstance(error, CorruptLake) else []
        else:
            members.append(member(page))
            damage += page.damage
            write_whole(folder / members[-1].file, as_html(page))
    write_whole(folder / "index.html", as_index(members, TIME.text(at or Clock().now())))
    write_lines([f"{folder / 'index.html'} is written: {counted(len(members), 'cluster')}"], sys.stdout)
    if damage:
        raise CorruptLake(damage[0])
    return 0


def _written(path: str, head: "Head") -> Sequence[str]:
    return [f"{path} is written: census {head.census_id}{', NOT PUBLISHED' if head.refused is not None else ''}"]


def _make_folder(path: Path) -> None:
    """Make a folder, and those above it. Raises ConfigError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{path} cannot be made: {error.strerror}; name another folder") from None


def write_whole(path: Path, text: str) -> None:
    """Replace a file atomically. Raises ConfigError."""
    try:
        whole_file.replace(path, text.encode())
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}; name another FILE") from None
