"""Configs that are not as their operator wants them."""

from kafka_census.declarations.problem import Problem, Problems, Remedy

CONFIG_DRIFT_PROBLEMS = Problems(
    "config",
    "configs",
    (
        Problem(
            word="not_desired",
            severity="warning",
            table="config_drift",
            meaning="configs that are not as the desired state asks for",
            where="kind = 'not_desired'",
            unknown="coalesce(kind, 'not_read') = 'not_read'",
            name="concat(resource_type, ' ', resource_name, ' ', name)",
            shown="resource_type, resource_name, name, value, expected, reason",
            one="config is not as desired",
            many="configs are not as desired",
            effect="they differ from `desired_state` in the configuration of the census",
            remedy=Remedy(
                "Set the config as desired, or correct desired_state.",
                "kafka-configs.sh --bootstrap-server HOST:PORT --alter --RESOURCE_TYPE RESOURCE_NAME --add-config "
                "'NAME=[EXPECTED]'",
                more="Kafka takes the brackets away: they keep a value with commas whole.",
                fills=("resource_type", "resource_name", "name", "expected"),
            ),
        ),
    ),
)
