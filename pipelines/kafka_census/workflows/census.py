"""One census from the first question to the last commit, and its steps one by one.

ingest → transform → gate → publish; each step notes in the book `census_runs` how far
the census is, so that a step run alone knows what it may work on and an unfinished
census can go on. Steps are imported where they run: transform, gate, publish and report
never load the wire.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, TextIO

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from kafka_census.census import Census, new_census_id, started_at
from kafka_census.clock import Clock
from kafka_census.config import Config
from kafka_census.display import write_lines
from kafka_census.errors import ClockBehind, ConfigError, CorruptLake, Refused, WrongCluster
from kafka_census.lake.runs import Run, Runs
from kafka_census.log import Redactor, bind
from kafka_census.progress import Progress, timed
from kafka_census.protocol.settings import ClusterSettings
from kafka_census.spark import fit, one_task
from kafka_census.tables import tables_named
from kafka_census.tables.desired import Desired
from kafka_census.tables.table import Table
from kafka_census.wording import one_line, span

if TYPE_CHECKING:
    from kafka_census.pages.landed_census import LandedCensus
    from kafka_census.pages.read import LandedPages
    from kafka_census.quality.gate import Judgement
    from kafka_census.quality.own_suites import OwnSuite

_AFTER_LANDING = ("landed", "staged", "gated", "refused", "published")
_AFTER_STAGING = ("staged", "gated", "refused", "published")


@dataclass(frozen=True)
class Work:
    """What every step needs.

    cluster    its configured name; empty in a report on all clusters
    settings   of the cluster, with its secrets; only collecting uses them
    census_id  the census that was asked for by name, or None
    resume     go on with the last unfinished census, if there is one
    out        where results are printed
    limit      rows of each table in the report
    reports    whether a census ends with the report
    desired    what the cluster's configs should be
    own_suites         expectations of the operator's own
    accept_row_counts  for this run: a loss of rows since the census before only warns
    apply      whether maintaining, migrating and deleting change anything, or only tell what they would
    plan_id    the plan to delete groups that is applied or undone
    retire     censuses that maintaining retires by name, and does nothing else
    """

    spark: SparkSession
    config: Config
    cluster: str
    settings: ClusterSettings | None
    runs: Runs
    clock: Clock
    progress: Progress
    redactor: Redactor
    out: TextIO
    census_id: str | None = None
    resume: bool = False
    limit: int = 15
    reports: bool = True
    desired: tuple[Desired, ...] = ()
    own_suites: tuple["OwnSuite", ...] = ()
    accept_row_counts: bool = False
    apply: bool = False
    plan_id: str | None = None
    retire: tuple[str, ...] = ()

    def tell(self, lines: Iterable[str]) -> None:
        """Print a result."""
        write_lines(lines, self.out)


def run_census(work: Work) -> None:
    """All steps, then the report if there is to be one. Raises Refused when the gate refuses.

    A census that was cut off after its publication, and before that was noted, is only noted.
    """
    landed = None
    with _collecting(work) as census:
        if not _is_published(work, census):
            with _looking(work, census, _land(work, census)) as landed:
                work.runs.remember(census, "landed")
                _count_calls(work, census, landed)
                _stage(work, census, landed)
                work.runs.remember(census, "staged")
                judgement = _judge(work, census, landed)
                work.runs.remember(census, "gated", judgement.times)
            _promote(work, census, judgement)
        work.runs.note(census, "published")
    if work.reports:
        run_report(work, landed)


def run_ingest(work: Work) -> None:
    """Ask the brokers and land their pages, in a new census or an unfinished one."""
    with _collecting(work) as census:
        with _looking(work, census, _land(work, census)) as landed:
            _count_calls(work, census, landed)
        work.runs.note(census, "landed")


def run_transform(work: Work) -> None:
    """Compute the tables of a landed census, and stage them: nobody reads them before they are published."""
    with _existing(work, _AFTER_LANDING, "landed", "ingest") as census:
        with _looking(work, census) as landed:
            _stage(work, census, landed)
        work.runs.note(census, "staged")


def run_gate(work: Work) -> None:
    """Judge a staged census. Raises Refused when the gate refuses."""
    with _existing(work, _AFTER_STAGING, "staged", "transform") as census:
        with _looking(work, census) as landed:
            judgement = _judge(work, census, landed)
        work.runs.note(census, "gated", times=judgement.times)


def run_publish(work: Work) -> None:
    """Publish a staged census if the gate lets it: it is judged again, for staged rows may have changed."""
    with _existing(work, _AFTER_STAGING, "staged", "transform") as census:
        with _looking(work, census) as landed:
            judgement = _judge(work, census, landed)
        work.runs.remember(census, "gated", judgement.times)
        _promote(work, census, judgement)
        work.runs.note(census, "published")


def run_report(work: Work, landed: "LandedCensus | None" = None) -> None:
    """Print what the last published census of the cluster (or of every one) says; what is `landed` is in memory."""
    from kafka_census.report import print_report

    cluster_id = None
    if work.cluster:
        runs = work.runs.of(work.cluster, limit=1)
        if not runs:
            raise ConfigError(f"cluster '{work.cluster}' has no census in this lake; run jobs/census.py first")
        cluster_id = runs[0].census.cluster_id
    print_report(work.spark, work.config.lake, cluster_id, out=work.out, limit=work.limit, landed=landed)


def _is_published(work: Work, census: Census) -> bool:
    """Whether readers see a census that goes on; a new one is not looked for."""
    from kafka_census.lake.publications import standing

    goes_on = work.resume or work.census_id is not None
    return goes_on and standing(work.spark, work.config.lake, census.census_id).published


def _land(work: Work, census: Census) -> "LandedPages":
    """Ask the brokers and land their pages."""
    from kafka_census.landing.ingest import ingest

    goes_on = work.resume or work.census_id is not None
    settings, collect = _settings(work), work.config.collect
    return ingest(work.spark, work.config.lake, settings, census, collect, work.progress, goes_on=goes_on)


@contextmanager
def _looking(work: Work, census: Census, pages: "LandedPages | None" = None) -> Iterator["LandedCensus"]:
    """The landed pages, read once for all steps of a block; the session is made fit for as many items."""
    from kafka_census.pages.landed_census import read_landed_census, read_pages

    lake, census_id = work.config.lake, census.census_id
    try:
        with timed(work.progress, "looked") as done:
            found = pages or read_pages(work.spark, lake, census_id)
            fit(work.spark, small=found.is_small)
            with one_task(work.spark) if found.is_one_task else nullcontext():
                landed = read_landed_census(work.spark, lake, census_id, _tables(census), found)
            done.update(pages=len(landed.headers), items=landed.items, defects=len(landed.defects))
        yield landed
    except (AnalysisException, CorruptLake):
        # An older release landed fewer walks, and items of fewer fields: that is what is to be told then.
        from kafka_census.workflows.upkeep import require_migrated

        require_migrated(work)
        raise


def _count_calls(work: Work, census: Census, landed: "LandedCensus") -> None:
    from kafka_census.quality.calls import write_calls

    with timed(work.progress, "counted"):
        write_calls(work.spark, work.config.lake, census, landed.headers)


def _stage(work: Work, census: Census, landed: "LandedCensus") -> None:
    from kafka_census.staging.stage import stage

    at_once = work.config.tables_at_once
    tables, lake = _tables(census), work.config.lake
    stage(work.spark, lake, census, tables, landed, work.progress, work.desired, at_once, one_task)


def _judge(work: Work, census: Census, landed: "LandedCensus") -> "Judgement":
    from kafka_census.quality.gate import judge
    from kafka_census.quality.policy import GatePolicy
    from kafka_census.report import print_refusal

    rules = work.config.completeness
    thresholds = replace(work.config.gate, accept_row_counts=work.accept_row_counts)
    policy = GatePolicy(rules.unreachable_brokers, rules.visibility, thresholds)
    judgement = judge(
        work.spark,
        work.config.lake,
        census,
        _tables(census),
        policy,
        landed,
        work.progress,
        own=work.own_suites,
        one_task=one_task,
    )
    if judgement.outcome == "refuse":
        reasons = list(judgement.refusals)
        work.runs.note(census, "refused", reasons[0] if reasons else None, judgement.times)
        limit = work.limit if work.reports else None
        print_refusal(work.spark, work.config.lake, census, judgement, out=work.out, limit=limit, landed=landed)
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        raise Refused(f"census {census.census_id} of {census.cluster} is not published: {reasons[0]}{more}")
    return judgement


def _promote(work: Work, census: Census, judgement: "Judgement") -> None:
    from kafka_census.publish.promote import promote

    promote(work.spark, work.config.lake, census, judgement, work.progress)


@contextmanager
def _collecting(work: Work) -> Iterator[Census]:
    """The census that collecting works on, under the cluster's lock."""
    from kafka_census.lake.publications import last_published
    from kafka_census.landing.identify import identify
    from kafka_census.landing.lock import hold

    run = _resumable(work)
    census_id = run.census.census_id if run else new_census_id(work.clock)
    published = last_published(work.spark, work.config.lake)
    ours = {one.cluster_id for one in published if one.cluster == work.cluster}
    _require_last(work, census_id, [one.census_id for one in published if one.cluster_id in ours])
    cluster_id = identify(_settings(work), work.config.collect)
    _same_cluster(work, cluster_id)
    _require_last(work, census_id, [one.census_id for one in published if one.cluster_id == cluster_id])
    if run is None:
        census = Census(census_id, cluster_id, work.cluster, started_at(census_id), work.config.tables)
    else:
        census = run.census
    bind(census_id=census.census_id)
    with hold(work.config.lake, work.cluster, f"census {census.census_id}"), _failure_noted(work, census):
        event = "resumed" if run else "started"
        work.runs.note(census, event)
        work.progress(event, cluster_id=cluster_id, tables=list(census.tables))
        yield census


