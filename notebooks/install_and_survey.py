# Databricks notebook source
# MAGIC %md
# MAGIC # Install kafka-census, and survey a cluster
# MAGIC
# MAGIC This notebook needs no job and no cluster library: it installs the wheel for itself, asks the brokers from the driver,
# MAGIC and writes a lake. On serverless compute the brokers must be reachable from there.
# MAGIC
# MAGIC The path is that of the wheel that `databricks bundle deploy` builds, seen from this notebook. Without the bundle,
# MAGIC upload the wheel of `make wheel` to a volume, and name `/Volumes/CATALOG/SCHEMA/VOLUME/` and the file.

# COMMAND ----------

# MAGIC %pip install ../../artifacts/.internal/kafka_census-0.2.0-py3-none-any.whl

# COMMAND ----------

dbutils.library.restartPython()

# COMMAND ----------

# MAGIC %md
# MAGIC ## The cluster and the lake
# MAGIC `lake` is `catalog.schema`, which must exist, or a path. `password` names a secret as `SCOPE/KEY`, with SASL_SSL and
# MAGIC SCRAM-SHA-512; it may be empty for a cluster without passwords. Every other key of the configuration is a variable
# MAGIC `KAFKA_CENSUS__SECTION__KEY` likewise.

# COMMAND ----------

import os

import kafka_census
from kafka_census.cli.job import main

dbutils.widgets.text("bootstrap_servers", "kafka-1.example.org:9093", "Some brokers, with commas between")
dbutils.widgets.text("username", "", "User of SASL")
dbutils.widgets.text("password", "", "Secret of the password: SCOPE/KEY")
dbutils.widgets.text("lake", "main.kafka_census", "Root of the lake, or catalog.schema")
lake, password = dbutils.widgets.get("lake"), dbutils.widgets.get("password")
of_cluster = {"BOOTSTRAP_SERVERS": dbutils.widgets.get("bootstrap_servers")}
if password:
    of_cluster |= {
        "SECURITY_PROTOCOL": "SASL_SSL",
        "SASL__MECHANISM": "SCRAM-SHA-512",
        "SASL__USERNAME": dbutils.widgets.get("username"),
        "SASL__PASSWORD__SECRET": password,
    }
os.environ |= {f"KAFKA_CENSUS__CLUSTERS__PROD__{key}": value for key, value in of_cluster.items()}
os.environ["KAFKA_CENSUS__LAKE__ROOT" if "/" in lake else "KAFKA_CENSUS__LAKE__CATALOG"] = lake
os.environ["KAFKA_CENSUS__COLLECT__COLLECT_ON"] = "driver"

# COMMAND ----------

# MAGIC %md
# MAGIC ## The census
# MAGIC It ends with its report. The exit code is 0 where it was published, 1 where nothing could be surveyed, 2 for a mistake
# MAGIC in the configuration, and 3 where the census was refused: an error is one line.

# COMMAND ----------

code = main("census", ["--resume"])
print(f"exit code {code}")

# COMMAND ----------

# MAGIC %md
# MAGIC ## What readers see
# MAGIC The other notebooks beside this one, the dashboard, and anybody's SQL go on from here.

# COMMAND ----------

kafka_census.register(spark, lake)
display(spark.sql("SELECT cluster, census_id, published_at, newer_state, newer_reason, newer_see FROM freshness"))
