"""SQL over a path lake without Spark: DuckDB in memory, the views of Spark, results as text.

`session` runs statements, `views` opens the views that they name, `output` prints their rows, `prompt` reads them from
a terminal. This package needs duckdb and deltalake (the extra `sql`), and never imports Spark.
"""
