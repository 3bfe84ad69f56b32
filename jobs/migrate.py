"""Add the columns of this release to a lake that an older one wrote.

    SPARK_CONF_DIR=build/spark-conf spark-submit jobs/migrate.py [--apply]

Without `--apply` it only prints which tables lack which columns. Nothing is ever taken
away: a column of another type, or one that this release does not know, ends it.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("migrate")
