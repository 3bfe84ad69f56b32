"""No row of changes is a problem: a change is news, not a problem."""

from kafka_census.declarations.problem import Problems

CHANGES_PROBLEMS = Problems("change", "changes")
