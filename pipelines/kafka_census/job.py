"""What every job under jobs/ shares: arguments, configuration, session, exit codes.

`start("census")` is a whole job. Whatever goes wrong is one line on stderr,
`error: ...`, and an exit code: 0 done, 1 nothing could be surveyed, 2 bad usage or
configuration (nothing was sent), 3 surveyed but refused. On Databricks a job returns or
raises: a task there takes SystemExit, even 0, for a failure.
"""

import argparse
import io
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, NoReturn

from kafka_census import flow, group_deletion, upkeep
from kafka_census.causes import chain, explained
from kafka_census.clock import Clock
from kafka_census.config import Config, load
from kafka_census.display import printable, printable_lines, write_lines
from kafka_census.errors import ConfigError
from kafka_census.log import FORMATS, Redactor, bind, configure
from kafka_census.progress import NullProgress, Progress, timed
from kafka_census.protocol.settings import ClusterSettings
from kafka_census.runs import Runs
from kafka_census.spark import fall_silent, on_databricks, require_file_system, session
from kafka_census.tables.folder import require_usable
from kafka_census.wording import one_line

if TYPE_CHECKING:
    from kafka_census.quality.own_suites import OwnSuite


@dataclass(frozen=True)
class Job:
    """One job: what it runs, whether that asks Kafka, computes tables, judges, and of what it works.

    cluster  whether `--cluster` must be given; None where the job works on the whole lake
    applies  whether it changes anything only with `--apply`
    plan     whether it works on a plan to delete groups, and sends anything only with `--yes`
    """

    run: Callable[[flow.Work], None]
    help: str
    asks: bool = False
    computes: bool = False
    judges: bool = False
    cluster: bool | None = True
    applies: bool = False
    plan: bool = False


JOBS: Mapping[str, Job] = {
    "census": Job(
        flow.run_census,
        "Survey a cluster: land, compute, gate, publish, report.",
        asks=True,
        computes=True,
        judges=True,
    ),
    "ingest": Job(flow.run_ingest, "Ask the brokers and land their pages.", asks=True),
    "transform": Job(flow.run_transform, "Compute the tables of a landed census.", computes=True),
    "gate": Job(flow.run_gate, "Judge a staged census.", judges=True),
    "publish": Job(flow.run_publish, "Publish a staged census if the gate lets it.", judges=True),
    "report": Job(flow.run_report, "Print what the last published census says.", cluster=False),
    "maintain": Job(upkeep.run_maintain, "Delete what `retention` no longer keeps.", cluster=False, applies=True),
    "migrate": Job(upkeep.run_migrate, "Add the columns of this release to a lake.", cluster=None, applies=True),
    "delete_groups plan": Job(group_deletion.run_plan, "Plan which groups to delete, from history; asks nobody."),
    "delete_groups apply": Job(
        group_deletion.run_apply, "Delete the groups of a plan that are as it says.", asks=True, plan=True
    ),
    "delete_groups undo": Job(
        group_deletion.run_undo, "Restore the offsets of deleted groups that are still absent.", asks=True, plan=True
    ),
}
"""By name; a job of several steps has an entry a step."""


_RESUMED = "an unfinished census goes on with --resume"
_GOES_ON = {
    "census": _RESUMED,
    "ingest": _RESUMED,
    "delete_groups": "run it again: it goes on, and does nothing twice",
}


_MOST_ROWS = 1_000_000
"""What the driver holds of one table to print it."""


class _Parser(argparse.ArgumentParser):
    """Bad usage is an error like any other: one line."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}; see --help")


def parser(name: str) -> argparse.ArgumentParser:
    """The command line of a job; its `step` is empty where it has none."""
    entry = f"jobs/{name}.py"
    if name in JOBS:
        this = _Parser(prog=entry, description=JOBS[name].help, allow_abbrev=False)
        _add_arguments(this, name)
        this.set_defaults(step="")
        return this
    this = _Parser(prog=entry, description="Each step has a --help of its own.", allow_abbrev=False)
    steps = this.add_subparsers(dest="step", required=True, metavar="STEP")
    for step, job in JOBS.items():
        if step.startswith(f"{name} "):
            word = step.removeprefix(f"{name} ")
            _add_arguments(steps.add_parser(word, help=job.help, description=job.help, allow_abbrev=False), step)
    return this


def _add_arguments(this: argparse.ArgumentParser, name: str) -> None:
    job = JOBS[name]
    this.add_argument("--config", default="conf/census.yaml", metavar="PATH", help="default: conf/census.yaml")
    if job.cluster is not None:
        this.add_argument("--cluster", required=job.cluster, metavar="NAME", help="a name in the file's clusters")
    if job.applies:
        this.add_argument("--apply", action="store_true", help="do it; without, only print what would be done")
    if name == "maintain":
        text = "only retire these published censuses of --cluster, whatever `retention` says"
        this.add_argument("--retire", nargs="+", default=(), metavar="ID", help=text)
    if job.plan:
        this.add_argument("--plan", required=True, metavar="ID", help="the id that `plan` printed")
        this.add_argument("--yes", action="store_true", help="do it; without, say what would be done and send nothing")
    elif name in ("report", "delete_groups plan"):
        this.add_argument("--limit", type=_rows, default=15, metavar="ROWS", help="rows of each table; default: 15")
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
    this.add_argument("--debug", action="store_true", help="show the traceback of an error")


def _rows(text: str) -> int:
    """A number of rows as Spark takes it."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _MOST_ROWS:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {_MOST_ROWS}, not '{text}'")
    return int(text)


