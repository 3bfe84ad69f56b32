"""Print what the newest census of a cluster found.

    SPARK_CONF_DIR=build/spark-conf spark-submit jobs/report.py --cluster NAME

Without `--cluster` it is printed for every cluster of the lake. `--limit` sets the rows.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("report")
