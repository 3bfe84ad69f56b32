"""One census from the first request to the last commit, and its steps one by one.

ingest → transform → gate → publish; each step records the progress of
the census in the audit table `census_runs`, so that a single step knows which census it may work on and an unfinished
census can be resumed. Steps are imported where they run: transform, gate and publish
never load the wire protocol.
"""

from typing import TYPE_CHECKING

from kafka_census.census.landed import landed_census, tables_of
from kafka_census.census.notification import notifies
from kafka_census.census.report import run_report, show_refusal
from kafka_census.census.which_census import collecting, existing, settings_of
from kafka_census.census.work import Work
from kafka_census.declarations.census import Census
from kafka_census.errors import Refused
from kafka_census.spark.query_settings import one_task
from kafka_census.terminal.progress import timed

if TYPE_CHECKING:
    from kafka_census.census.gate.gate import Judgement
    from kafka_census.pages.landed_census import LandedCensus
    from kafka_census.pages.read import LandedPages

_AFTER_LANDING = ("landed", "staged", "gated", "refused", "published")
_AFTER_STAGING = ("staged", "gated", "refused", "published")


@notifies
def run_census(work: Work) -> None:
    """Run all steps, then the report if the job has one.

    A census that was cut off between its publication and the record of it is only recorded. Raises Refused when the
    gate refuses, and TroubleFound, after the publication, for problems that `--fail-on` names.
    """
    landed = None
    with collecting(work) as census:
        if not _is_published(work, census):
            with landed_census(work, census, _land(work, census)) as landed:
                work.runs.remember(census, "landed")
                _count_calls(work, census, landed)
                _stage(work, census, landed, goes_on=work.goes_on)
                work.runs.remember(census, "staged")
                judgement = _judge(work, census, landed)
                work.runs.remember(census, "gated", judgement.times)
            _promote(work, census, judgement)
        work.outcome.published = True
        work.runs.note(census, "published")
    if not work.reports:
        _give(work, census, "published")
    if work.reports or work.fail_on:
        run_report(work, landed)


@notifies
def run_ingest(work: Work) -> None:
    """Ask the brokers and land their pages, in a new census or an unfinished one.

    A census that was cut off between its publication and the record of it is only recorded.
    """
    with collecting(work) as census:
        state = "published" if _is_published(work, census) else "landed"
        if state == "landed":
            with landed_census(work, census, _land(work, census)) as landed:
                _count_calls(work, census, landed)
        work.runs.note(census, state)
    _give(work, census, state)


@notifies
def run_transform(work: Work) -> None:
    """Compute the tables of a landed census, and stage them: readers see them once they are published."""
    with existing(work, _AFTER_LANDING, "landed", "ingest") as census:
        with landed_census(work, census) as landed:
            _stage(work, census, landed, goes_on=True)
        work.runs.note(census, "staged")
    _give(work, census, "staged")


@notifies
def run_gate(work: Work) -> None:
    """Judge a staged census. Raises Refused when the gate refuses."""
    with existing(work, _AFTER_STAGING, "staged", "transform") as census:
        with landed_census(work, census) as landed:
            judgement = _judge(work, census, landed)
        work.runs.note(census, "gated", times=judgement.times)
    _give(work, census, "gated")


@notifies
def run_publish(work: Work) -> None:
    """Publish a staged census if the gate allows it; it is judged again, because staged rows may have changed."""
    with existing(work, _AFTER_STAGING, "staged", "transform") as census:
        with landed_census(work, census) as landed:
            judgement = _judge(work, census, landed)
        work.runs.remember(census, "gated", judgement.times)
        _promote(work, census, judgement)
        work.outcome.published = True
        work.runs.note(census, "published")
    _give(work, census, "published")


def _is_published(work: Work, census: Census) -> bool:
    """Whether readers already see a resumed census; False for a new census."""
    from kafka_census.lake.publications import standing

    return work.goes_on and standing(work.spark, work.config.lake, census).published


def _land(work: Work, census: Census) -> "LandedPages":
    """Ask the brokers and land their pages."""
    from kafka_census.landing.ingest import Ingest

    config = work.config
    return Ingest(
        work.spark,
        config.lake,
        settings_of(work),
        census,
        config.collect,
        work.progress,
        goes_on=work.goes_on,
        at_once=config.tables_at_once,
    ).run()


def _count_calls(work: Work, census: Census, landed: "LandedCensus") -> None:
    from kafka_census.census.gate.calls import write_calls

    with timed(work.progress, "counted"):
        write_calls(work.spark, work.config.lake, census, landed.headers, goes_on=work.goes_on)


def _stage(work: Work, census: Census, landed: "LandedCensus", *, goes_on: bool) -> None:
    from kafka_census.census.staging.stage import stage

    stage(
        work.spark,
        work.config.lake,
        census,
        tables_of(census),
        landed,
        work.progress,
        work.values,
        work.config.tables_at_once,
        one_task,
        goes_on=goes_on,
    )


def _judge(work: Work, census: Census, landed: "LandedCensus") -> "Judgement":
    from kafka_census.census.gate.gate import judge
    from kafka_census.census.gate.policy import GatePolicy

    judgement = judge(
        work.spark,
        work.config.lake,
        census,
        tables_of(census),
        GatePolicy.of(work.config, accept_row_counts=work.accept_row_counts),
        landed,
        work.progress,
        own=work.own_suites,
        one_task=one_task,
        at_once=work.config.tables_at_once,
    )
    work.outcome.judgement, work.outcome.landed = judgement, landed
    if judgement.outcome == "refuse":
        from kafka_census.census.publish.promote import write_refusal

        write_refusal(work.spark, work.config.lake, census, judgement)
        reasons = list(judgement.refusals)
        work.runs.note(census, "refused", reasons[0] if reasons else None, judgement.times)
        show_refusal(work, census, judgement, landed, work.limit if work.reports else None)
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        raise Refused(f"census {census.census_id} of {census.cluster} is not published: {reasons[0]}{more}")
    return judgement


def _give(work: Work, census: Census, state: str) -> None:
    """For scripts: how far a census is, where nothing more is printed of it."""
    work.print_json(census_id=census.census_id, cluster=census.cluster, cluster_id=census.cluster_id, state=state)


def _promote(work: Work, census: Census, judgement: "Judgement") -> None:
    from kafka_census.census.publish.promote import promote
    from kafka_census.census.publish.views import keep_permanent

    config = work.config
    promote(work.spark, config.lake, census, judgement, work.progress, work.names)
    keep_permanent(work.spark, config.lake, work.progress)
    if config.latest_tables:
        from kafka_census.census.publish.latest import replace_latest

        names = [judged.table_name for judged in judgement.tables]
        replace_latest(work.spark, config.lake, census.cluster_id, names, config.tables_at_once, work.progress)
