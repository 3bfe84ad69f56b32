# Databricks notebook source
# MAGIC %md
# MAGIC # Partitions that cannot take an acks=all write
# MAGIC
# MAGIC Reads the last published census of a lake; asks no broker and writes nothing.
# MAGIC `lake` is the root path of the lake, or `catalog.schema`.

# COMMAND ----------

import kafka_census

dbutils.widgets.text("lake", "build/lake", "Root of the lake, or catalog.schema")
kafka_census.register(spark, dbutils.widgets.get("lake"))

# COMMAND ----------

# MAGIC %md
# MAGIC ## How many, by status
# MAGIC OFFLINE has no leader; UNDER cannot take an acks=all write; AT can, but not after one more failure.

# COMMAND ----------

by_status = spark.sql("""
    SELECT cluster_id, status, count(*) AS partitions, sum(groups_unable_to_commit) AS groups_unable_to_commit
    FROM current_under_min_isr_partitions
    GROUP BY cluster_id, status
    ORDER BY cluster_id, array_position(array('OFFLINE', 'UNDER', 'AT', 'UNDER_REPLICATED', 'UNKNOWN', 'OK'), status)
""")
display(by_status)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which ones, the worst first

# COMMAND ----------

worst = spark.sql("""
    SELECT topic, partition, status, reason, leader_id, isr, replicas, min_isr_effective, groups_unable_to_commit
    FROM current_under_min_isr_partitions
    WHERE NOT ready_for_acks_all
    ORDER BY array_position(array('OFFLINE', 'UNDER'), status), topic, partition
    LIMIT 1000
""")
display(worst)
