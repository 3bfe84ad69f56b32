"""The desired configs of a cluster, from the configuration; input of `config_drift`."""

from dataclasses import dataclass

from pyspark.sql.types import StringType, StructField, StructType


@dataclass(frozen=True)
class Desired:
    """One desired config.

    resource_type  broker or topic
    resources      a name, a prefix that ends in *, or * for all; where several match, the most specific counts
    name, value    the config's key, and its value as Kafka writes it
    """

    resource_type: str
    resources: str
    name: str
    value: str


DESIRED = StructType([StructField(name, StringType(), nullable=False) for name in Desired.__dataclass_fields__])
"""Desired values as rows."""
