"""Print the newest census of a cluster, published or refused.

    spark-submit jobs/report.py --config conf/census.yaml --cluster NAME

Without `--cluster` it is printed for every cluster of the lake. `--limit` sets the rows.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("report")
