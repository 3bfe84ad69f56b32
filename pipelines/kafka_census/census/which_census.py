"""Chooses the census of a job: a new census, an unfinished census to resume, or the census of a single step.

The job holds the cluster's lock meanwhile, and the audit table `census_runs` records an error that ends it.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from kafka_census.census.work import Work
from kafka_census.declarations.census import Census, new_census_id, started_at
from kafka_census.errors import ClockBehind, ConfigError, Refused, WrongCluster
from kafka_census.errors.one_line import one_line
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.lake.cluster_key import Last, require_own
from kafka_census.lake.runs import Run
from kafka_census.terminal.human import human_time
from kafka_census.terminal.log import bind


@contextmanager
def collecting(work: Work) -> Iterator[Census]:
    """The census of a collecting job, under the cluster's lock."""
    from kafka_census.kafka.protocol.cluster import bootstrap
    from kafka_census.lake.publications import last_published
    from kafka_census.lake.run_lock import hold

    run = _resumable(work)
    census_id = run.census.census_id if run else new_census_id(work.clock)
    published = last_published(work.spark, work.config.lake)
    ours = {one.cluster_id for one in published if one.cluster in work.names}
    _require_last(work, census_id, [one.census_id for one in published if one.cluster_id in ours])
    cluster_id = bootstrap(settings_of(work), work.config.collect).cluster_id
    _same_cluster(work, cluster_id, published)
    _require_last(work, census_id, [one.census_id for one in published if one.cluster_id == cluster_id])
    if run is None:
        census = Census(census_id, cluster_id, work.cluster, started_at(census_id), work.config.tables)
    else:
        census = run.census
    work.outcome.census = census
    bind(census_id=census.census_id)
    with hold(work.config.lake, work.names, f"census {census.census_id}"), _failure_noted(work, census):
        event = "resumed" if run else "started"
        work.runs.note(census, event)
        work.progress(event, cluster_id=cluster_id, tables=list(census.tables))
        yield census


@contextmanager
def existing(work: Work, reached: tuple[str, ...], needed: str, job: str) -> Iterator[Census]:
    """The census of a computing step, under the cluster's lock. Raises ConfigError where there is none."""
    from kafka_census.lake.run_lock import hold

    if work.census_id:
        run = _named(work, work.census_id)
    else:
        latest = _latest(work)
        if latest is None:
            raise ConfigError(
                f"cluster '{work.cluster}' has no census in this lake; begin with: "
                f"kafka-census ingest --cluster {work.cluster}"
            )
        run = latest
    if run.gone:
        raise ConfigError(f"census {run.census.census_id} of {work.cluster} {run.gone}; start a new one")
    if needed == "landed" and _is_visible(work, run):
        raise ConfigError(f"census {run.census.census_id} of {work.cluster} is published, so its rows stay as they are")
    if run.reached not in reached:
        raise ConfigError(
            f"census {run.census.census_id} of {work.cluster} is not {needed} yet; first: "
            f"kafka-census {job} --cluster {work.cluster} --census-id {run.census.census_id}"
        )
    work.outcome.census = run.census
    bind(census_id=run.census.census_id)
    with hold(work.config.lake, work.names, f"census {run.census.census_id}"), _failure_noted(work, run.census):
        yield run.census


def _is_visible(work: Work, run: Run) -> bool:
    """Whether readers see a census: also where a process ended between the publication and the record of it."""
    from kafka_census.lake.publications import standing

    return run.reached == "published" or standing(work.spark, work.config.lake, run.census).published


def _resumable(work: Work) -> Run | None:
    """The unfinished census to resume; None for a new census, also where `--resume` finds a census that is too old.

    Raises ConfigError where the named census cannot be resumed.
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
    # The pages of such a census would be of two different times.
    if work.census_id:
        raise ConfigError(
            f"census {run.census.census_id} of {work.cluster} started {human_time(age)} ago, "
            f"resume_within is {human_time(work.config.resume_within)}; start a new one without --census-id"
        )
    work.progress("too_old_to_resume", census_id=run.census.census_id, started=f"{human_time(age)} ago")
    return None


def _named(work: Work, census_id: str) -> Run:
    """The census of that id. Raises ConfigError."""
    started_at(census_id)
    run = work.runs.find(work.names, census_id)
    if run is None:
        raise ConfigError(f"cluster '{work.cluster}' has no census {census_id} in this lake")
    ahead = run.census.started_at - work.clock.now()
    if ahead > timedelta(0):
        raise ClockBehind(
            f"census {census_id} of {work.cluster} starts {human_time(ahead)} after the time of this machine's clock: "
            "one of two clocks is wrong; published, it would hide the censuses until then; set the clock, or start a "
            "new one"
        )
    return run


def _latest(work: Work) -> Run | None:
    """The last census of the cluster that has started, by this machine's clock."""
    now = work.clock.now()
    return next((run for run in work.runs.of(work.names) if run.census.started_at <= now), None)


def _require_last(work: Work, census_id: str, published: Iterable[str]) -> None:
    """Raise where a published census has a greater id: readers would never see this census."""
    last = max(published, default="")
    if census_id >= last:
        return
    behind = human_time(started_at(last) - started_at(census_id))
    if work.census_id:
        raise ConfigError(
            f"census {census_id} of {work.cluster} started {behind} before the last published one, {last}, and would "
            "stay hidden behind it; start a new one without --census-id"
        )
    raise ClockBehind(
        f"this machine's clock is {behind} behind the last published census of cluster '{work.cluster}', {last}: a new "
        "census would stay hidden behind that one; set the clock, or, if that census was made by a wrong clock, "
        f"retire it: kafka-census maintain --cluster {work.cluster} --retire {last} --apply"
    )


def _same_cluster(work: Work, cluster_id: str, published: Iterable[Last]) -> None:
    """Raises WrongCluster when one of its names belonged to another cluster, or its id was published under others."""
    for run in work.runs.of(work.names, limit=1):
        if run.census.cluster_id != cluster_id:
            raise WrongCluster(
                f"another cluster answers as '{work.cluster}': its id is {cluster_id}, the censuses of "
                f"'{run.census.cluster}' in this lake are of {run.census.cluster_id}; correct bootstrap_servers, or "
                "give the new cluster a name of its own (with --bootstrap-server by --cluster)"
            )
    require_own(cluster_id, work.names, published)


@contextmanager
def _failure_noted(work: Work, census: Census) -> Iterator[None]:
    """Record the error that ends a census, and raise it again."""
    try:
        yield
    except Refused:
        raise
    except Exception as error:
        detail = one_line(error, work.redactor.hide)
        try:
            work.runs.note(census, "failed", detail)
        except Exception as second:  # noqa: BLE001 - reported below; the first error is what matters and is raised
            work.progress("failure_not_noted", error=one_line(second, work.redactor.hide))
        raise


def settings_of(work: Work) -> ClusterSettings:
    """The settings of the cluster. Raises ValueError for a job that asks no cluster."""
    if work.settings is None:
        raise ValueError("collecting needs the cluster's settings")
    return work.settings
