# Databricks notebook source
# MAGIC %md
# MAGIC # A first look at the clusters of a lake
# MAGIC
# MAGIC This notebook shows which tables are published, how fresh and complete they are, and what is wrong now: one row per
# MAGIC problem, then the partitions. It reads the last published census of each cluster, asks no broker and writes nothing.
# MAGIC
# MAGIC `lake` is the root path of the lake, or `catalog.schema`.

# COMMAND ----------

import kafka_census
import matplotlib.pyplot as plt
from kafka_census.tables.problems import PROBLEMS

dbutils.widgets.text("lake", "build/demo/lake", "Root of the lake, or catalog.schema")
kafka_census.register(spark, dbutils.widgets.get("lake"))

# COMMAND ----------

# MAGIC %md
# MAGIC ## How fresh this is
# MAGIC Which census is shown of each cluster, how old it is, and whether a newer one was refused, failed or is running.

# COMMAND ----------

display(
    spark.sql("SELECT cluster, census_id, published_at, age_seconds, newer_state, newer_reason, newer_see FROM freshness")
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Published tables
# MAGIC For each cluster and table: when the brokers answered, and whether an answer is missing or hidden.

# COMMAND ----------

published = spark.sql("""
    SELECT cluster, table_name, is_complete, visibility, size(missing) AS missing, warnings, row_count, observed_to
    FROM (
        SELECT *, row_number() OVER (PARTITION BY cluster_id, table_name ORDER BY census_id DESC) AS back
        FROM publications
    )
    WHERE back = 1
    ORDER BY cluster, is_complete, table_name
""")
display(published)

# COMMAND ----------

# MAGIC %md
# MAGIC ## What is wrong
# MAGIC The problems of the report and of `--fail-on`, in tables of this lake. `not_known` counts rows that leave a problem
# MAGIC open; they do not count as healthy.

# COMMAND ----------

there = {row.table_name for row in published.select("table_name").distinct().collect()}
counts = {}
for each in PROBLEMS:
    if each.table in there:
        count = f"struct('{each.word}', count_if({each.where}), count_if({each.unknown}))"
        counts.setdefault(each.table, []).append(count)
wrong = spark.sql(
    " UNION ALL ".join(
        f"SELECT problem, found, not_known, 'current_{table}' AS see FROM ("
        f"SELECT inline(array({', '.join(of_table)})) AS (problem, found, not_known) FROM current_{table})"
        for table, of_table in counts.items()
    )
)
display(wrong.orderBy("found", ascending=False))

# COMMAND ----------

# MAGIC %md
# MAGIC ## Partitions by status
# MAGIC An OFFLINE partition has no leader. An UNDER partition cannot take an acks=all write. An AT partition can, but not
# MAGIC after one more failure.

# COMMAND ----------

by_status = spark.sql("""
    SELECT status, count(*) AS partitions, count(DISTINCT topic) AS topics
    FROM current_under_min_isr_partitions
    GROUP BY status
    ORDER BY array_position(array('OFFLINE', 'UNDER', 'AT', 'UNDER_REPLICATED', 'UNKNOWN', 'OK'), status)
""")
display(by_status)
by_status.toPandas().plot.barh(
    x="status", y="partitions", logx=True, legend=False, title="Partitions by status, the worst first"
)
plt.gca().invert_yaxis()
plt.show()

# COMMAND ----------

# MAGIC %md
# MAGIC ## The partitions, worst first

# COMMAND ----------

worst = spark.sql("""
    SELECT topic, partition, status, reason, leader_id, isr, replicas, min_isr_effective, groups_unable_to_commit
    FROM current_under_min_isr_partitions
    WHERE ready_for_acks_all IS NOT TRUE
    ORDER BY array_position(array('OFFLINE', 'UNDER', 'UNKNOWN'), status), topic, partition
    LIMIT 1000
""")
display(worst)
