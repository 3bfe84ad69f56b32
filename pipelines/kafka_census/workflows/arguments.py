"""The options of the jobs, be it as jobs/<name>.py or as `kafka-census`."""

import argparse
from collections.abc import Iterator

from kafka_census.log import FORMATS
from kafka_census.report.kinds import WORDS
from kafka_census.usage import Parser, add_config
from kafka_census.workflows.jobs import JOBS, Job, summary

ROWS = 15
"""How many rows of a table are printed, unless another number is asked for."""

_MOST_ROWS = 1_000_000
"""What the driver holds of one table to print it."""


def parser(name: str) -> argparse.ArgumentParser:
    """The command line of jobs/<name>.py."""
    this = Parser(prog=f"jobs/{name}.py", description=summary(name))
    add_arguments(this, name)
    return this


def add_arguments(parser: argparse.ArgumentParser, name: str) -> tuple[argparse.ArgumentParser, ...]:
    """Give a parser the options of a job, or a parser to each of its steps; those that have the options.

    What they parse has the `step`, which is empty where a job has none.
    """
    if name in JOBS:
        _add_options(parser, name, JOBS[name])
        parser.set_defaults(step="")
        return (parser,)
    parsers = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    steps = {step: parsers.add_parser(step, help=job.help, description=job.help) for step, job in _steps(name)}
    for step, job in _steps(name):
        _add_options(steps[step], f"{name} {step}", job)
    return tuple(steps.values())


def _steps(name: str) -> Iterator[tuple[str, Job]]:
    """The steps of a job that has some."""
    for each, job in JOBS.items():
        if each.startswith(f"{name} "):
            yield each.removeprefix(f"{name} "), job


def _add_options(this: argparse.ArgumentParser, name: str, job: Job) -> None:
    add_config(this)
    _add_cluster(this, job)
    if job.applies:
        this.add_argument("--apply", action="store_true", help="do it; without, only print what would be done")
    if name == "maintain":
        text = "only retire these published censuses of --cluster, whatever `retention` says"
        this.add_argument("--retire", nargs="+", default=(), metavar="ID", help=text)
    if job.plan:
        this.add_argument("--plan", required=True, metavar="ID", help="the id that `plan` printed")
        this.add_argument("--yes", action="store_true", help="do it; without, say what would be done and send nothing")
    elif name == "delete_groups plan":
        text = f"rows of each table; default: {ROWS}"
        this.add_argument("--limit", type=_rows, default=ROWS, metavar="ROWS", help=text)
    elif name == "report":
        _add_report(this)
    elif job.cluster:
        which = this.add_mutually_exclusive_group()
        text = "go on with this unfinished census" if job.asks else "default: the last one of the cluster"
        which.add_argument("--census-id", metavar="ID", help=text)
        if job.asks:
            text = "go on with the last unfinished census of this cluster, or start a new one"
            which.add_argument("--resume", action="store_true", help=text)
    if job.judges:
        text = "publish although a table has lost more rows than gate.keep_rows allows"
        this.add_argument("--accept-row-counts", action="store_true", help=text)
    if name == "census":
        this.add_argument("--no-report", action="store_true", help="end once it is published")
        _add_fail_on(this)
    this.add_argument("--json", action="store_true", help="print results for scripts: one JSON object per line")
    text = "default: auto, which is one line that changes on a terminal, else json"
    this.add_argument("--log-format", choices=FORMATS, default="auto", help=text)


def _add_report(this: argparse.ArgumentParser) -> None:
    this.add_argument("--full", action="store_true", help="everything, not only what is wrong and one line per table")
    text = f"rows of each table in everything, which this asks for as well; default: {ROWS}"
    this.add_argument("--limit", type=_rows, metavar="ROWS", help=text)
    text = "of the last census of --cluster that was computed, and refused or not published"
    this.add_argument("--unpublished", action="store_true", help=text)
    this.add_argument("--census-id", metavar="ID", help="with --unpublished: of this census")
    _add_fail_on(this)


def _add_fail_on(this: argparse.ArgumentParser) -> None:
    text = f"end with exit code 4 where the census shows one of these, with commas between: {', '.join(WORDS)}"
    this.add_argument("--fail-on", type=_words, default=(), metavar="WORDS", help=text)


def _add_cluster(this: argparse.ArgumentParser, job: Job) -> None:
    if job.fleet:
        which = this.add_mutually_exclusive_group(required=True)
        text = "a name in the file's clusters; several, one after the other, where it is given again"
        which.add_argument("--cluster", action="append", metavar="NAME", help=text)
        which.add_argument("--all-clusters", action="store_true", help="every cluster of the file, one after the other")
    elif job.cluster is not None:
        this.add_argument("--cluster", required=job.cluster, metavar="NAME", help="a name in the file's clusters")


def _words(text: str) -> tuple[str, ...]:
    """Kinds of trouble, each once."""
    words = tuple(dict.fromkeys(word.strip() for word in text.split(",")))
    for word in words:
        if word not in WORDS:
            raise argparse.ArgumentTypeError(f"'{word}' is none of {', '.join(WORDS)}")
    return words


def _rows(text: str) -> int:
    """A number of rows as Spark takes it."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _MOST_ROWS:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {_MOST_ROWS}, not '{text}'")
    return int(text)