def start(name: str) -> None:
    """Run a job and end the process with its exit code; on Databricks return or raise."""
    if on_databricks():
        _on_databricks(name, sys.argv[1:])
    else:
        sys.exit(main(name, sys.argv[1:]))


def main(name: str, argv: Sequence[str]) -> int:
    """Run a job; its exit code. Errors are told on stderr in one line."""
    redactor = Redactor()
    _forgive_encoding(sys.stdout, sys.stderr)
    try:
        perform(name, argv, redactor)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last resort of a process: told in one line
        if any(isinstance(each, KeyboardInterrupt) for each in chain(error)):  # what cleans up may fail because of it
            fall_silent()
            return _tell(error, f"interrupted; {_GOES_ON.get(name, 'run it again')}", 1, argv, redactor)
        *others, last = map(ConfigError, error.args) if isinstance(error, ConfigError) else [error]
        for other in others:
            _tell(other, one_line(other, redactor.hide), ConfigError.exit_code, (), redactor)
        line, known = one_line(last, redactor.hide), explained(error, redactor.hide)
        if known is not None:
            return _tell(error, line, known.exit_code, argv, redactor)
        hint = "" if "--debug" in argv else "; this is a bug, run again with --debug for the traceback"
        return _tell(error, f"{line}{hint}", 1, argv, redactor)
    return 0


def perform(name: str, argv: Sequence[str], redactor: Redactor) -> None:
    """Run a job. Raises CensusError for what a user can cause or meet."""
    args = parser(name).parse_args(argv)
    name = f"{name} {args.step}".strip()
    log = configure(args.log_format, redactor)
    progress: Progress = log if name != "report" else NullProgress()  # whose result alone goes through a pipe
    config = load(args.config)
    settings = None
    cluster: str = getattr(args, "cluster", None) or ""
    if cluster:
        config.section(cluster)
        bind(cluster=cluster)
    if JOBS[name].asks:
        settings = config.cluster(cluster)
        redactor.learn(settings)
        exposed = config.exposed(cluster)
        if exposed:
            log.warning("secrets_exposed", files=list(exposed), remedy="others can read them; chmod o= each of them")
    changes = getattr(args, "apply", False) or getattr(args, "yes", False)
    only_looks = name == "report" or ((JOBS[name].applies or JOBS[name].plan) and not changes)
    require_usable(config.lake, writes=not only_looks)
    desired = config.desired(cluster) if JOBS[name].computes else ()
    clock = Clock()
    own: tuple[OwnSuite, ...] = ()
    if JOBS[name].judges:
        own = _own_suites(config, progress)
        _import_ahead("kafka_census.quality.gate")
    if settings is not None and getattr(args, "yes", True):
        _reach(settings, config)
    with timed(progress, "spark_started", clock):
        spark = session(f"kafka-census {name}", args.config)
    require_file_system(spark, config.lake)
    work = flow.Work(
        spark=spark,
        config=config,
        cluster=cluster,
        settings=settings,
        runs=Runs(spark, config.lake, clock),
        clock=clock,
        progress=progress,
        redactor=redactor,
        out=sys.stdout,
        census_id=getattr(args, "census_id", None),
        resume=getattr(args, "resume", False),
        limit=getattr(args, "limit", 15),
        reports=not getattr(args, "no_report", False),
        desired=desired,
        own_suites=own,
        accept_row_counts=getattr(args, "accept_row_counts", False),
        apply=changes,
        plan_id=getattr(args, "plan", None),
        retire=tuple(getattr(args, "retire", ())),
    )
    JOBS[name].run(work)


def _reach(settings: ClusterSettings, config: Config) -> None:
    """Raise before Spark is started what would end the job after it: nothing listens, a wrong password or cluster.

    Who is behind the name is asked again once there is a session: half a minute lies between, and that answer counts.
    """
    from kafka_census.landing.identify import identify

    identify(settings, config.collect)


def _own_suites(config: Config, progress: Progress) -> "tuple[OwnSuite, ...]":
    """The operator's expectations; Great Expectations, which is slow to import, is only where there are some."""
    if not any(config.expectations.glob("*.json")):
        return ()
    from kafka_census.quality.own_suites import own_suites
    from kafka_census.quality.suites import SUITES

    own = own_suites(config.expectations, SUITES)
    progress("expectations_read", files=[suite.file for suite in own])
    return own


def _import_ahead(module: str) -> None:
    """Import a slow module while the JVM starts; should that fail, its import in the main thread says so."""

    def quietly() -> None:
        with suppress(Exception):
            import_module(module)

    Thread(target=quietly, daemon=True).start()


def _tell(error: BaseException, line: str, code: int, argv: Sequence[str], redactor: Redactor) -> int:
    """Print what went wrong; the exit code. `line` holds no secret any more."""
    if "--debug" in argv:
        sys.stderr.write(_traceback(error, redactor))
    write_lines([f"error: {line}"], sys.stderr)
    return code


def _traceback(error: BaseException, redactor: Redactor) -> str:
    return printable_lines(redactor.hide("".join(traceback.format_exception(error))))


def _on_databricks(name: str, argv: Sequence[str]) -> None:
    """Return or raise: what can be explained as an error of ours, a bug as RuntimeError; neither shows a secret."""
    redactor = Redactor()
    try:
        perform(name, argv, redactor)
    except Exception as error:  # noqa: BLE001 - raised again without what must not be shown
        known = explained(error, redactor.hide)
        text = _traceback(error, redactor) if "--debug" in argv else printable(one_line(error, redactor.hide))
        raise (type(known) if known else RuntimeError)(text) from None


def _forgive_encoding(*streams: object) -> None:
    """Group ids may hold any character; a terminal that lacks one shows its escape."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
