"""Compute the tables of a landed census.

    SPARK_CONF_DIR=build/spark-conf spark-submit jobs/transform.py --cluster NAME

Needs no cluster: it reads landed pages only. Works on the last census of the cluster, or
on `--census-id`; running it again replaces what it staged in published/<table>, where no
reader sees it.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("transform")
