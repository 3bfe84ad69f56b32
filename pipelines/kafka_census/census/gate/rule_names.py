"""The names of our own rules, which an operator's expectations may not use."""

from collections.abc import Iterator, Sequence

from kafka_census.census.gate import row_counts, skew
from kafka_census.census.gate.completeness import completeness_rule
from kafka_census.census.gate.cross_checks import CROSS_CHECKS
from kafka_census.census.staging.visibility import visibility_rule
from kafka_census.declarations.rules import Suite
from kafka_census.declarations.visibility_probes import VISIBILITY_PROBES
from kafka_census.declarations.walks import WALKS


def reserved(suites: Sequence[Suite]) -> frozenset[str]:
    """Every name under which one of our verdicts is written, for all tables and kinds."""
    return frozenset(_names(suites))


def _names(suites: Sequence[Suite]) -> Iterator[str]:
    for suite in suites:
        yield from suite.names
    for check in CROSS_CHECKS:
        yield from (check.rule, check.name)
    yield from (row_counts.KEPT, row_counts.GROWN, skew.RULE)
    yield from (completeness_rule(walk.rpc, walk.scope) for walk in WALKS)
    yield from (visibility_rule(probe.what) for probe in VISIBILITY_PROBES)
