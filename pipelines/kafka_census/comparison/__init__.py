"""Changes from one census to another: the compared tables and columns, and the SQL that compares them.

The SQL is portable: a census runs it in Spark, and `kafka-census diff` runs the same text in DuckDB. This package
imports neither.
"""
