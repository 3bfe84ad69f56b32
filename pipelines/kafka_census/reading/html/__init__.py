"""One published census as one HTML file, or as a few lines of Markdown for chat, without Spark.

`sections` declares the figures, each with its SQL, and `problems` the problems, worst first. `read` queries a path
lake through `kafka_census.reading.sql`; `page` renders the answers as HTML, with charts by `charts`, `markdown` as a
message.
The size of the output does not grow with the cluster: a figure has a bounded number of rows and counts the others, and
a cell has a bounded length.

Needs the packages of the extra `html`: duckdb, deltalake, jinja2 and pygal.
"""
