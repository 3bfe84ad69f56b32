"""What must hold for `changes`: every row is a change, so an empty table means that nothing changed.

Only the comparison itself can compute the number of changes; tests check it on two states with a known difference.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.comparison.query import CHANGES as KINDS
from kafka_census.comparison.subjects import SUBJECTS
from kafka_census.declarations.rules import Counted, Rule, Suite
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.changes.columns import CHANGES


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f"'{word}'" for word in words)


_RULES = (
    Rule("change_is_known_word", f"change IN ({_listed(KINDS)})", "change is one of the words of its comment."),
    Rule(
        "subject_is_known_word",
        f"subject IN ({_listed(tuple(one.name for one in SUBJECTS))})",
        "subject is one of the words of its comment.",
    ),
    Rule("compares_with_a_census_before", "before_census_id < census_id", "It is compared with an earlier census."),
    Rule(
        "whole_things_come_and_go",
        "IF(change IN ('appeared', 'gone'), column_name = '', change = 'unread' OR column_name <> '')",
        "What appeared or is gone is a thing, what got worse, better or is otherwise one of its columns.",
    ),
    Rule(
        "what_is_there_has_a_value",
        "(before IS NULL) = (change = 'appeared') AND (after IS NULL) = (change = 'gone') OR change = 'unread'",
        "Of a change both values are known, but of what appeared or is gone.",
    ),
    Rule(
        "unread_is_known_once",
        "change <> 'unread' OR reason IS NOT NULL AND (before IS NULL OR after IS NULL OR before <> after)",
        "What was not read says why, and was read in one of the two censuses.",
    ),
    Rule("values_differ", "coalesce(before <> after, true)", "A change changes something."),
)


def _counts(census: Counted) -> DataFrame:
    return census.staged(BROKERS).agg(F.count("*").alias("brokers"))


CHANGES_SUITE = Suite(CHANGES, _counts, _RULES)
