"""Survey a Kafka cluster from end to end: ingest, transform, gate, publish, report.

    SPARK_CONF_DIR=build/spark-conf spark-submit jobs/census.py --cluster NAME

Exit code: 0 published, 1 nothing could be surveyed, 2 bad usage or configuration,
3 surveyed but refused by the gate, 4 published and `--fail-on` found something. After a
crash, `--resume` goes on where it stopped.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("census")
