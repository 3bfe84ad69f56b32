"""The command lines of the jobs: which options each takes, and bad usage as one line."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from kafka_census.log import FORMATS
from kafka_census.usage import Parser, add_config, add_debug
from kafka_census.workflows.requests import Common, Inputs
from kafka_census.workflows.work import ROWS, Work

W = TypeVar("W", bound=Work)


@dataclass(frozen=True)
class Job(Generic[W]):
    """One job: what it runs, whether that asks Kafka, computes tables, judges, and of what it works.

    work     makes what `run` takes
    cluster  whether `--cluster` must be given; None where the job works on the whole lake
    fleet    whether it may be given several times, or as `--all-clusters`
    applies  whether it changes anything only with `--apply`
    plan     whether it works on a plan to delete groups, and sends anything only with `--yes`
    """

    run: Callable[[W], None]
    work: Callable[[Common, Inputs, argparse.Namespace], W]
    help: str
    asks: bool = False
    computes: bool = False
    judges: bool = False
    cluster: bool | None = True
    fleet: bool = False
    applies: bool = False
    plan: bool = False


_MOST_ROWS = 1_000_000
"""What the driver holds of one table to print it."""


def parser(name: str, jobs: Mapping[str, Job[Any]]) -> argparse.ArgumentParser:
    """The command line of a job; its `step` is empty where it has none."""
    entry = f"jobs/{name}.py"
    if name in jobs:
        this = Parser(prog=entry, description=jobs[name].help)
        _add_arguments(this, name, jobs[name])
        this.set_defaults(step="")
        return this
    this = Parser(prog=entry, description="Each step has a --help of its own.")
    steps = this.add_subparsers(dest="step", required=True, metavar="STEP")
    for step, job in jobs.items():
        if step.startswith(f"{name} "):
            word = step.removeprefix(f"{name} ")
            of_step = steps.add_parser(word, help=job.help, description=job.help)
            _add_arguments(of_step, step, job)
    return this


def _add_arguments(this: argparse.ArgumentParser, name: str, job: Job[Any]) -> None:
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
    elif name in ("report", "delete_groups plan"):
        text = f"rows of each table; default: {ROWS}"
        this.add_argument("--limit", type=_rows, default=ROWS, metavar="ROWS", help=text)
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
        this.add_argument("--no-report", action="store_true", help="end once it is published; jobs/report.py prints it")
    this.add_argument("--log-format", choices=FORMATS, default="auto", help="default: console on a terminal, else json")
    add_debug(this)


def _add_cluster(this: argparse.ArgumentParser, job: Job[Any]) -> None:
    if job.fleet:
        which = this.add_mutually_exclusive_group(required=True)
        text = "a name in the file's clusters; several, one after the other, where it is given again"
        which.add_argument("--cluster", action="append", metavar="NAME", help=text)
        which.add_argument("--all-clusters", action="store_true", help="every cluster of the file, one after the other")
    elif job.cluster is not None:
        this.add_argument("--cluster", required=job.cluster, metavar="NAME", help="a name in the file's clusters")


def _rows(text: str) -> int:
    """A number of rows as Spark takes it."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _MOST_ROWS:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {_MOST_ROWS}, not '{text}'")
    return int(text)
