"""What every job under jobs/ shares: arguments, configuration, session, exit codes.

`start("census")` is a whole job. Whatever goes wrong is one line on stderr,
`error: ...`, and an exit code: 0 done, 1 nothing could be surveyed, 2 bad usage or
configuration (nothing was sent), 3 surveyed but refused. On Databricks a job returns or
raises: a task there takes SystemExit, even 0, for a failure.
"""

import argparse
import io
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any

from kafka_census.causes import chain, explained
from kafka_census.clock import Clock
from kafka_census.config import Config, load
from kafka_census.display import printable
from kafka_census.ending import report, say, shown_traceback
from kafka_census.errors import ConfigError, NotAllSurveyed
from kafka_census.lake.folder import require_usable
from kafka_census.lake.runs import Runs
from kafka_census.log import Redactor, bind, configure
from kafka_census.progress import NullProgress, Progress, timed
from kafka_census.protocol.settings import ClusterSettings
from kafka_census.spark import fall_silent, on_databricks, require_file_system, session
from kafka_census.wording import one_line
from kafka_census.workflows import arguments, deletion, upkeep
from kafka_census.workflows import census as workflow
from kafka_census.workflows.arguments import Job
from kafka_census.workflows.fleet import run_fleet
from kafka_census.workflows.requests import Inputs, census_work, deletion_work, upkeep_work

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafka_census.quality.own_suites import OwnSuite


JOBS: Mapping[str, Job[Any]] = {
    "census": Job(
        workflow.run_census,
        census_work,
        "Survey a cluster: land, compute, gate, publish, report.",
        asks=True,
        computes=True,
        judges=True,
        fleet=True,
    ),
    "ingest": Job(workflow.run_ingest, census_work, "Ask the brokers and land their pages.", asks=True),
    "transform": Job(workflow.run_transform, census_work, "Compute the tables of a landed census.", computes=True),
    "gate": Job(workflow.run_gate, census_work, "Judge a staged census.", judges=True),
    "publish": Job(workflow.run_publish, census_work, "Publish a staged census if the gate lets it.", judges=True),
    "report": Job(workflow.run_report, census_work, "Print what the last published census says.", cluster=False),
    "maintain": Job(
        upkeep.run_maintain, upkeep_work, "Delete what `retention` no longer keeps.", cluster=False, applies=True
    ),
    "migrate": Job(
        upkeep.run_migrate, upkeep_work, "Add the columns of this release to a lake.", cluster=None, applies=True
    ),
    "delete_groups plan": Job(
        deletion.run_plan, deletion_work, "Plan which groups to delete, from history; asks nobody."
    ),
    "delete_groups apply": Job(
        deletion.run_apply, deletion_work, "Delete the groups of a plan that are as it says.", asks=True, plan=True
    ),
    "delete_groups undo": Job(
        deletion.run_undo,
        deletion_work,
        "Restore the offsets of deleted groups that are still absent.",
        asks=True,
        plan=True,
    ),
}
"""By name; a job of several steps has an entry a step."""


_RESUMED = "an unfinished census goes on with --resume"
_GOES_ON = {
    "census": _RESUMED,
    "ingest": _RESUMED,
    "delete_groups": "run it again: it goes on, and does nothing twice",
}


def start(name: str) -> None:
    """Run a job and end the process with its exit code; on Databricks return or raise."""
    if on_databricks():
        _on_databricks(name, sys.argv[1:])
    else:
        sys.exit(main(name, sys.argv[1:]))


def parser(name: str) -> argparse.ArgumentParser:
    """The command line of a job; its `step` is empty where it has none."""
    return arguments.parser(name, JOBS)


def main(name: str, argv: Sequence[str]) -> int:
    """Run a job; its exit code. Errors are reported on stderr in one line."""
    redactor = Redactor()
    _forgive_encoding(sys.stdout, sys.stderr)
    try:
        return perform(name, argv, redactor)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last resort of a process: reported in one line
        if _is_interrupt(error):  # what cleans up may fail because of it
            fall_silent()
            line = f"interrupted; {_GOES_ON.get(name, 'run it again')}"
            say(error, line, redactor, debug="--debug" in argv)
            return 1
        return report(error, redactor, debug="--debug" in argv)


