"""Ask the brokers of a Kafka cluster, page by page, and land the answers in Delta.

    SPARK_CONF_DIR=build/spark-conf spark-submit jobs/ingest.py --cluster NAME

The first step of a census; prints nothing but its log. `--resume` goes on with the last
unfinished census, where nothing that was answered is asked again.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("ingest")
