"""The lake: addresses of its tables, reading and writing them, locks, commit retries, and the record of runs.

The tables are declared in `kafka_census.tables`; this package does not know who fills or reads them.
"""
