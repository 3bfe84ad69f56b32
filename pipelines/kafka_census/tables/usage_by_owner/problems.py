"""No row of usage_by_owner is a problem: what somebody may use is for the operator to say."""

from kafka_census.declarations.problem import Problems

USAGE_BY_OWNER_PROBLEMS = Problems("owner", "owners")
