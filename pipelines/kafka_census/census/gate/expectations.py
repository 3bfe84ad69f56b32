"""Judge rows: our rules by the counts of the tally, other expectations by Great Expectations, all in our own words.

Our rules about rows, their key and their number are expectations, too, so that a suite can be exported; the counts of
the tally decide them as Great Expectations would. It judges what is left, such as an operator's suite: with an
ephemeral context (never a project folder), no progress bars, nothing persisted by it, and first in the cheapest form
(BOOLEAN_ONLY). Expectations that failed are judged again in SUMMARY form with the keys of failing rows, which costs a
few Spark jobs each.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import great_expectations as gx
import great_expectations.expectations as gxe
from great_expectations.core.expectation_validation_result import ExpectationValidationResult
from great_expectations.data_context import EphemeralDataContext
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.execution_engine import SparkDFExecutionEngine
from great_expectations.expectations.expectation import Expectation
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.validator.validator import Validator

from kafka_census.census.gate.tally import Tally, failing_keys
from kafka_census.declarations.judged import UNIQUE, Subject
from kafka_census.declarations.rules import Severity

_Name = tuple[str, str]
"""(suite, rule) of an expectation: two suites may have rules of the same name."""


def judge(subject: Subject, rows: int, expectations: Sequence[Expectation], keep: int = KEYS_SHOWN) -> list[Outcome]:
    """One outcome per expectation, in order; each has its file and its rule in `meta` (`own_suites`).

    rows  the number of rows of the subject
    keep  the number of keys of failing rows that are requested for each expectation

    For a rule in the tally, failing rows are counted and not named yet (`named`). The rows are read only for
    expectations that the tally does not answer: several times for those that fail.
    """
    if len({_name(each) for each in expectations}) != len(expectations):
        raise ValueError("two expectations of one suite have the same rule: the one would hide the other's outcome")
    counted = {_name(each): _counted(each, subject, tally) for each in expectations}
    others = [each for each in expectations if counted[_name(each)] is None]
    validated = _validated(subject, others, max(keep, KEYS_SHOWN)) if others else {}
    return [
        counted[_name(each)] or _outcome(each, validated[_name(each)], subject, tally.rows) for each in expectations
    ]


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


def _validated(
    subject: Subject, expectations: Sequence[Expectation], keep: int
) -> dict[Name, ExpectationValidationResult]:
    """Great Expectations' results by suite and rule; those of failed expectations have the keys of rows."""
    engine = SparkDFExecutionEngine(persist=False)
    engine.load_batch_data("rows", subject.frame)
    validator = Validator(execution_engine=engine, data_context=_context())

    def validate(some: Sequence[Expectation], how: dict[str, Any]) -> dict[Name, ExpectationValidationResult]:
        results = validator.graph_validate([each.configuration for each in some], {"result_format": how})
        return {_name(result.expectation_config): result for result in results}

    found = validate(expectations, {"result_format": "BOOLEAN_ONLY"})
    failed = [each for each in expectations if not (found[_name(each)].success or _raised(found[_name(each)]))]
    summary = {"result_format": "SUMMARY", "partial_unexpected_count": keep}
    return found | validate(failed, summary | {"unexpected_index_column_names": list(subject.key)})


def _is_tallied(name: Name, subject: Subject) -> bool:
    """Whether the tally has the number of failing rows."""
    suite, rule = name
    return suite == OURS and rule in (*subject.rules, UNIQUE)


def _name(named: Expectation | ExpectationConfiguration | None) -> Name:
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


def _counted(expectation: Expectation, subject: Subject, tally: Tally) -> Outcome | None:
    """The outcome of a rule of ours that the tally decides; None for another expectation."""
    suite, rule = _name(expectation)
    says = str(expectation.description)
    raised, failed = None, 0
    if suite == OURS and rule in tally.raised:
        raised = tally.raised[rule]
        says = f"could not be judged: {raised}"
    elif _is_tallied((suite, rule), subject):
        failed = tally.failed.get(rule, tally.twice)
        says = f"{failed} of {tally.rows} rows: {says}" if failed else says
    elif suite == OURS and isinstance(expectation, gxe.ExpectTableRowCountToEqual | gxe.ExpectTableRowCountToBeBetween):
        if not _is_within(tally.rows, expectation):
            failed, differs = _difference(expectation, tally.rows)
            says = f"{differs}: {says}"
    else:
        return None
    success = not (raised or failed)
    return Outcome(suite, rule, _severity(expectation), success, raised, tally.rows, failed, subject.key, (), says)


def _outcome(expectation: Expectation, result: ExpectationValidationResult, subject: Subject, rows: int) -> Outcome:
    """The outcome of an expectation that Great Expectations judged."""
    raised, found = _raised(result), result.result
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
    severity = _severity(expectation)
    return Outcome(*_name(expectation), severity, success, raised, rows, failed, subject.key, failing, says)


def _severity(expectation: Expectation) -> Severity:
    return "critical" if expectation.severity == FailureSeverity.CRITICAL else "warning"


def _is_within(rows: int, limits: Expectation) -> bool:
    """Whether a number of rows is the expected one, or between the expected two."""
    value, least, most = (getattr(limits, name, None) for name in ("value", "min_value", "max_value"))
    return value in (None, rows) and (least is None or rows >= least) and (most is None or rows <= most)


def _difference(expectation: Expectation, observed: object) -> tuple[int, str]:
    """How far a number of the whole table is outside its limits, as a number and in words."""
    value, least, most = (getattr(expectation, name, None) for name in ("value", "min_value", "max_value"))
    least, most = (value, value) if value is not None else (least, most)
    if isinstance(observed, int) and all(isinstance(limit, int | None) for limit in (least, most)):
        return difference(observed, least, most)
    return 0, f"{observed} was found"
