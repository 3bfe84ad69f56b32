"""The options of the jobs, for jobs/<name>.py and for `kafka-census`."""

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kafka_census.cli.usage import Parser, add_config
from kafka_census.declarations.given import CLUSTER
from kafka_census.declarations.jobs import JOBS, Job, summary
from kafka_census.errors import ConfigError
from kafka_census.reading.report.fail_on import require_computed
from kafka_census.tables.problems import SEVERITY, STALE, WORDS
from kafka_census.terminal.log import FORMATS

if TYPE_CHECKING:
    from kafka_census.config import Config

ROWS = 15
"""The default number of printed rows of a table."""

_CLUSTER = (
    "a name in the configuration's clusters, needed where there are several; with --bootstrap-server the name that the "
    f"cluster has in the lake, by default {CLUSTER}"
)

_RISK = "risk:"
_MOST_ROWS = 1_000_000
"""The largest number of rows of a table that the driver holds for printing."""


def parser(name: str) -> argparse.ArgumentParser:
    """The command line of jobs/<name>.py."""
    this = Parser(prog=f"jobs/{name}.py", description=summary(name))
    add_arguments(this, name)
    return this


def add_arguments(parser: argparse.ArgumentParser, name: str) -> tuple[argparse.ArgumentParser, ...]:
    """Add the options of a job to a parser, or to one subparser per step; returns the parsers with the options.

    The namespace has the `step`, which is empty for a job without steps.
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


def chosen_clusters(args: argparse.Namespace, job: Job, config: "Config") -> tuple[str, ...]:
    """The clusters of a job, without duplicates; empty for a job on the whole lake. Raises ConfigError.

    What is not published is reported of one cluster: without a configuration, of the only one of the lake.
    """
    of_lake = getattr(args, "shows", None) == "unpublished" and config.clusters
    if getattr(args, "all_clusters", False):
        named = tuple(config.clusters)
    else:
        given = getattr(args, "cluster", None) or ()
        named = (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))
    if not named and (job.cluster or of_lake or getattr(args, "retire", ())):
        named = (config.only_cluster,)
    for cluster in named if config.clusters else ():
        config.section(cluster)
    require_consistent(args, config.tables, named)
    return named


def require_consistent(args: argparse.Namespace, tables: Sequence[str], clusters: Sequence[str]) -> None:
    """Raise ConfigError for options that contradict each other, or name what these surveyed tables do not show."""
    census_id = getattr(args, "census_id", None)
    shows = getattr(args, "shows", None)
    if args.json and shows and (args.full or args.limit):
        raise ConfigError("--json has no rows of tables; ask for them: kafka-census sql --format json -e QUERY")
    if len(clusters) > 1 and census_id:
        raise ConfigError("--census-id names a census of one cluster; give one --cluster with it")
    if shows is None:
        require_computed(getattr(args, "fail_on", ()), tables)
    elif census_id and shows != "unpublished":
        raise ConfigError("--census-id goes with --unpublished: of published censuses the last one is reported")


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
        this.add_argument("--plan", dest="plan_id", required=True, metavar="ID", help="the id that `plan` printed")
        this.add_argument(
            "--yes", dest="apply", action="store_true", help="do it; without, say what would be done and send nothing"
        )
    elif name == "delete_groups plan":
        text = f"rows of each table; default: {ROWS}"
        this.add_argument("--limit", type=_rows, default=ROWS, metavar="ROWS", help=text)
    elif name == "report":
        _add_report(this)
    elif job.cluster:
        which = this.add_mutually_exclusive_group()
        text = "resume this unfinished census" if job.asks else "default: the last census of the cluster"
        which.add_argument("--census-id", metavar="ID", help=text)
        if job.asks:
            text = "resume the last unfinished census of this cluster, or start a new census"
            which.add_argument("--resume", action="store_true", help=text)
    if job.judges:
        text = "publish even if a table has lost more rows than gate.keep_rows allows"
        this.add_argument("--accept-row-counts", action="store_true", help=text)
    if name == "census":
        this.add_argument("--no-report", dest="reports", action="store_false", help="end once the census is published")
        _add_fail_on(this, WORDS)
    this.add_argument("--json", action="store_true", help="print results for scripts: one JSON object per line")
    text = "default: auto, which is one rewritten line on a terminal, and json elsewhere"
    this.add_argument("--log-format", choices=FORMATS, default="auto", help=text)


def _add_report(this: argparse.ArgumentParser) -> None:
    this.add_argument("--full", action="store_true", help="everything, not only what is wrong and one line per table")
    text = f"rows of each table; implies --full; default: {ROWS}"
    this.add_argument("--limit", type=_rows, metavar="ROWS", help=text)
    which = this.add_mutually_exclusive_group()
    this.set_defaults(shows="computed")
    text = "the last published census, also where a newer one was computed and refused"
    which.add_argument("--published", dest="shows", action="store_const", const="published", help=text)
    text = "the last census of --cluster that was computed, and refused or not published"
    which.add_argument("--unpublished", dest="shows", action="store_const", const="unpublished", help=text)
    this.add_argument("--census-id", metavar="ID", help="with --unpublished: this census")
    _add_fail_on(this, (*WORDS, STALE))


def _add_fail_on(this: argparse.ArgumentParser, words: Sequence[str]) -> None:
    risks = [word for word in words if SEVERITY.get(word) == "risk"]
    text = (
        "end with exit code 4 if the census shows one of these problems, separated by commas: "
        f"{', '.join(word for word in words if word not in risks)}; or one of these risks, as {_RISK}WORD: "
        f"{', '.join(risks)}"
    )
    this.add_argument("--fail-on", type=partial(_words, known=words), default=(), metavar="WORDS", help=text)


def _add_cluster(this: argparse.ArgumentParser, job: Job) -> None:
    if job.fleet:
        which = this.add_mutually_exclusive_group()
        text = f"{_CLUSTER}; repeat the option for several, one after the other"
        which.add_argument("--cluster", action="append", metavar="NAME", help=text)
        which.add_argument("--all-clusters", action="store_true", help="every cluster of the file, one after the other")
    elif job.cluster is not None:
        text = _CLUSTER if job.cluster else "a name in the configuration's clusters; default: all"
        this.add_argument("--cluster", metavar="NAME", help=text)


def _words(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """Words of problems, without duplicates; those of risks may stand behind `_RISK`."""
    given = tuple(dict.fromkeys(word.strip() for word in text.split(",")))
    for word in given:
        bare = word.removeprefix(_RISK)
        if bare not in known or (bare != word and SEVERITY[bare] != "risk"):
            raise argparse.ArgumentTypeError(f"'{word}' is none of {', '.join(known)}")
    return tuple(dict.fromkeys(word.removeprefix(_RISK) for word in given))


def _rows(text: str) -> int:
    """A number of rows within Spark's limit."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _MOST_ROWS:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {_MOST_ROWS}, not '{text}'")
    return int(text)
