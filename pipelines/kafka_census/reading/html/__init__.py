"""One census as one HTML file or as a few lines of Markdown for chat, without Spark; and the index of several clusters.

`sections` declares the figures, each with its SQL, `numbers` the numbers at the head, and `checks` the queries of
problems. `read` queries a path lake through `kafka_census.reading.sql`; `problems` and `verdict` say what is wrong, by
root cause; `rows` makes the rows of figures, `page` the file, `fleet` the index, and `markdown` a message.
The size of a page is limited: what does not fit is counted, and a cell has a bounded length.

Needs the packages of the extra `html`: duckdb, deltalake and jinja2.
"""
