"""Readers of published censuses: the report, HTML, SQL, comparisons, and the lake without Spark."""
