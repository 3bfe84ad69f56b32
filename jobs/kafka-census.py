"""The command `kafka-census` as a file that spark-submit takes; pip installs it beside the command.

spark-submit .venv/bin/kafka-census.py run --config conf/census.yaml --cluster NAME
"""

from kafka_census.cli.command import main

if __name__ == "__main__":
    main()
