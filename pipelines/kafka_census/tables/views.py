"""The views of all tables on a terminal, in the order of the report."""

from kafka_census.declarations.view import View
from kafka_census.tables import NAMES, part

VIEWS: tuple[View, ...] = tuple(part(name, "view", "_VIEW") for name in NAMES)
"""Every view, in the order of `NAMES`."""
