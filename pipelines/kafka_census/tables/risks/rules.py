"""What must hold for `risks`: each row is a risk of one thing, in one state. There may be none."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.risks.columns import RISK_WORDS, RISKS, STATES

_RULES = (
    Rule("risk_is_known_word", f"risk IN {RISK_WORDS}", "risk is one of the words of its comment."),
    Rule("state_is_known_word", f"state IN {STATES}", "state is one of the words of its comment."),
    Rule(
        "subject_is_named",
        "subject IN ('topic', 'broker', 'log_dir', 'principal', 'cluster') AND (subject = 'cluster') = (name = '')",
        "What bears the risk is named; only the cluster has no name.",
    ),
    Rule(
        "unknown_has_reason",
        "(state = 'unknown') = (reason IS NOT NULL) AND (state = 'unknown') = (detail IS NULL)",
        "A risk is told with its figures, or the row says why it is not known.",
    ),
    Rule(
        "accepted_by_somebody_for_a_while",
        "(state = 'accepted') = (accepted_until IS NOT NULL) AND (state = 'accepted') = (accepted_why IS NOT NULL)"
        " AND coalesce(to_date(observed_at) <= accepted_until, true)",
        "Only a risk that is accepted has a last day and a reason, and that day is not over.",
    ),
)


def _counts(census: Counted) -> DataFrame:
    return census.staged(BROKERS).agg(F.count("*").alias("brokers"))


RISKS_SUITE = Suite(RISKS, _counts, _RULES)
