"""What must hold for `group_members`: every described member is a row; a cluster without members has no such row.

It has one more row for each group whose members were not all read, which warns.
"""

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.group_types import DESCRIBED_BY
from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.group_members.columns import GROUP_MEMBERS

_RULES = (
    Rule(
        "status_is_known_word",
        "status IN ('described', 'not_read')",
        "status is one of the words that its comment lists.",
    ),
    Rule(
        "not_read_has_reason",
        "(status = 'not_read') = (reason IS NOT NULL) AND (status = 'not_read') = (member_id = '')",
        "A group whose members were not all read says why, and only such a row names no member.",
    ),
    Rule(
        "partitions_are_listed",
        "partitions = aggregate(assignment, 0, (sum, one) -> sum + size(one.partitions)) "
        "OR partitions IS NULL AND (status = 'described' OR size(assignment) = 0)",
        "There are as many partitions as the assignment lists; it may list some where their number is not known.",
    ),
    Rule(
        "partitions_or_reason",
        "status = 'not_read' OR (partitions IS NULL) = (assignment_reason IS NOT NULL)",
        "What a member has is known, or the row says why not.",
    ),
    Rule(
        "topology_is_whole_where_available",
        "(topology_status <=> 'AVAILABLE') = (subtopologies IS NOT NULL) "
        "AND (subtopologies IS NOT NULL OR size(source_topics) = 0 AND size(stores) = 0)",
        "A topology is known whole, or its status says why not.",
    ),
    Rule(
        "members_were_read",
        "status = 'described'",
        "The members of the group were read; where not, see reason.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    described = [
        census.listed(rpc, "groups").select("group_id", "member_id").where("member_id IS NOT NULL")
        for rpc in DESCRIBED_BY.values()
    ]
    return reduce(DataFrame.union, described).agg(F.count_distinct("group_id", "member_id").alias("members"))


GROUP_MEMBERS_SUITE = Suite(
    GROUP_MEMBERS,
    _counts,
    _RULES,
    (row_count("members", "There is a row for each member that was described.", at_least=True),),
)
