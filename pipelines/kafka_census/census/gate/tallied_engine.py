"""Great Expectations' metrics, from the tally where they are already counted; Spark computes the others as usual.

Great Expectations 1.24 resolves an expectation into metrics: `table.row_count`, or
`compound_columns.unique.unexpected_count` of some columns, for which it first resolves a condition and an aggregate. A
rule about rows is a query for the rows that break it, whose metrics are these rows and their number.
"""

from collections.abc import Iterable
from typing import Any

from great_expectations.execution_engine import SparkDFExecutionEngine
from great_expectations.validator.metric_configuration import MetricConfiguration
from great_expectations.validator.metrics_calculator import MetricConfigurationID

from kafka_census.census.gate.tally import Tally
from kafka_census.declarations.judged import Subject, query_for_breaking

_MetricOf = tuple[str, str | tuple[str, ...]]
"""A metric's name, and its columns or query."""

_QUERY = "unexpected_rows_query"


class TalliedEngine(SparkDFExecutionEngine):
    """An execution engine over rows that have a tally. With the counts known, nothing reads the values set to ""."""

    def __init__(self, subject: Subject, tally: Tally) -> None:
        super().__init__(persist=False)
        self._known: dict[_MetricOf, Any] = {
            ("table.columns", ()): subject.frame.columns,
            ("table.row_count.aggregate_fn", ()): "",
            ("table.row_count", ()): tally.rows,
        }
        for rule, failed in tally.failed.items():
            query = query_for_breaking(subject.rules[rule])
            self._known |= {(f"{_QUERY}.table", query): "", (f"{_QUERY}.row_count", query): failed}
        if subject.unique:
            unique = "compound_columns.unique"
            self._known |= {
                (f"{unique}.condition", subject.unique): "",
                (f"{unique}.unexpected_count.aggregate_fn", subject.unique): "",
                (f"{unique}.unexpected_count", subject.unique): tally.twice,
                (f"{unique}.filtered_row_count", subject.unique): tally.rows,
            }
        self.load_batch_data("rows", subject.frame)

    def resolve_metrics(
        self,
        metrics_to_resolve: Iterable[MetricConfiguration],
        metrics: dict[MetricConfigurationID, Any] | None = None,
        runtime_configuration: dict[str, Any] | None = None,
    ) -> dict[MetricConfigurationID, Any]:
        """The value of each metric by its id."""
        wanted = list(metrics_to_resolve)
        found = {metric.id: self._known[_metric_of(metric)] for metric in wanted if _metric_of(metric) in self._known}
        others = [metric for metric in wanted if metric.id not in found]
        return found | (super().resolve_metrics(others, metrics, runtime_configuration) if others else {})


def _metric_of(metric: MetricConfiguration) -> _MetricOf:
    """What a metric is of; the name is empty under a row condition, for which the tally has no counts."""
    domain = metric.metric_domain_kwargs
    name = "" if domain.get("row_condition") else metric.metric_name
    return name, metric.metric_value_kwargs.get(_QUERY) or tuple(domain.get("column_list") or ())
