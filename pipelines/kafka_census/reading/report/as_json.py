"""A published or refused census as the fields of one JSON object, for scripts: what a report says, without rows.

Rows of tables are what `kafka-census sql --format json` is for.
"""

from dataclasses import asdict

from kafka_census.reading.report.section import Section
from kafka_census.reading.report.summary import Refusal, Report


def fields_of(census: Report | Refusal) -> dict[str, object]:
    """Times are datetimes in UTC. A refused census that the gate would let pass by now has the state `gated`."""
    if isinstance(census, Refusal):
        state = "refused" if census.causes else "gated"
        return {**_fields(census, state), "still_published": census.still_published}
    return {
        **_fields(census, "published"),
        "observed_from": census.observed_from,
        "observed_to": census.observed_to,
        "published_at": census.published_at,
        "rules_passed": census.passed,
        "newer": asdict(census.newer) if census.newer else None,
    }


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
