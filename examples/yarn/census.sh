#!/bin/sh
# A census on YARN, in cluster mode: the driver runs on the cluster, too, and gets configuration and secrets as files in
# its working folder. All machines must reach lake.root, such as hdfs:///lake.
# YARN creates the secret of spark.authenticate for each application; traffic between executors is encrypted.
set -eu
cd "${CENSUS_FOLDER:-/opt/kafka-census}"
export SPARK_CONF_DIR=conf
exec spark-submit \
    --master yarn \
    --deploy-mode cluster \
    --archives environment.tar.gz#environment \
    --files /etc/kafka-census/census.yaml,/etc/kafka-census/ca.pem,/etc/kafka-census/password \
    --driver-memory 4g \
    --num-executors 4 \
    --executor-cores 1 \
    --executor-memory 2g \
    --conf spark.yarn.appMasterEnv.PYSPARK_PYTHON=./environment/bin/python \
    --conf spark.executorEnv.PYSPARK_PYTHON=./environment/bin/python \
    --conf spark.authenticate=true \
    --conf spark.network.crypto.enabled=true \
    --conf spark.io.encryption.enabled=true \
    kafka-census.py run --config census.yaml --cluster prod --resume --no-report
