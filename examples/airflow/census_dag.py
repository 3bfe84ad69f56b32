"""A census every hour, by Airflow 3 and its provider for Spark; the connection `spark_default` names the master.

`max_active_runs`: a lake in HDFS or in an object store has no run lock, so a second census of a cluster would send all
requests a second time. A failed run is repeated with `--resume`, and requests no landed page again.
"""

from datetime import UTC, datetime, timedelta

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import DAG

FOLDER = "/opt/kafka-census"
PYTHON = "./environment/bin/python"

with DAG(
    dag_id="kafka_census",
    schedule="@hourly",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    dagrun_timeout=timedelta(minutes=55),
) as dag:
    SparkSubmitOperator(
        task_id="census",
        application=f"{FOLDER}/kafka-census.py",
        application_args=["run", "--config", "census.yaml", "--cluster", "prod", "--resume", "--no-report"],
        deploy_mode="cluster",
        archives=f"{FOLDER}/environment.tar.gz#environment",
        jars=f"{FOLDER}/jars/delta-spark_4.2_2.13-4.4.0.jar,{FOLDER}/jars/delta-storage-4.4.0.jar",
        files="/etc/kafka-census/census.yaml",
        properties_file=f"{FOLDER}/conf/spark-defaults.conf",
        conf={
            "spark.yarn.appMasterEnv.PYSPARK_PYTHON": PYTHON,
            "spark.executorEnv.PYSPARK_PYTHON": PYTHON,
            # YARN creates the secret of each application.
            "spark.authenticate": "true",
            "spark.network.crypto.enabled": "true",
            "spark.io.encryption.enabled": "true",
        },
        driver_memory="4g",
        executor_memory="2g",
        executor_cores=1,
        num_executors=4,
        retries=1,
        retry_delay=timedelta(minutes=1),
    )
