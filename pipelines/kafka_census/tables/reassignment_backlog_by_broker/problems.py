"""No row of reassignment_backlog_by_broker is a problem: reassignment_backlog has those of replicas."""

from kafka_census.declarations.problem import Problems

REASSIGNMENT_BACKLOG_BY_BROKER_PROBLEMS = Problems("broker", "brokers")
