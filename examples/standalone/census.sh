#!/bin/sh
# A census on a standalone Spark cluster, from the folder that `make dist` wrote, with its environment unpacked for the
# driver: mkdir environment && tar -xzf environment.tar.gz -C environment
# SPARK_MASTER is the master's URL, DRIVER_HOST the name by which executors reach this machine.
# Secrets travel inside tasks, so traffic is authenticated and encrypted: master, workers and conf/spark-defaults.conf,
# which nobody else may read then, have the same spark.authenticate.secret (docs/spark-cluster.md).
set -eu
cd "${CENSUS_FOLDER:-/opt/kafka-census}"
export SPARK_CONF_DIR=conf PYSPARK_PYTHON=./environment/bin/python
exec spark-submit \
    --master "${SPARK_MASTER:?such as spark://master.example.org:7077}" \
    --archives environment.tar.gz#environment \
    --driver-memory 4g \
    --executor-memory 2g \
    --total-executor-cores 4 \
    --conf spark.driver.host="${DRIVER_HOST:?the name of this machine}" \
    --conf spark.scheduler.minRegisteredResourcesRatio=1.0 \
    --conf spark.authenticate=true \
    --conf spark.network.crypto.enabled=true \
    --conf spark.io.encryption.enabled=true \
    kafka-census.py run --config /etc/kafka-census/census.yaml --cluster prod --resume --no-report
