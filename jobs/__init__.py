"""Entry points for spark-submit; everything they do is in `kafka_census.cli.job`."""
