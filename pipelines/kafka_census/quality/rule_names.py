"""The names of our own rules: what no expectation of an operator's may be called."""

from collections.abc import Iterator, Mapping, Sequence

from kafka_census.quality import row_counts, skew
from kafka_census.quality.completeness import is_complete
from kafka_census.quality.cross_checks import CROSS_CHECKS
from kafka_census.quality.suite import Suite
from kafka_census.staging.visibility import are_visible
from kafka_census.tables import WALKS
from kafka_census.tables.visibility_probes import VISIBILITY_PROBES


def reserved(suites: Sequence[Suite]) -> frozenset[str]:
    """Every name under which a verdict of ours is written, whatever its table and kind."""
    return frozenset(_names(suites))


def _names(suites: Sequence[Suite]) -> Iterator[str]:
    for suite in suites:
        yield from (str((each.meta or {})["rule"]) for each in suite.all_expectations("", _NoCounts()))
    for check in CROSS_CHECKS:
        yield from (check.rule, check.column)
    yield from (row_counts.KEPT, row_counts.GROWN, skew.RULE)
    yield from (is_complete(walk.rpc, walk.scope) for walk in WALKS)
    yield from (are_visible(probe.what) for probe in VISIBILITY_PROBES)


class _NoCounts(Mapping[str, int]):
    """Of every count 1 (of 0 a suite may expect less): only the names of the expectations are looked at."""

    def __getitem__(self, name: str) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0
