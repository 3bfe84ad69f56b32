"""What a cluster's configs should be: data that configuration hands in and `config_drift` is computed with."""

from dataclasses import dataclass

from pyspark.sql.types import StringType, StructField, StructType


@dataclass(frozen=True)
class Desired:
    """One config that somebody wants.

    resource_type  broker or topic
    resources      whose: a name, a prefix that ends in *, or * for all; of several the most particular counts
    name, value    the config's key, and its value as Kafka writes it
    """

    resource_type: str
    resources: str
    name: str
    value: str


DESIRED = StructType([StructField(name, StringType(), nullable=False) for name in Desired.__dataclass_fields__])
"""Desired values as rows."""
