"""Compute the tables of a landed census into staged/.

    spark-submit jobs/transform.py --config conf/census.yaml --cluster NAME

Needs no cluster: it reads landed pages only. Works on the last census of the cluster, or
on `--census-id`; running it again replaces what it staged.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("transform")
