"""No row of deletable_groups is a problem: a group that could be deleted does no harm."""

from kafka_census.declarations.problem import Problems

DELETABLE_GROUPS_PROBLEMS = Problems("group", "groups")
