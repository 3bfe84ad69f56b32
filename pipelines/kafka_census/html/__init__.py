"""One published census as one HTML file, or as a few lines of Markdown for chat. Without Spark.

`figures` declares what is shown, each figure with its SQL; `problems` what is wrong, worst first. `read` asks a path
lake through `kafka_census.sql`; `page` makes HTML of the answers, with charts by `charts`, and `markdown` a message.
Nothing grows with the cluster: a figure has a bounded number of rows, a cell a bounded length, and the rest is counted.

Needs the packages of the extra `html`: duckdb, deltalake, jinja2 and pygal.
"""