@contextmanager
def _existing(work: Work, reached: tuple[str, ...], needed: str, job: str) -> Iterator[Census]:
    """The census that a computing step works on, under the cluster's lock."""
    from kafka_census.landing.lock import hold

    if work.census_id:
        run = _named(work, work.census_id)
    else:
        latest = _latest(work)
        if latest is None:
            raise ConfigError(f"cluster '{work.cluster}' has no census in this lake; run jobs/ingest.py first")
        run = latest
    if run.gone:
        raise ConfigError(f"census {run.census.census_id} of {work.cluster} {run.gone}; start a new one")
    if run.reached == "published" and needed == "landed":
        raise ConfigError(f"census {run.census.census_id} of {work.cluster} is published, so its rows stay as they are")
    if run.reached not in reached:
        raise ConfigError(
            f"census {run.census.census_id} of {work.cluster} is not {needed} yet; run jobs/{job}.py for it first"
        )
    bind(census_id=run.census.census_id)
    with hold(work.config.lake, work.cluster, f"census {run.census.census_id}"), _failure_noted(work, run.census):
        yield run.census


def _resumable(work: Work) -> Run | None:
    """The unfinished census to go on with; None to start a new one, also where `--resume` finds one that is too old.

    Raises ConfigError: what was asked for by name cannot be had.
    """
    if work.census_id:
        run = _named(work, work.census_id)
        if run.reached == "published":
            raise ConfigError(f"census {work.census_id} is published already; start a new one without --census-id")
    elif work.resume:
        latest = _latest(work)
        if latest is None or latest.ended:
            return None
        run = latest
    else:
        return None
    age = work.clock.now() - run.census.started_at
    if age <= work.config.resume_within:
        return run
    # Its pages would mix two times.
    if work.census_id:
        raise ConfigError(
            f"census {run.census.census_id} of {work.cluster} started {span(age)} ago, "
            f"resume_within is {span(work.config.resume_within)}; start a new one without --census-id"
        )
    work.progress("too_old_to_resume", census_id=run.census.census_id, started=f"{span(age)} ago")
    return None


