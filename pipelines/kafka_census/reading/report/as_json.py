"""A published or refused census as the fields of one JSON object, for scripts: what a report says, without rows.

Rows of tables are what `kafka-census sql --format json` is for.
"""

from dataclasses import asdict

from kafka_census.reading.report.section import Section
from kafka_census.reading.report.summary import Refusal, Report


def report_fields(report: Report) -> dict[str, object]:
    """Of a published census; times are datetimes in UTC."""
    return {
        **_fields(report, "published"),
        "observed_from": report.observed_from,
        "observed_to": report.observed_to,
        "published_at": report.published_at,
        "rules_passed": report.passed,
        "newer": asdict(report.newer) if report.newer else None,
    }


def refusal_fields(refusal: Refusal) -> dict[str, object]:
    """Of one that is not published; its state is `gated` where the gate would let it be."""
    state = "refused" if refusal.causes else "gated"
    return {**_fields(refusal, state), "still_published": refusal.still_published}


def _fields(census: Report | Refusal, state: str) -> dict[str, object]:
    return {
        "census_id": census.census_id,
        "cluster": census.cluster,
        "cluster_id": census.cluster_id,
        "state": state,
        "lake": census.lake.root or census.lake.catalog,
        "counts": dict(census.counts),
        "problems": [asdict(problem) for problem in census.problems],
        "causes": [asdict(cause) for cause in census.causes],
        "verdicts": [asdict(verdict) for verdict in census.verdicts],
        "tables": [_table(section) for section in census.sections],
    }


def _table(section: Section) -> dict[str, object]:
    return {
        "table": section.table,
        "rows": section.row_count,
        "is_complete": section.is_complete,
        "visibility": section.visibility,
        "missing": section.missing,
        "failed": section.failed,
    }
