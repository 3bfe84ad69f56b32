"""What must hold for `acl_inventory`.

It has one row for each listed entry: no rows where an authorizer has no entries, and one row, without an entry, where
there is no authorizer.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.acl_inventory.columns import ACL_INVENTORY

_WORDS = ("resource_type", "pattern_type", "operation", "permission")
_NO_ENTRY = "array_contains(dangers, 'no_authorizer')"

_RULES = (
    Rule(
        "danger_has_reason",
        "is_dangerous = (size(dangers) > 0) AND is_dangerous = (reason IS NOT NULL)",
        "A dangerous entry says which rules hold and why, and only such an entry.",
    ),
    Rule(
        "denial_is_not_dangerous",
        "permission != 'deny' OR NOT is_dangerous",
        "An entry that denies is not dangerous.",
    ),
    Rule(
        "entry_is_whole",
        f"{_NO_ENTRY} OR NOT array_contains(array({', '.join(_WORDS)}), '')",
        "All of an entry is known; its names may be empty, as brokers accept an empty host.",
    ),
    Rule("grant_is_harmless", "NOT is_dangerous", "The entry is not dangerous; if it is, see reason.", "warning"),
)


def _counts(census: Counted) -> DataFrame:
    return census.listed("DescribeAcls", "acls").agg(F.count("*").alias("entries"))


ACL_INVENTORY_SUITE = Suite(
    ACL_INVENTORY, _counts, _RULES, (row_count("entries", "There is one row for each entry that was listed."),)
)
