"""No row of topics is a problem: sizes and growth are wrong or right by what an operator expects."""

from kafka_census.declarations.problem import Problems

TOPICS_PROBLEMS = Problems("topic", "topics")