def _named(work: Work, census_id: str) -> Run:
    """The census of that id. Raises ConfigError."""
    started_at(census_id)
    run = work.runs.find(work.cluster, census_id)
    if run is None:
        raise ConfigError(f"cluster '{work.cluster}' has no census {census_id} in this lake")
    ahead = run.census.started_at - work.clock.now()
    if ahead > timedelta(0):
        raise ClockBehind(
            f"census {census_id} of {work.cluster} starts {span(ahead)} after the time of this machine's clock: one of "
            "two clocks is wrong; published, it would hide the censuses until then; set the clock, or start a new one"
        )
    return run


def _latest(work: Work) -> Run | None:
    """The last census of the cluster that has started, by this machine's clock."""
    now = work.clock.now()
    return next((run for run in work.runs.of(work.cluster) if run.census.started_at <= now), None)


def _require_last(work: Work, census_id: str, published: Iterable[str]) -> None:
    """Readers see the published census with the greatest id: one that would stay behind it is not worth asking for."""
    last = max(published, default="")
    if census_id >= last:
        return
    behind = span(started_at(last) - started_at(census_id))
    if work.census_id:
        raise ConfigError(
            f"census {census_id} of {work.cluster} started {behind} before the last published one, {last}, and would "
            "stay hidden behind it; start a new one without --census-id"
        )
    raise ClockBehind(
        f"this machine's clock is {behind} behind the last published census of cluster '{work.cluster}', {last}: a new "
        "census would stay hidden behind that one; set the clock, or, if that census was made by a wrong clock, "
        f"retire it: jobs/maintain.py --cluster {work.cluster} --retire {last} --apply"
    )


def _same_cluster(work: Work, cluster_id: str) -> None:
    """Raises WrongCluster when this name stood for another cluster before."""
    for run in work.runs.of(work.cluster, limit=1):
        if run.census.cluster_id != cluster_id:
            raise WrongCluster(
                f"another cluster answers as '{work.cluster}': its id is {cluster_id}, the censuses in this lake are "
                f"of {run.census.cluster_id}; correct bootstrap_servers, or give the new cluster a name of its own"
            )


@contextmanager
def _failure_noted(work: Work, census: Census) -> Iterator[None]:
    """Note what stopped a census; the error itself goes on its way."""
    try:
        yield
    except Refused:
        raise
    except Exception as error:
        detail = one_line(error, work.redactor.hide)
        try:
            work.runs.note(census, "failed", detail)
        except Exception as second:  # noqa: BLE001 - told below; the first error is what matters and is raised
            work.progress("failure_not_noted", error=one_line(second, work.redactor.hide))
        raise


def _settings(work: Work) -> ClusterSettings:
    if work.settings is None:
        raise ValueError("collecting needs the cluster's settings")
    return work.settings


def _tables(census: Census) -> tuple[Table, ...]:
    return tables_named(census.tables)
