"""Survey a Kafka cluster from end to end: ingest, transform, gate, publish, report.

    spark-submit jobs/census.py --config conf/census.yaml --cluster NAME

Exit code: 0 published, 1 nothing could be surveyed, 2 bad usage or configuration,
3 surveyed but refused by the gate. After a crash, `--resume` goes on where it stopped.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("census")
