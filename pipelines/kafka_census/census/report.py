"""The report of a job, by Spark: of the census that it published or refused, or of a lake that is in a catalog."""

from typing import TYPE_CHECKING

from kafka_census.census.work import Work
from kafka_census.declarations.census import Census
from kafka_census.lake.cluster_key import Names

if TYPE_CHECKING:
    from kafka_census.census.gate.gate import Judgement
    from kafka_census.pages.landed_census import LandedCensus


def run_report(work: Work, landed: "LandedCensus | None" = None) -> None:
    """Print the newest computed census of the cluster, or of every cluster.

    landed  the census that this job has published, whose pages are in memory

    Raises TroubleFound for problems that `--fail-on` names.
    """
    from kafka_census.census.gate.policy import GatePolicy
    from kafka_census.reading.report.answer import Asked, answer
    from kafka_census.reading.report.in_spark import InSpark
    from kafka_census.reading.report.newest import Choice
    from kafka_census.reading.report.presentation import presentation

    config = work.config
    names = Names(work.names, config.present_names)
    choice = Choice(names, work.shows, work.census_id, work.limit, GatePolicy.of(config), config.max_age)
    asked = Asked(choice, work.reports, work.as_json, work.fail_on, presentation(config, work.out))
    answer(InSpark(work.spark, config.lake, landed), asked, work.out, None if landed else work.clock.now())


def show_refusal(work: Work, census: Census, judgement: "Judgement", landed: "LandedCensus", limit: int | None) -> None:
    """Print why the gate refused a census, for people or for scripts.

    limit  rows of each table; 0: they are only counted; None: the tables are left out
    """
    from kafka_census.reading.report.answer import show
    from kafka_census.reading.report.in_spark import InSpark
    from kafka_census.reading.report.presentation import presentation
    from kafka_census.reading.report.summary import refusal_from

    source = InSpark(work.spark, work.config.lake, landed)
    ids = {"census_id": census.census_id, "cluster_id": census.cluster_id, "cluster": census.cluster}
    refused = [
        {**ids, **vars(each), "missing": [vars(missing) for missing in each.missing]} for each in judgement.tables
    ]
    still = [row for row in source.published(work.names) if row["cluster_id"] == census.cluster_id]
    refusal = refusal_from(source, refused, judgement.causes, judgement.verdicts, still, limit)
    show(refusal, work.out, limit or 0, presentation(work.config, work.out), as_json=work.as_json)
