"""One census from the first request to the last commit, and its steps one by one.

ingest → transform → gate → publish; each step records the progress of
the census in the audit table `census_runs`, so that a single step knows which census it may work on and an unfinished
census can be resumed. Steps are imported where they run: transform, gate, publish and report
never load the wire protocol. The file is long because all steps share the functions that one census runs in a row.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from kafka_census.census.notification import notifies
from kafka_census.census.which_census import collecting, existing, settings_of, unpublished
from kafka_census.census.work import Work
from kafka_census.declarations.census import Census
from kafka_census.declarations.table import Table
from kafka_census.errors import ConfigError, CorruptLake, Refused
from kafka_census.lake.cluster_key import Names
from kafka_census.spark.query_settings import fit, lacks_second_compiler, one_task
from kafka_census.tables.all_tables import tables_named
from kafka_census.terminal.progress import timed

if TYPE_CHECKING:
    from kafka_census.census.gate.gate import Judgement
    from kafka_census.census.gate.policy import GatePolicy
    from kafka_census.pages.landed_census import LandedCensus
    from kafka_census.pages.read import LandedPages
    from kafka_census.reading.report.summary import Refusal

_AFTER_LANDING = ("landed", "staged", "gated", "refused", "published")
_SECOND_COMPILER = "--spark-conf spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=4 saves CPU time (docs/command.md)"
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
            with _landed_census(work, census, _land(work, census)) as landed:
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
            with _landed_census(work, census, _land(work, census)) as landed:
                _count_calls(work, census, landed)
        work.runs.note(census, state)
    _give(work, census, state)


@notifies
def run_transform(work: Work) -> None:
    """Compute the tables of a landed census, and stage them: readers see them once they are published."""
    with existing(work, _AFTER_LANDING, "landed", "ingest") as census:
        with _landed_census(work, census) as landed:
            _stage(work, census, landed, goes_on=True)
        work.runs.note(census, "staged")
    _give(work, census, "staged")


@notifies
def run_gate(work: Work) -> None:
    """Judge a staged census. Raises Refused when the gate refuses."""
    with existing(work, _AFTER_STAGING, "staged", "transform") as census:
        with _landed_census(work, census) as landed:
            judgement = _judge(work, census, landed)
        work.runs.note(census, "gated", times=judgement.times)
    _give(work, census, "gated")


@notifies
def run_publish(work: Work) -> None:
    """Publish a staged census if the gate allows it; it is judged again, because staged rows may have changed."""
    with existing(work, _AFTER_STAGING, "staged", "transform") as census:
        with _landed_census(work, census) as landed:
            judgement = _judge(work, census, landed)
        work.runs.remember(census, "gated", judgement.times)
        _promote(work, census, judgement)
        work.outcome.published = True
        work.runs.note(census, "published")
    _give(work, census, "published")


def run_report(work: Work, landed: "LandedCensus | None" = None) -> None:
    """Print the last published census of the cluster (or of every cluster); the pages of `landed` are in memory.

    With `unpublished`, print an unpublished census. Raises TroubleFound for problems that `--fail-on` names.
    """
    from kafka_census.reading.report import print_report
    from kafka_census.reading.report.as_json import report_fields
    from kafka_census.reading.report.fail_on import require_computed, require_none
    from kafka_census.reading.report.summary import read_reports

    if work.unpublished:
        _report_unpublished(work)
        return
    if work.cluster and not work.runs.of(work.names, limit=1):
        raise ConfigError(f"cluster '{work.cluster}' has no census in this lake; survey it first: kafka-census run")
    names = Names(work.names, work.config.present_names)
    lake, given = work.config.lake, work.config.given
    if work.reports and not work.as_json:
        reports = print_report(work.spark, lake, names, work.out, work.limit, landed, given)
    else:
        reports = read_reports(work.spark, lake, names, 0, landed)
        for report in reports if work.reports else ():
            work.print_json(**report_fields(report))
    if work.fail_on and not reports:
        raise ConfigError("nothing is published in this lake yet, and so --fail-on has nothing to look at")
    for report in reports:
        require_computed(work.fail_on, (section.table for section in report.sections))
    for report in reports:
        require_none(work.fail_on, f"census {report.census_id} of {report.cluster}", report.counts)


def _report_unpublished(work: Work) -> None:
    from kafka_census.census.gate.recall import recalled
    from kafka_census.reading.report.fail_on import require_none

    run = unpublished(work)
    if run is None:
        work.print_text([f"none of the last censuses of cluster '{work.cluster}' was computed and not published"])
        return
    lake, census = work.config.lake, run.census
    with _landed_census(work, census) as landed:
        judgement = recalled(work.spark, lake, census, _tables(census), _policy(work), landed)
        found = _show_refusal(work, census, judgement, landed, work.limit)
    require_none(work.fail_on, f"census {census.census_id} of {census.cluster}, not published,", found.counts)


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


@contextmanager
def _landed_census(work: Work, census: Census, pages: "LandedPages | None" = None) -> Iterator["LandedCensus"]:
    """The landed pages, read once for all steps of a block; the session is configured for their number of items."""
    from kafka_census.pages.landed_census import read_landed_census, read_pages

    lake, census_id = work.config.lake, census.census_id
    try:
        with timed(work.progress, "read_landed") as done:
            found = pages or read_pages(work.spark, lake, census_id)
            fit(work.spark, found.items)
            if lacks_second_compiler(work.spark, found.items):
                work.progress("second_compiler_off", items=found.items, remedy=_SECOND_COMPILER)
            with one_task(work.spark) if found.is_one_task else nullcontext():
                landed = read_landed_census(
                    work.spark, lake, census_id, _tables(census), found, work.config.tables_at_once
                )
            done.update(pages=len(landed.headers), items=landed.items, missing_reads=len(landed.missing_reads))
        yield landed
    except (AnalysisException, CorruptLake):
        # An older release landed fewer walks, and items with fewer fields: then that is the error to report.
        from kafka_census.upkeep.run import require_migrated

        require_migrated(work)
        raise


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
        _tables(census),
        landed,
        work.progress,
        work.desired,
        work.config.tables_at_once,
        one_task,
        goes_on=goes_on,
    )


def _judge(work: Work, census: Census, landed: "LandedCensus") -> "Judgement":
    from kafka_census.census.gate.gate import judge

    judgement = judge(
        work.spark,
        work.config.lake,
        census,
        _tables(census),
        _policy(work),
        landed,
        work.progress,
        own=work.own_suites,
        one_task=one_task,
        at_once=work.config.tables_at_once,
    )
    work.outcome.judgement, work.outcome.landed = judgement, landed
    if judgement.outcome == "refuse":
        reasons = list(judgement.refusals)
        work.runs.note(census, "refused", reasons[0] if reasons else None, judgement.times)
        _show_refusal(work, census, judgement, landed, work.limit if work.reports else None)
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        raise Refused(f"census {census.census_id} of {census.cluster} is not published: {reasons[0]}{more}")
    return judgement


def _show_refusal(
    work: Work, census: Census, judgement: "Judgement", landed: "LandedCensus", limit: int | None
) -> "Refusal":
    """Print why a census is not published, for people or for scripts; what was printed. `limit` as `print_refusal`."""
    from kafka_census.reading.report import print_refusal
    from kafka_census.reading.report.as_json import refusal_fields
    from kafka_census.reading.report.summary import read_refusal

    spark, lake = work.spark, work.config.lake
    if not work.as_json:
        return print_refusal(spark, lake, census, judgement, work.out, limit, landed, work.config.given)
    refusal = read_refusal(spark, lake, census, judgement, limit, landed)
    work.print_json(**refusal_fields(refusal))
    return refusal


def _give(work: Work, census: Census, state: str) -> None:
    """For scripts: how far a census is, where nothing more is printed of it."""
    work.print_json(census_id=census.census_id, cluster=census.cluster, cluster_id=census.cluster_id, state=state)


def _policy(work: Work) -> "GatePolicy":
    from kafka_census.census.gate.policy import GatePolicy

    rules = work.config.completeness
    thresholds = replace(work.config.gate, accept_row_counts=work.accept_row_counts)
    return GatePolicy(rules.unreachable_brokers, rules.visibility, thresholds)


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


def _tables(census: Census) -> tuple[Table, ...]:
    return tables_named(census.tables)
