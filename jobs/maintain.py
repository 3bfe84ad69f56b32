"""Delete what `retention` in the configuration no longer keeps, and optimize and vacuum the tables of the lake.

    SPARK_CONF_DIR=build/spark-conf spark-submit jobs/maintain.py [--cluster NAME [--retire ID...]] [--apply]

Without `--apply` it only prints what would go. Without `--cluster` it is done for every
cluster of the lake. The last published census of a cluster and table never goes, but where
`--retire` names it; then nothing else is done.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("maintain")
