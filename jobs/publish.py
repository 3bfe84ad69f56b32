"""Publish a staged census in one commit, if the gate lets it.

    SPARK_CONF_DIR=build/spark-conf spark-submit jobs/publish.py --cluster NAME

Exit code 3 when the gate refuses; readers then keep the census published before.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("publish")
