"""A job, from its command line to its exit code: configuration, session, clusters.

jobs/census.py runs the whole job `start("census")`; `kafka-census run` calls `perform` for the same job.
`kafka_census.cli.ending` ends the process.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kafka_census.alerts.webhook import Webhook
from kafka_census.census.fleet import run_fleet
from kafka_census.census.task_values import task_values
from kafka_census.census.work import Outcome, Work
from kafka_census.cli import arguments
from kafka_census.cli.arguments import ROWS
from kafka_census.cli.configured import configured
from kafka_census.cli.ending import end, ended, report
from kafka_census.cli.usage import given
from kafka_census.clock import Clock
from kafka_census.config import Config
from kafka_census.declarations.jobs import JOBS, Job
from kafka_census.declarations.operator_values import NO_VALUES
from kafka_census.errors import Interrupted
from kafka_census.errors.causes import chain
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.lake.file_system import require_file_system
from kafka_census.lake.folder import require_usable
from kafka_census.lake.lake import Lake
from kafka_census.lake.runs import Runs
from kafka_census.spark.session import job_session, require_schema
from kafka_census.spark.started_by import on_connect
from kafka_census.terminal.log import Redactor, bind, configure
from kafka_census.terminal.progress import NullProgress, Progress, timed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafka_census.census.gate.own_suites import OwnSuite

_OPTIONS = (
    *("census_id", "resume", "limit", "reports", "shows", "fail_on", "accept_row_counts"),
    *("apply", "retire", "plan_id"),
)
"""The options that are fields of `Work`."""

_ONE_AT_A_TIME = "let the scheduler start one job of a cluster at a time (Databricks: max_concurrent_runs: 1)"


def start(name: str) -> None:
    """Run a job by the command line of this process, and end the process; on Databricks return or raise."""
    argv = sys.argv[1:]
    end(lambda redactor: perform(name, parser(name).parse_args(argv), redactor), argv)


def parser(name: str) -> ArgumentParser:
    """The command line of a job; its `step` is empty where it has none."""
    return arguments.parser(name)


def main(name: str, argv: Sequence[str]) -> int:
    """Run a job; returns its exit code. Errors are reported on stderr in one line."""
    return ended(lambda redactor: perform(name, parser(name).parse_args(argv), redactor), argv)


def perform(name: str, args: Namespace, redactor: Redactor) -> int:
    """Run a job; returns its exit code, which is not 0 when one of several clusters failed and was reported.

    args  the parsed options of the job

    Raises CensusError for every expected failure.
    """
    name = f"{name} {args.step}".strip()
    try:
        return _perform(name, JOBS[name], args, redactor)
    except BaseException as error:
        if not _is_interrupt(error):
            raise
        if not on_connect():  # whose client cancels by itself what it waits for
            from kafka_census.spark.interrupts import fall_silent

            fall_silent()
        raise Interrupted(f"interrupted; {JOBS[name].again}") from error


def _is_interrupt(error: BaseException) -> bool:
    """Whether the error is an interrupt or a consequence of one: clean-up may fail because of an interrupt."""
    return any(isinstance(each, KeyboardInterrupt) for each in chain(error))


def _perform(name: str, job: Job, args: Namespace, redactor: Redactor) -> int:
    log = configure(args.log_format, redactor)
    progress: Progress = log if name != "report" else NullProgress()  # whose result alone goes through a pipe
    config = configured(args, asks=job.asks)
    clusters = arguments.chosen_clusters(args, job, config)
    if len(clusters) == 1:
        bind(cluster=clusters[0])
    outcomes: defaultdict[str, Outcome] = defaultdict(Outcome)

    def reported(*its: str) -> AbstractContextManager[None]:
        """Sets Databricks' task values of these clusters when their census ends, or an error before it."""
        told = {f"_{each}" if len(clusters) > 1 else "": outcomes[each] for each in its if job.surveys}
        return task_values(told, progress, redactor.hide)

    with reported(*clusters):
        settings = _settings(config, clusters, redactor, log) if job.asks else {}
        webhook = _webhook(config, redactor) if job.surveys else None
        changes = getattr(args, "apply", False)
        only_looks = name == "report" or ((job.applies or job.plan) and not changes)
        _look_at_lake(config.lake, progress, writes=not only_looks)
        values = {cluster: config.operator_values(cluster) for cluster in clusters if job.computes}
        own = _own_suites(config, progress) if job.judges else ()
    clock = Clock()

    def reach(cluster: str) -> None:
        # A census whose cluster does not answer notifies, and records the failure in the lake.
        tells = job.surveys and config.alerts.are_on
        if settings and getattr(args, "apply", True) and not tells:
            with reported(cluster):
                _reach(settings[cluster], config)

    def started() -> "SparkSession":
        with reported(*clusters):
            with timed(progress, "spark_started", clock):
                spark = job_session(f"kafka-census {name}")
            require_file_system(spark, config.lake, writes=not only_looks)
            require_schema(spark, config.lake)
            if values and config.owners_table is not None:
                from kafka_census.cli.owners_table import owners_in

                owners = owners_in(spark, config.lake, config.owners_table)
                values.update({each: replace(its, owners=owners) for each, its in values.items()})
        return spark

    def run(spark: "SparkSession", cluster: str) -> None:
        work = Work(
            *(spark, config, cluster, clock, progress, sys.stdout),
            runs=Runs(spark, config.lake, clock),
            redactor=redactor,
            settings=settings.get(cluster),
            values=values.get(cluster, NO_VALUES),
            own_suites=own,
            webhook=webhook,
            outcome=outcomes[cluster],
            **_options(args),
        )
        with closing(log), reported(cluster):
            job.function(work)

    if len(clusters) > 1:
        return run_fleet(clusters, reach, started, run, partial(_fail_alone, args=args, redactor=redactor))
    cluster = clusters[0] if clusters else ""
    reach(cluster)
    run(started(), cluster)
    return 0