def _is_interrupt(error: BaseException) -> bool:
    return any(isinstance(each, KeyboardInterrupt) for each in chain(error))


def perform(name: str, argv: Sequence[str], redactor: Redactor) -> int:
    """Run a job; its exit code, which is not 0 where one of several clusters failed, and was reported.

    Raises CensusError for what a user can cause or meet.
    """
    args = parser(name).parse_args(argv)
    name = f"{name} {args.step}".strip()
    job = JOBS[name]
    log = configure(args.log_format, redactor)
    progress: Progress = log if name != "report" else NullProgress()  # whose result alone goes through a pipe
    config = load(args.config)
    clusters = _clusters(args, config)
    settings = {}
    if len(clusters) == 1:
        bind(cluster=clusters[0])
    for cluster in clusters if job.asks else ():
        settings[cluster] = config.cluster(cluster)
        redactor.learn(settings[cluster])
        exposed = config.exposed(cluster)
        if exposed:
            remedy = "others can read them; chmod o= each of them"
            log.warning("secrets_exposed", cluster=cluster, files=list(exposed), remedy=remedy)
    changes = getattr(args, "apply", False) or getattr(args, "yes", False)
    only_looks = name == "report" or ((job.applies or job.plan) and not changes)
    require_usable(config.lake, writes=not only_looks)
    desired = {cluster: config.desired(cluster) for cluster in clusters if job.computes}
    clock = Clock()
    own: tuple[OwnSuite, ...] = ()
    if job.judges:
        own = _own_suites(config, progress)
        _import_ahead("kafka_census.quality.gate")

    def reach(cluster: str) -> None:
        if settings and getattr(args, "yes", True):
            _reach(settings[cluster], config)

    def started() -> "SparkSession":
        with timed(progress, "spark_started", clock):
            spark = session(f"kafka-census {name}", args.config)
        require_file_system(spark, config.lake)
        return spark

    def run(spark: "SparkSession", cluster: str) -> None:
        common = (spark, config, cluster, clock, progress, sys.stdout)
        runs = Runs(spark, config.lake, clock)
        inputs = Inputs(runs, redactor, settings.get(cluster), desired.get(cluster, ()), own)
        job.run(job.work(common, inputs, args))

    if len(clusters) > 1:
        return run_fleet(clusters, reach, started, run, partial(_fail_alone, argv=argv, redactor=redactor))
    cluster = clusters[0] if clusters else ""
    reach(cluster)
    run(started(), cluster)
    return 0


def _clusters(args: argparse.Namespace, config: Config) -> tuple[str, ...]:
    """The clusters that a job was given, each once; none where it works on the whole lake. Raises ConfigError."""
    if getattr(args, "all_clusters", False):
        named = tuple(config.clusters)
    else:
        given = getattr(args, "cluster", None) or ()
        named = (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))
    for cluster in named:
        config.section(cluster)
    if len(named) > 1 and getattr(args, "census_id", None):
        raise ConfigError("--census-id names a census of one cluster; give one --cluster with it")
    return named


def _fail_alone(cluster: str, error: Exception, *, argv: Sequence[str], redactor: Redactor) -> int:
    """Tell what one of several clusters failed of; its exit code. An interrupt is meant for all: it is raised."""
    if _is_interrupt(error):
        raise error
    return report(error, redactor, debug="--debug" in argv, cluster=cluster)


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


def _on_databricks(name: str, argv: Sequence[str]) -> None:
    """Return or raise: what can be explained as an error of ours, a bug as RuntimeError; neither shows a secret."""
    redactor = Redactor()
    try:
        code = perform(name, argv, redactor)
    except Exception as error:  # noqa: BLE001 - raised again without what must not be shown
        known = explained(error, redactor.hide)
        text = shown_traceback(error, redactor) if "--debug" in argv else printable(one_line(error, redactor.hide))
        raise (type(known) if known else RuntimeError)(text) from None
    if code:
        raise NotAllSurveyed("not every cluster was published: stderr says of each why")


def _forgive_encoding(*streams: object) -> None:
    """Group ids may hold any character; a terminal that lacks one shows its escape."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
