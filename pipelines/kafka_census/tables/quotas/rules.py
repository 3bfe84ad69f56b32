"""What must hold for `quotas`: one row for each listed quota; a cluster without quotas has no rows."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.quotas.columns import QUOTAS

_RULES = (
    Rule(
        "entity_is_named",
        "coalesce(user, client_id, ip) IS NOT NULL AND entity != ''",
        "A quota is for a user, a client id or an IP address.",
    ),
    Rule(
        "default_is_named",
        "is_default = (user_is_default OR client_id_is_default OR ip_is_default) AND "
        "(NOT user_is_default OR user = '<default>') AND (NOT client_id_is_default OR client_id = '<default>') AND "
        "(NOT ip_is_default OR ip = '<default>')",
        "A quota of the default entity says of which kind.",
    ),
    Rule("value_is_known", "value >= 0", "The limit is a number, at least 0."),
    Rule(
        "unit_is_known",
        "unit IS NOT NULL",
        "The quota is one that this release of the census knows; where not, its value has no unit.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    return census.listed("DescribeClientQuotas", "quotas").agg(F.count("*").alias("quotas"))


QUOTAS_SUITE = Suite(
    QUOTAS, _counts, _RULES, (row_count("quotas", "There is one row for each quota that was listed."),)
)
