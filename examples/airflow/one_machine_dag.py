"""A census every hour on Airflow's own machine, by Airflow 3's BashOperator: no Spark cluster.

The task fails with the exit code of the command, which its log shows: 3 is a census that was refused, 4 a problem that
`--fail-on` names. A failed run is repeated with `--resume`, and requests no landed page again.
"""

from datetime import UTC, datetime, timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

with DAG(
    dag_id="kafka_census_on_one_machine",
    schedule="@hourly",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    dagrun_timeout=timedelta(minutes=55),
) as dag:
    BashOperator(
        task_id="census",
        bash_command="/opt/kafka-census/bin/kafka-census "
        "run --config /etc/kafka-census/census.yaml --cluster prod --resume --no-report --log-format json",
        retries=1,
        retry_delay=timedelta(minutes=1),
    )
