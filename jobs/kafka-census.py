"""The command `kafka-census` as a file that spark-submit takes; pip installs it beside the command.

SPARK_CONF_DIR=build/spark-conf spark-submit jobs/kafka-census.py run --cluster NAME
"""

from kafka_census.cli.command import main

if __name__ == "__main__":
    main()
