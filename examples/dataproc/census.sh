#!/bin/sh
# A census on a Dataproc cluster, whose image must have Spark 4.2. The files of dist/cluster and census.yaml are in BUCKET.
set -eu
at="gs://${BUCKET:?the bucket with dist/cluster}/kafka-census"
python=./environment/bin/python
delta=spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension
delta=$delta,spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog
encrypted=spark.authenticate=true,spark.network.crypto.enabled=true,spark.io.encryption.enabled=true
exec gcloud dataproc jobs submit pyspark "$at/kafka-census.py" \
    --cluster "${DATAPROC_CLUSTER:?its name}" \
    --region "${REGION:?such as europe-west3}" \
    --archives "$at/environment.tar.gz#environment" \
    --jars "$at/jars/delta-spark_4.2_2.13-4.4.0.jar,$at/jars/delta-storage-4.4.0.jar" \
    --files "$at/census.yaml" \
    --properties "spark.submit.deployMode=cluster,spark.yarn.appMasterEnv.PYSPARK_PYTHON=$python,spark.executorEnv.PYSPARK_PYTHON=$python,$delta,$encrypted,spark.sql.session.timeZone=UTC,spark.sql.catalogImplementation=in-memory,spark.locality.wait=0s,spark.driver.memory=4g,spark.executor.memory=2g" \
    -- run --config census.yaml --cluster prod --resume --no-report
