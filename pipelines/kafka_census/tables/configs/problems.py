"""No row of configs is a problem: what a config should be, `config_drift` holds against the desired state."""

from kafka_census.declarations.problem import Problems

CONFIGS_PROBLEMS = Problems("config", "configs")
