"""What became of each rule and expectation: our own rules are judged here, from the counts of the tally."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kafka_census.census.gate.tally import Tally, failing_keys
from kafka_census.declarations.judged import UNIQUE, Subject
from kafka_census.declarations.rules import Bounds, Rule, Severity, Suite

KEYS_SHOWN = 20
"""Failing keys in a verdict; quarantine may keep more."""

OURS = "kafka-census"
"""The suite of our own rules."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one rule or expectation.

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


def of_suite(suite: Suite, census_id: str, subject: Subject, tally: Tally, counted: Mapping[str, int]) -> list[Outcome]:
    """The outcomes of a suite: of its totals, of its key, and of its rules about rows, which are not named yet."""
    numbers = [of_number(total.bounds(counted), tally.totals[total.name], subject, tally) for total in suite.totals]
    key, twice = suite.key_rule, tally.twice
    says = f"{twice} of {tally.rows} rows: {key.description}" if twice else key.description
    unique = Outcome(OURS, UNIQUE, key.severity, not twice, None, tally.rows, twice, subject.key, (), says)
    return [*numbers, unique, *(of_rule(rule, subject, tally) for rule in suite.rules_of(census_id))]


def of_rule(rule: Rule, subject: Subject, tally: Tally) -> Outcome:
    """The outcome of a rule about rows."""
    raised, failed, says = tally.raised.get(rule.name), tally.failed.get(rule.name, 0), rule.description
    if raised:
        says = f"could not be judged: {raised}"
    elif failed:
        says = f"{failed} of {tally.rows} rows: {says}"
    success = not raised and not failed
    return Outcome(OURS, rule.name, rule.severity, success, raised, tally.rows, failed, subject.key, (), says)


def of_number(bounds: Bounds, number: int, subject: Subject, tally: Tally) -> Outcome:
    """The outcome of a rule about a number of the whole table; `failed` is how far it is outside its bounds."""
    differs, words = difference(number, bounds.least, bounds.most)
    says = f"{words}: {bounds.description}" if differs else bounds.description
    return Outcome(OURS, bounds.name, bounds.severity, not differs, None, tally.rows, differs, subject.key, (), says)


def difference(number: int, least: int | None, most: int | None) -> tuple[int, str]:
    """How far a number is outside its bounds, and in words: `3, fewer than 5`; 0 within them."""
    if least is not None and number < least:
        return least - number, f"{number:,}, {'not' if least == most else 'fewer than'} {least:,}"
    if most is not None and number > most:
        return number - most, f"{number:,}, {'not' if least == most else 'more than'} {most:,}"
    return 0, f"{number:,}"


def named(
    judged: Sequence[tuple[Subject, Sequence[Outcome]]], keep: int = KEYS_SHOWN, *, one_task: bool = False
) -> list[list[Outcome]]:
    """The outcomes of each subject, with the keys of rows that break one of our rules; one query for all."""
    breaking = [
        (subject, outcome.rule)
        for subject, outcomes in judged
        for outcome in outcomes
        if outcome.failed and _is_about_rows(outcome, subject)
    ]
    found = failing_keys(breaking, max(keep, KEYS_SHOWN), one_task=one_task)
    return [[_with_keys(outcome, subject, found) for outcome in outcomes] for subject, outcomes in judged]


def _with_keys(
    outcome: Outcome, subject: Subject, found: Mapping[tuple[str, str], tuple[tuple[object, ...], ...]]
) -> Outcome:
    if not _is_about_rows(outcome, subject):
        return outcome
    return replace(outcome, failing=found.get((subject.name, outcome.rule), ()))


def _is_about_rows(outcome: Outcome, subject: Subject) -> bool:
    return outcome.suite == OURS and outcome.rule in (*subject.rules, UNIQUE)
