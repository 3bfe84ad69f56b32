"""No row of topic_readiness is a problem: its rows sum up partitions, whose problems under_min_isr_partitions has."""

from kafka_census.declarations.problem import Problems

TOPIC_READINESS_PROBLEMS = Problems("topic", "topics")
