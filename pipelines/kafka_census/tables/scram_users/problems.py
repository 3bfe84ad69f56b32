"""No row of scram_users is a problem: who may have credentials is for the operator to say."""

from kafka_census.declarations.problem import Problems

SCRAM_USERS_PROBLEMS = Problems("user", "users")
