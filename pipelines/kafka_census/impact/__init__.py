"""What the loss of a broker, rack, log dir or controller would do, in SQL that both Spark and DuckDB run."""
