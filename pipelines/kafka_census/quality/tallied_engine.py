"""Great Expectations' metrics, from the tally where they are already counted; Spark computes the others as usual.

Great Expectations 1.24 resolves an expectation into metrics: `column_values.in_set.unexpected_count` of a column, for
which it first resolves a condition and an aggregate, and `table.row_count`. A rule about rows is an expectation on a
boolean column named after the rule, which no table has: its metrics come from the tally.
"""

from collections.abc import Iterable
from typing import Any

from great_expectations.execution_engine import SparkDFExecutionEngine
from great_expectations.validator.metric_configuration import MetricConfiguration
from great_expectations.validator.metrics_calculator import MetricConfigurationID
from pyspark.sql import DataFrame

from kafka_census.quality.tally import Tally

_MetricOf = tuple[str, str | tuple[str, ...]]
"""A metric's name, and its column or columns."""

_STEPS = ("{}.condition", "{}.unexpected_count.aggregate_fn")
"""The metrics that Great Expectations resolves first; with the counts known, nothing reads their values."""


class TalliedEngine(SparkDFExecutionEngine):
    """An execution engine over rows that have a tally.

    unique  the columns of the tally's `twice`
    """

    def __init__(self, frame: DataFrame, tally: Tally, unique: tuple[str, ...] = ()) -> None:
        super().__init__(persist=False)
        self._known: dict[_MetricOf, Any] = {
            ("table.columns", ()): [*frame.columns, *tally.failed],
            ("table.row_count.aggregate_fn", ()): "",
            ("table.row_count", ()): tally.rows,
        }
        for rule, failed in tally.failed.items():
            self._know("column_values.nonnull", rule, 0)
            self._know("column_values.in_set", rule, failed)
        if unique:
            self._know("compound_columns.unique", unique, tally.twice)
            self._known["compound_columns.unique.filtered_row_count", unique] = tally.rows
        self.load_batch_data("rows", frame)

    def _know(self, metric: str, columns: str | tuple[str, ...], failed: int) -> None:
        self._known |= {(step.format(metric), columns): "" for step in _STEPS}
        self._known[f"{metric}.unexpected_count", columns] = failed

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
    """The name and columns of a metric; the name is empty under a row condition, for which the tally has no counts."""
    domain = metric.metric_domain_kwargs
    name = "" if domain.get("row_condition") else metric.metric_name
    return name, domain.get("column") or tuple(domain.get("column_list") or ())
