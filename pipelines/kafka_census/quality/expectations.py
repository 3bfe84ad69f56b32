"""Run a suite with Great Expectations and say what came out, in our own words.

Everything that is particular to Great Expectations 1.24 is in this module and in
`suite.py`: an ephemeral context (never a project folder), no progress bars, nothing
persisted by it. All expectations are judged first in the form that costs least
(BOOLEAN_ONLY: their counts come in one pass), then those that failed once more in
SUMMARY form with the keys of failing rows, which costs a few jobs each.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock, get_ident
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
"""Failing keys in a verdict; quarantine may keep more."""

OURS = "kafka-census"
"""The suite of an expectation that names none in `meta`."""

Name = tuple[str, str]
"""(suite, rule) of an expectation: a rule alone may be in two suites."""


@dataclass(frozen=True)
class Outcome:
    """What one expectation came to.

    `suite` is the file of an operator's suite, or OURS.
    `raised` is the error, in one line, of an expectation that could not be judged; its
    `success` is then false whatever its severity. `failing` holds the keys of failing
    rows, by position in `key`: as many as were asked for.
    """

    suite: str
    rule: str
    severity: Severity
    success: bool
    raised: str | None
    checked: int
    failed: int
    key: tuple[str, ...]
    failing: tuple[tuple[object, ...], ...]
    message: str

    @property
    def failing_keys(self) -> tuple[str, ...]:
        """The first of them as text, each once: `topic=a, partition=3`."""
        return tuple(sorted({key_text(self.key, values) for values in self.failing})[:KEYS_SHOWN])


def key_text(key: Sequence[str], values: Sequence[object]) -> str:
    """A row's key as verdicts and quarantine spell it; a value without a name is its own text."""
    return ", ".join(f"{name}={value}" if name else str(value) for name, value in zip(key, values, strict=True))


def run(
    suite: Suite,
    frame: DataFrame,
    census_id: str,
    counted: Mapping[str, int],
    rows: int,
    more: Sequence[Expectation] = (),
    keep: int = KEYS_SHOWN,
) -> list[Outcome]:
    """Judge the staged `rows` of one census; one outcome an expectation, those of the suite first.

    more  expectations that are not of the suite
    keep  how many keys of failing rows are wanted of each expectation

    The frame is read several times: cache it first where that is possible.
    """
    expectations = [*suite.all_expectations(census_id, counted), *more]
    return judge(suite.with_rules(frame, census_id), expectations, suite.table.key, rows, keep)


def judge(
    frame: DataFrame, expectations: Sequence[Expectation], key: tuple[str, ...], rows: int, keep: int = KEYS_SHOWN
) -> list[Outcome]:
    """One outcome an expectation, in their order; each has its rule in `meta`, and no two of a suite the same."""
    batch = _batch(frame)
    judged = _validate(batch, expectations, {"result_format": "BOOLEAN_ONLY"})
    failed = [e for e in expectations if not judged[_name(e)].success and not _raised(judged[_name(e)])]
    summary = {"result_format": "SUMMARY", "partial_unexpected_count": max(keep, KEYS_SHOWN)}
    shown = _validate(batch, failed, summary | {"unexpected_index_column_names": list(key)})
    return [_outcome(e, (judged | shown)[_name(e)], key, rows) for e in expectations]


@cache
def _context() -> EphemeralDataContext:
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False, metric_calculations=False)
    return context


_ONE_AT_A_TIME = Lock()
"""The context is one for all threads; a data source is that of the one that made it."""


def _batch(frame: DataFrame) -> Batch:
    with _ONE_AT_A_TIME:
        source = _context().data_sources.add_or_update_spark(f"staged {get_ident()}", persist=False)
    whole = source.add_dataframe_asset("rows").add_batch_definition_whole_dataframe("census")
    return whole.get_batch(batch_parameters={"dataframe": frame})


def _validate(
    batch: Batch, expectations: Iterable[Expectation], result_format: dict[str, Any]
) -> dict[Name, ExpectationValidationResult]:
    """Results by suite and rule. Copies go in, because a suite keeps what it is given."""
    copies = [expectation.copy(update={"id": None}) for expectation in expectations]
    if not copies:
        return {}
    results = batch.validate(ExpectationSuite(name="staged", expectations=copies), result_format=result_format)
    found = {_name(result.expectation_config): result for result in results.results}
    if len(found) != len(copies):
        raise ValueError("two expectations of one suite have the same rule: the one would hide the other's result")
    return found


def _name(named: Expectation | ExpectationConfiguration | None) -> Name:
    if named is None or named.meta is None:
        raise ValueError("every expectation of a suite has its rule in meta")
    return str(named.meta.get("suite", OURS)), str(named.meta["rule"])


def _raised(result: ExpectationValidationResult) -> str | None:
    """The first error of an expectation that raised; its information is flat, or a dict by metric."""
    info = result.exception_info or {}
    for one in [info] if "raised_exception" in info else list(info.values()):
        if one.get("raised_exception"):
            lines = str(one.get("exception_message") or "").splitlines()
            return lines[0] if lines else "no message"
    return None


def _outcome(expectation: Expectation, result: ExpectationValidationResult, key: tuple[str, ...], rows: int) -> Outcome:
    raised, found = _raised(result), result.result
    severity: Severity = "critical" if expectation.severity == FailureSeverity.CRITICAL else "warning"
    success = bool(result.success) and not raised
    failing = tuple(tuple(row[name] for name in key) for row in found.get("partial_unexpected_index_list") or [])
    says = str(expectation.description or f"{expectation.expectation_type} of an operator's suite")
    failed = int(found.get("unexpected_count") or 0)
    if raised:
        says = f"could not be judged: {raised}"
    elif not success and "element_count" in found:
        says = f"{failed} of {rows} rows: {says}"
    elif not success:
        failed, differs = _difference(expectation, found.get("observed_value"))
        says = f"{differs}: {says}"
    return Outcome(*_name(expectation), severity, success, raised, rows, failed, key, failing, says)


def _difference(expectation: Expectation, observed: object) -> tuple[int, str]:
    """By how much a number of the whole table misses its limits, and that in words."""
    value, least, most = (getattr(expectation, name, None) for name in ("value", "min_value", "max_value"))
    if value is not None or (least is not None and least == most):
        limit, words = value if value is not None else least, "not"
    elif isinstance(observed, int | float) and isinstance(least, int | float) and observed < least:
        limit, words = least, "fewer than"
    else:
        limit, words = most, "more than"
    if isinstance(observed, int) and isinstance(limit, int):
        return abs(observed - limit), f"{observed:,}, {words} {limit:,}"
    return 0, f"{observed} was found"
