"""Delete groups that nobody needs: make a plan from history, apply it after a review, undo it.

    SPARK_CONF_DIR=build/spark-conf spark-submit jobs/delete_groups.py plan --cluster NAME
    SPARK_CONF_DIR=build/spark-conf spark-submit jobs/delete_groups.py apply --cluster NAME --plan ID [--yes]
    SPARK_CONF_DIR=build/spark-conf spark-submit jobs/delete_groups.py undo --cluster NAME --plan ID [--yes]

The only job that writes to Kafka. `plan` asks nobody; `apply` and `undo` send nothing without
`--yes`. What was cut off is run again: it goes on, and does nothing twice. Exit code: 0
done, 2 bad usage, configuration or plan, 3 some groups were refused or did not answer.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("delete_groups")
