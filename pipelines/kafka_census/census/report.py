"""The report of a job: the newest computed census of a cluster, also where the gate refused it."""

from typing import TYPE_CHECKING

from kafka_census.census.landed import landed_census, policy_of, tables_of
from kafka_census.census.which_census import unpublished
from kafka_census.census.work import Work
from kafka_census.declarations.census import Census
from kafka_census.errors import ConfigError
from kafka_census.lake.cluster_key import Names

if TYPE_CHECKING:
    from kafka_census.census.gate.gate import Judgement
    from kafka_census.lake.runs import Run
    from kafka_census.pages.landed_census import LandedCensus
    from kafka_census.reading.report.summary import Refusal


def run_report(work: Work, landed: "LandedCensus | None" = None) -> None:
    """Print the newest computed census of the cluster, or the last published one of every cluster.

    landed  the census that this job has published, whose pages are in memory

    Raises TroubleFound for problems that `--fail-on` names.
    """
    from kafka_census.reading.report import print_report
    from kafka_census.reading.report.as_json import report_fields
    from kafka_census.reading.report.fail_on import require_computed, require_fresh, require_none
    from kafka_census.reading.report.summary import read_reports

    looks = work.cluster and landed is None and work.shows != "published"
    refused = unpublished(work) if looks else None
    if refused or work.shows == "unpublished":
        _report_unpublished(work, refused)
        return
    if work.cluster and not work.runs.of(work.names, limit=1):
        raise ConfigError(f"cluster '{work.cluster}' has no census in this lake; survey it first: kafka-census run")
    names = Names(work.names, work.config.present_names)
    lake, given = work.config.lake, work.config.given
    if work.reports and not work.as_json:
        reports = print_report(work.spark, lake, names, work.out, work.limit, landed, given, work.config.max_age)
    else:
        reports = read_reports(work.spark, lake, names, 0, landed, work.config.max_age)
        for report in reports if work.reports else ():
            work.print_json(**report_fields(report))
    if work.fail_on and not reports:
        raise ConfigError("nothing is published in this lake yet, and so --fail-on has nothing to look at")
    for report in reports:
        require_computed(work.fail_on, (section.table for section in report.sections))
    for report in reports:
        require_none(work.fail_on, f"census {report.census_id} of {report.cluster}", report.counts)
        require_fresh(work.fail_on, report.cluster, report.published_at, work.clock.now(), work.config.max_age)


def _report_unpublished(work: Work, run: "Run | None") -> None:
    from kafka_census.census.gate.recall import recalled
    from kafka_census.reading.report.fail_on import require_fresh, require_none
    from kafka_census.reading.report.summary import of_now

    if run is None:
        work.print_text([f"none of the last censuses of cluster '{work.cluster}' was computed and not published"])
        return
    lake, census, max_age = work.config.lake, run.census, work.config.max_age
    with landed_census(work, census) as landed:
        judgement = recalled(work.spark, lake, census, tables_of(census), policy_of(work), landed)
        refusal = _refusal(work, census, judgement, landed, work.limit)
    refusal = of_now(work.spark, lake, Names(work.names, work.config.present_names), refusal, max_age)
    _show(work, refusal, work.limit)
    require_none(work.fail_on, f"census {census.census_id} of {census.cluster}, not published,", refusal.counts)
    require_fresh(work.fail_on, refusal.cluster, refusal.published_at, work.clock.now(), max_age)


def show_refusal(work: Work, census: Census, judgement: "Judgement", landed: "LandedCensus", limit: int | None) -> None:
    """Print why the gate refused a census, for people or for scripts.

    limit  rows of each table; 0: they are only counted; None: the tables are left out
    """
    _show(work, _refusal(work, census, judgement, landed, limit), limit)


def _refusal(
    work: Work, census: Census, judgement: "Judgement", landed: "LandedCensus", limit: int | None
) -> "Refusal":
    from kafka_census.reading.report.summary import read_refusal

    return read_refusal(work.spark, work.config.lake, census, judgement, limit, landed)


def _show(work: Work, refusal: "Refusal", limit: int | None) -> None:
    from kafka_census.reading.report import print_refusal
    from kafka_census.reading.report.as_json import refusal_fields

    if work.as_json:
        work.print_json(**refusal_fields(refusal))
    else:
        print_refusal(refusal, work.out, limit or 0, work.config.given)
