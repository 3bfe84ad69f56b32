"""The lake: where its tables are, reading and writing them, locks, commits that are tried again, and what was run.

What the tables are is declared in `kafka_census.tables`; here nobody knows who fills or reads them.
"""
