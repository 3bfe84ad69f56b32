"""Every client quota as Kafka reports it, with its entity in one line and the unit of its value."""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.comparison.entity import ENTITY, IS_DEFAULT
from kafka_census.declarations.transform import Transform
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.tables.shared.reasons import first_that_holds

_UNITS = (
    ("producer_byte_rate", "bytes/s"),
    ("consumer_byte_rate", "bytes/s"),
    ("request_percentage", "%"),
    ("controller_mutation_rate", "mutations/s"),
    ("connection_creation_rate", "connections/s"),
)
"""org.apache.kafka.server.config.QuotaConfig."""


def quotas(*, quotas: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:  # noqa: ARG001 - a listing has all pages or none
    """One row per quota. Columns: those of `QUOTAS`. The input is the items of DescribeClientQuotas."""
    units = [(F.col("quota") == quota, unit) for quota, unit in _UNITS]
    return (
        quotas.withColumnsRenamed({"key": "quota", "received_at": "observed_at"})
        .withColumns({name: F.expr(sql) for name, sql in IS_DEFAULT.items()})
        .withColumns({"entity": F.expr(ENTITY), "unit": first_that_holds(*units)})
        .select(*QUOTAS.computed.names)
    )


QUOTAS_TRANSFORM = Transform(QUOTAS, quotas, {"quotas": ("DescribeClientQuotas", "quotas")})
