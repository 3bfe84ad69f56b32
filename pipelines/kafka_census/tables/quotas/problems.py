"""No row of quotas is a problem: whether a limit is right is for its operator to say."""

from kafka_census.declarations.problem import Problems

QUOTAS_PROBLEMS = Problems("quota", "quotas")
