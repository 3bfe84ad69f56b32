"""SQL over a lake in this process: DuckDB in memory, the views of Spark, results in five formats.

`session` runs statements, `views` opens the views that they name, `output` writes their rows. `shell` answers what
somebody asks, on a terminal by `prompt`, with `completion` and a history (`line_editing`): how old the answers are
(`age`), and what the views have (`described`). This package needs duckdb and deltalake (the extra `sql`), and never
imports Spark.
"""
