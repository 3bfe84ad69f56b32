"""No row of group_members is a problem: a member is as it is: what a group lacks is a problem of group_lag."""

from kafka_census.declarations.problem import Problems

GROUP_MEMBERS_PROBLEMS = Problems("member", "members")
