"""SQL over a path lake without Spark: DuckDB in memory, the views that Spark has, results as text.

`session` runs statements, `views` opens what they name, `output` prints their rows, `prompt` asks for them. Needs the
packages duckdb and deltalake (the extra `sql`), and never imports Spark.
"""
