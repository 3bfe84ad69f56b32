"""Run a suite with Great Expectations and say what came out, in our own words.

Everything that is particular to Great Expectations 1.24 is in this module and in
`suite.py`: an ephemeral context (never a project folder), no progress bars, nothing
persisted by it. All expectations are judged first in the form that costs least
(BOOLEAN_ONLY: their counts come in one pass), then those that failed once more in
SUMMARY form with the keys of failing rows, which costs a few jobs each.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import great_expectations as gx
from great_expectations.core import ExpectationSuite
from great_expectations.core.expectation_validation_result import ExpectationValidationResult
from great_expectations.data_context import EphemeralDataContext
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.datasource.fluent.interfaces import Batch
from great_expectations.expectations.expectation import Expectation
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration
from great_expectations.expectations.metadata_types import FailureSeverity
from pyspark.sql import DataFrame

from kafka_census.quality.suite import Severity, Suite

KEYS_SHOWN = 20
_SUMMARY = {"result_format": "SUMMARY", "partial_unexpected_count": KEYS_SHOWN}


@dataclass(frozen=True)
class Outcome:
    """What one expectation came to.

    `raised` is the error, in one line, of an expectation that could not be judged; its
    `success` is then false whatever its severity.
    """

    rule: str
    severity: Severity
    success: bool
    raised: str | None
    checked: int
    failed: int
    failing_keys: tuple[str, ...]
    message: str


def run(suite: Suite, frame: DataFrame, census_id: str, counted: Mapping[str, int], rows: int) -> list[Outcome]:
    """Judge the staged `rows` of one census; one outcome an expectation, in suite order.

    The frame is read several times: cache it first where that is possible.
    """
    batch = _batch(suite.with_rules(frame, census_id))
    expectations = suite.all_expectations(census_id, counted)
    judged = _validate(batch, expectations, {"result_format": "BOOLEAN_ONLY"})
    failed = [e for e in expectations if not judged[_rule(e)].success and not _raised(judged[_rule(e)])]
    shown = _validate(batch, failed, _SUMMARY | {"unexpected_index_column_names": list(suite.table.key)})
    return [_outcome(e, (judged | shown)[_rule(e)], suite.table.key, rows) for e in expectations]


@cache
def _context() -> EphemeralDataContext:
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False, metric_calculations=False)
    return context


def _batch(frame: DataFrame) -> Batch:
    source = _context().data_sources.add_or_update_spark("staged", persist=False)
    whole = source.add_dataframe_asset("rows").add_batch_definition_whole_dataframe("census")
    return whole.get_batch(batch_parameters={"dataframe": frame})


def _validate(
    batch: Batch, expectations: Iterable[Expectation], result_format: dict[str, Any]
) -> dict[str, ExpectationValidationResult]:
    """Results by rule name. Copies go in, because a suite keeps what it is given."""
    copies = [expectation.copy(update={"id": None}) for expectation in expectations]
    if not copies:
        return {}
    results = batch.validate(ExpectationSuite(name="staged", expectations=copies), result_format=result_format)
    return {_rule(result.expectation_config): result for result in results.results}


def _rule(named: Expectation | ExpectationConfiguration | None) -> str:
    if named is None or named.meta is None:
        raise ValueError("every expectation of a suite has its rule in meta")
    return str(named.meta["rule"])


def _raised(result: ExpectationValidationResult) -> str | None:
    """The first error of an expectation that raised; its information is flat, or a dict by metric."""
    info = result.exception_info or {}
    for one in [info] if "raised_exception" in info else list(info.values()):
        if one.get("raised_exception"):
            lines = str(one.get("exception_message") or "").splitlines()
            return lines[0] if lines else "no message"
    return None


def _keys(result: ExpectationValidationResult, key: tuple[str, ...]) -> tuple[str, ...]:
    rows = result.result.get("partial_unexpected_index_list") or []
    return tuple(", ".join(f"{name}={row[name]}" for name in key) for row in rows[:KEYS_SHOWN])


def _outcome(expectation: Expectation, result: ExpectationValidationResult, key: tuple[str, ...], rows: int) -> Outcome:
    raised, found = _raised(result), result.result
    failed = int(found.get("unexpected_count") or 0)
    message = str(expectation.description)
    if raised:
        message = f"could not be judged: {raised}"
    elif not result.success and "element_count" in found:
        message = f"{failed} of {rows} rows: {message}"
    elif not result.success:
        observed = int(found.get("observed_value") or 0)
        expected = int(getattr(expectation, "value", getattr(expectation, "min_value", 0)))
        failed = abs(observed - expected)
        message = f"{observed}, not {expected}: {message}"
    severity: Severity = "warning" if expectation.severity == FailureSeverity.WARNING else "critical"
    success = bool(result.success) and not raised
    return Outcome(_rule(expectation), severity, success, raised, rows, failed, _keys(result, key), message)
