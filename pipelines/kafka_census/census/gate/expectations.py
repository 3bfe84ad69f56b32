"""Let Great Expectations judge rows and report the outcomes in our own words.

Everything that is specific to Great Expectations 1.24 is in this module, in `tallied_engine` and in
`declarations.rules`: an ephemeral context (never a project folder), no progress bars, nothing persisted by it. All
expectations are judged first in the cheapest form (BOOLEAN_ONLY), from the counts of the tally; an operator's own
expectations that failed are judged again in SUMMARY form with the keys of failing rows, which costs a few Spark jobs
each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import great_expectations as gx
from great_expectations.core.expectation_validation_result import ExpectationValidationResult
from great_expectations.data_context import EphemeralDataContext
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.expectations.expectation import Expectation
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.validator.validator import Validator

from kafka_census.census.gate.tallied_engine import TalliedEngine
from kafka_census.census.gate.tally import Tally, failing_keys
from kafka_census.declarations.judged import UNIQUE, Subject
from kafka_census.declarations.rules import Severity

KEYS_SHOWN = 20
"""Failing keys in a verdict; quarantine may keep more."""

OURS = "kafka-census"
"""The suite of an expectation without a suite in `meta`."""

Name = tuple[str, str]
"""(suite, rule) of an expectation: two suites may have rules of the same name."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one expectation.

    `suite` is the file of an operator's suite, or OURS. `raised` is the error, in one line, of an expectation that
    could not be judged; its `success` is then false whatever its severity. `failing` holds the keys of failing rows, by
    position in `key`: at most the requested number.
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
        """The first failing keys as text, each once: `topic=a, partition=3`."""
        return tuple(sorted({key_text(self.key, values) for values in self.failing})[:KEYS_SHOWN])


def key_text(key: Sequence[str], values: Sequence[object]) -> str:
    """A row's key as written in verdicts and quarantine; a value without a name is its own text."""
    return ", ".join(f"{name}={value}" if name else str(value) for name, value in zip(key, values, strict=True))


def judge(subject: Subject, tally: Tally, expectations: Sequence[Expectation], keep: int = KEYS_SHOWN) -> list[Outcome]:
    """One outcome per expectation, in order; each expectation has its rule in `meta`, unique within its suite.

    keep  the number of keys of failing rows that are requested for each expectation

    For a rule in the tally, failing rows are counted and not named yet (`named`). The rows are read only for
    expectations that the tally does not answer, such as an operator's: several times for those that fail.
    """
    fine = [e for e in expectations if not _raised_before(e, tally)]
    validator = Validator(execution_engine=TalliedEngine(subject, tally), data_context=_context())
    judged = _validate(validator, fine, {"result_format": "BOOLEAN_ONLY"})
    failed = [
        e for e in fine if not (judged[_name(e)].success or _raised(judged[_name(e)]) or _is_tallied(_name(e), subject))
    ]
    summary = {"result_format": "SUMMARY", "partial_unexpected_count": max(keep, KEYS_SHOWN)}
    shown = _validate(validator, failed, summary | {"unexpected_index_column_names": list(subject.key)})
    return [_outcome(e, (judged | shown).get(_name(e)), subject, tally) for e in expectations]


def named(
    judged: Sequence[tuple[Subject, Sequence[Outcome]]], keep: int = KEYS_SHOWN, *, one_task: bool = False
) -> list[list[Outcome]]:
    """The outcomes of each subject, with the keys of rows that break a rule of the tally; one query for all."""
    breaking = [
        (subject, outcome.rule)
        for subject, outcomes in judged
        for outcome in outcomes
        if outcome.failed and _is_tallied((outcome.suite, outcome.rule), subject)
    ]
    found = failing_keys(breaking, max(keep, KEYS_SHOWN), one_task=one_task)
    return [[_with_keys(outcome, subject, found) for outcome in outcomes] for subject, outcomes in judged]


def _with_keys(outcome: Outcome, subject: Subject, found: Mapping[Name, tuple[tuple[object, ...], ...]]) -> Outcome:
    if not _is_tallied((outcome.suite, outcome.rule), subject):
        return outcome
    return replace(outcome, failing=found.get((subject.name, outcome.rule), ()))


@cache
def _context() -> EphemeralDataContext:
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False, metric_calculations=False)
    return context


def _validate(
    validator: Validator, expectations: Sequence[Expectation], result_format: dict[str, Any]
) -> dict[Name, ExpectationValidationResult]:
    """Results by suite and rule."""
    if not expectations:
        return {}
    results = validator.graph_validate([each.configuration for each in expectations], {"result_format": result_format})
    found = {_name(result.expectation_config): result for result in results}
    if len(found) != len(expectations):
        raise ValueError("two expectations of one suite have the same rule: the one would hide the other's result")
    return found


def _is_tallied(name: Name, subject: Subject) -> bool:
    """Whether the tally has the number of failing rows."""
    suite, rule = name
    return suite == OURS and rule in (*subject.rules, UNIQUE)


def _raised_before(expectation: Expectation, tally: Tally) -> str | None:
    """The error of a rule that could not be counted."""
    suite, rule = _name(expectation)
    return tally.raised.get(rule) if suite == OURS else None


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


def _outcome(
    expectation: Expectation, result: ExpectationValidationResult | None, subject: Subject, tally: Tally
) -> Outcome:
    raised = _raised(result) if result else _raised_before(expectation, tally)
    found = result.result if result else {}
    severity: Severity = "critical" if expectation.severity == FailureSeverity.CRITICAL else "warning"
    success = bool(result and result.success) and not raised
    failing = tuple(
        tuple(row[name] for name in subject.key) for row in found.get("partial_unexpected_index_list") or []
    )
    says = str(expectation.description or f"{expectation.expectation_type} of an operator's suite")
    failed = int(found.get("unexpected_count") or 0)
    tallied = not success and _is_tallied(_name(expectation), subject)
    if raised:
        says = f"could not be judged: {raised}"
    elif tallied or (not success and "element_count" in found):
        failed = tally.failed.get(_name(expectation)[1], tally.twice) if tallied else failed
        says = f"{failed} of {tally.rows} rows: {says}"
    elif not success:
        failed, differs = _difference(expectation, found.get("observed_value"))
        says = f"{differs}: {says}"
    return Outcome(*_name(expectation), severity, success, raised, tally.rows, failed, subject.key, failing, says)


def _difference(expectation: Expectation, observed: object) -> tuple[int, str]:
    """How far a number of the whole table is outside its limits, as a number and in words."""
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
