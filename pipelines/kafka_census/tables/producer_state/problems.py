"""No row of producer_state is a problem: what hangs of a producer is a problem of hanging_transactions."""

from kafka_census.declarations.problem import Problems

PRODUCER_STATE_PROBLEMS = Problems("producer", "producers")