def _options(args: Namespace) -> dict[str, Any]:
    """The fields of `Work` that are options of the job; those that it does not have keep their defaults."""
    given = {name: getattr(args, name) for name in _OPTIONS if getattr(args, name, None) is not None}
    rows = ROWS if getattr(args, "full", False) or "plan_id" in given else 0
    return {"limit": rows, **given, "as_json": args.json}


def _settings(
    config: Config, clusters: Sequence[str], redactor: Redactor, progress: Progress
) -> Mapping[str, ClusterSettings]:
    """The settings of the clusters; their secrets are hidden in all output from now on."""
    settings = config.settings(clusters)
    for cluster, its in settings.items():
        redactor.learn(its)
        exposed = config.exposed(cluster)
        if exposed:
            remedy = "others can read them; chmod o= each of them"
            progress.warning("secrets_exposed", cluster=cluster, files=list(exposed), remedy=remedy)
    return settings


def _look_at_lake(lake: Lake, progress: Progress, *, writes: bool) -> None:
    """Raise ConfigError where it cannot be used; say where nothing but the scheduler keeps two runs apart."""
    require_usable(lake, writes=writes)
    if writes and not lake.has_locks:
        progress("no_run_lock", lake=lake.root or lake.catalog, remedy=_ONE_AT_A_TIME)


def _webhook(config: Config, redactor: Redactor) -> Webhook | None:
    """The webhook of the configuration; its URL is hidden in all output from now on."""
    webhook = config.webhook()
    if webhook is not None:
        redactor.learn_texts(webhook.secrets)
    return webhook


def _fail_alone(cluster: str, error: Exception, *, args: Namespace, redactor: Redactor) -> int:
    """Report the failure of one of several clusters; returns its exit code. Raises an interrupt, which ends all."""
    if _is_interrupt(error):
        raise error
    return report(error, redactor, debug="debug" in args, options=given(args).words(), cluster=cluster)


def _reach(settings: ClusterSettings, config: Config) -> None:
    """Raise, before Spark starts, the errors that would end the job later: no listener, a wrong password or cluster.

    The cluster is identified again once there is a session, up to half a minute later, and that answer counts.
    """
    from kafka_census.kafka.protocol.cluster import bootstrap

    bootstrap(settings, config.collect)


def _own_suites(config: Config, progress: Progress) -> "tuple[OwnSuite, ...]":
    """The operator's expectations; Great Expectations, which is slow to import, is imported only if there are some."""
    if not any(config.expectations.glob("*.json")):
        return ()
    from kafka_census.census.gate.own_suites import own_suites
    from kafka_census.tables.suites import SUITES

    own = own_suites(config.expectations, SUITES)
    progress("expectations_read", files=[suite.file for suite in own])
    return own
