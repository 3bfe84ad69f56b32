"""What changed from one census to another: which tables are compared by what, and the SQL that does it.

The SQL is portable: a census runs it in Spark, `kafka-census diff` the same text in DuckDB. Nothing here imports
either.
"""
