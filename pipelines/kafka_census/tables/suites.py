"""The suites of all tables: what must hold of each."""

from kafka_census.declarations.rules import Suite
from kafka_census.tables import part
from kafka_census.tables.all_tables import TABLES

SUITES: tuple[Suite, ...] = tuple(part(table.name, "rules", "_SUITE") for table in TABLES)
"""Every suite, in the order of `TABLES`."""
