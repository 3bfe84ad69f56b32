"""Judge a staged census: complete, nothing hidden, expectations met.

    SPARK_CONF_DIR=build/spark-conf spark-submit jobs/gate.py --cluster NAME

Writes its verdicts to audit/verdicts and publishes nothing. Exit code 3 when it refuses.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("gate")
