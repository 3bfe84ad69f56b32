"""Upkeep of a lake: retention of old censuses, and migration of tables that an older release wrote."""
