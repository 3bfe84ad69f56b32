"""The releases of Spark that a census runs on, and Delta's extension, which each session needs."""

from kafka_census.errors import ConfigError

EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"

OLDEST = (4, 0)
"""The first release of Spark with all features that a census uses."""


def require_release(version: str) -> None:
    """Raise ConfigError for a release of Spark that is too old."""
    if tuple(int(number) for number in version.split(".")[:2]) < OLDEST:
        raise ConfigError(
            f"Spark {version} is too old: a census needs Spark 4.0 or newer, such as Databricks Runtime 17.3 LTS"
        )
