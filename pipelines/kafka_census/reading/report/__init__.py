"""The report of a published or refused census, on a terminal of 80 columns.

A lake is a `source`: `in_spark`, or `in_duckdb` without a JVM. `newest` chooses the censuses, `summary` derives small
values from their rows. `view.py` of a table defines which of its rows are shown and which are worst, `problems` derives
the problems, `headline` and `render` format the lines, `answer` prints them.
"""
