"""Publish a staged census in one commit, if the gate lets it.

    spark-submit jobs/publish.py --config conf/census.yaml --cluster NAME

Exit code 3 when the gate refuses; readers then keep the census published before.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("publish")
