"""Delete groups that nobody needs: make a plan from history, apply it after a review, undo it.

    spark-submit jobs/delete_groups.py plan --config conf/census.yaml --cluster NAME
    spark-submit jobs/delete_groups.py apply --config conf/census.yaml --cluster NAME --plan ID [--yes]
    spark-submit jobs/delete_groups.py undo --config conf/census.yaml --cluster NAME --plan ID [--yes]

The only job that writes to Kafka. `plan` asks nobody; `apply` and `undo` send nothing without
`--yes`. What was cut off is run again: it goes on, and does nothing twice. Exit code: 0
done, 2 bad usage, configuration or plan, 3 some groups were refused or did not answer.
"""

from kafka_census.cli.job import start

if __name__ == "__main__":
    start("delete_groups")
