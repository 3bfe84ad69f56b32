"""Rows of quotas, right and wrong."""

from kafka_census.tables.quotas.rules import QUOTAS_SUITE
from spark.faults import Faults, row

FAULTS = Faults(
    QUOTAS_SUITE,
    right=row(is_default=False, user_is_default=False, client_id_is_default=False, ip_is_default=False)
    | row(quota="producer_byte_rate", user="alice", value=1000.0, unit="bytes/s"),
    wrong={
        "entity_is_named": {"user": None},
        "default_is_named": {"is_default": True},
        "value_is_known": {"value": -1.0},
        "unit_is_known": {"unit": None},
    },
    valid={
        "user": {},
        "default client id": row(user=None, client_id="<default>", is_default=True, client_id_is_default=True),
    },
    counts={"quotas": len},
)
