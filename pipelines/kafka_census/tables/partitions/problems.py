"""No row of partitions is a problem of its own: `under_min_isr_partitions` declares those of its status."""

from kafka_census.declarations.problem import Problems

PARTITIONS_PROBLEMS = Problems("partition", "partitions")
