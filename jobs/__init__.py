"""Entry points for spark-submit; everything they do is in `kafka_census.cli.job`.

Their commands are for the project's folder after `make jars`, with `.venv` active; docs/command.md has more.
"""
