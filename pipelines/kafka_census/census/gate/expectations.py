"""Let Great Expectations judge an operator's own expectations, and report the outcomes in our own words.

An ephemeral context (never a project folder), no progress bars, nothing persisted by it. All expectations are judged
first in the cheapest form (BOOLEAN_ONLY); those that failed again in SUMMARY form with the keys of failing rows, which
costs a few Spark jobs each. Only a job whose operator has expectations imports this module, since Great Expectations is
slow to import.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import great_expectations as gx
from great_expectations.core.expectation_validation_result import ExpectationValidationResult
from great_expectations.data_context import EphemeralDataContext
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.execution_engine import SparkDFExecutionEngine
from great_expectations.expectations.expectation import Expectation
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.validator.validator import Validator

from kafka_census.census.gate.outcome import KEYS_SHOWN, Outcome, difference
from kafka_census.declarations.judged import Subject
from kafka_census.declarations.rules import Severity

_Name = tuple[str, str]
"""(suite, rule) of an expectation: two suites may have rules of the same name."""


def judge(subject: Subject, rows: int, expectations: Sequence[Expectation], keep: int = KEYS_SHOWN) -> list[Outcome]:
    """One outcome per expectation, in order; each has its file and its rule in `meta` (`own_suites`).

    rows  the number of rows of the subject
    keep  the number of keys of failing rows that are requested for each expectation
    """
    engine = SparkDFExecutionEngine(persist=False)
    engine.load_batch_data("rows", subject.frame)
    validator = Validator(execution_engine=engine, data_context=_context())
    judged = _validate(validator, expectations, {"result_format": "BOOLEAN_ONLY"})
    failed = [e for e in expectations if not (judged[_name(e)].success or _raised(judged[_name(e)]))]
    summary = {"result_format": "SUMMARY", "partial_unexpected_count": max(keep, KEYS_SHOWN)}
    shown = _validate(validator, failed, summary | {"unexpected_index_column_names": list(subject.key)})
    return [_outcome(e, (judged | shown)[_name(e)], subject, rows) for e in expectations]


@cache
def _context() -> EphemeralDataContext:
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False, metric_calculations=False)
    return context


def _validate(
    validator: Validator, expectations: Sequence[Expectation], result_format: dict[str, Any]
) -> dict[_Name, ExpectationValidationResult]:
    """Results by suite and rule."""
    if not expectations:
        return {}
    results = validator.graph_validate([each.configuration for each in expectations], {"result_format": result_format})
    found = {_name(result.expectation_config): result for result in results}
    if len(found) != len(expectations):
        raise ValueError("two expectations of one suite have the same rule: the one would hide the other's result")
    return found


def _name(named: Expectation | ExpectationConfiguration | None) -> _Name:
    if named is None or named.meta is None:
        raise ValueError("every expectation of a suite has its rule in meta")
    return str(named.meta["suite"]), str(named.meta["rule"])


def _raised(result: ExpectationValidationResult) -> str | None:
    """The first error of an expectation that raised; its information is flat, or a dict by metric."""
    info = result.exception_info or {}
    for one in [info] if "raised_exception" in info else list(info.values()):
        if one.get("raised_exception"):
            lines = str(one.get("exception_message") or "").splitlines()
            return lines[0] if lines else "no message"
    return None


def _outcome(expectation: Expectation, result: ExpectationValidationResult, subject: Subject, rows: int) -> Outcome:
    raised, found = _raised(result), result.result
    severity: Severity = "critical" if expectation.severity == FailureSeverity.CRITICAL else "warning"
    success = bool(result.success) and not raised
    failing = tuple(
        tuple(row[name] for name in subject.key) for row in found.get("partial_unexpected_index_list") or []
    )
    says = str(expectation.description or f"{expectation.expectation_type} of an operator's suite")
    failed = int(found.get("unexpected_count") or 0)
    if raised:
        says = f"could not be judged: {raised}"
    elif not success and "element_count" in found:
        says = f"{failed} of {rows} rows: {says}"
    elif not success:
        failed, differs = _difference(expectation, found.get("observed_value"))
        says = f"{differs}: {says}"
    return Outcome(*_name(expectation), severity, success, raised, rows, failed, subject.key, failing, says)


def _difference(expectation: Expectation, observed: object) -> tuple[int, str]:
    """How far a number of the whole table is outside its limits, as a number and in words."""
    value, least, most = (getattr(expectation, name, None) for name in ("value", "min_value", "max_value"))
    least, most = (value, value) if value is not None else (least, most)
    if isinstance(observed, int) and all(isinstance(limit, int | None) for limit in (least, most)):
        return difference(observed, least, most)
    return 0, f"{observed} was found"
