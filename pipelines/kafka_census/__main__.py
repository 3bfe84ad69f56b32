"""`python -m kafka_census` is the command `kafka-census`."""

from kafka_census.cli.command import main

main()
