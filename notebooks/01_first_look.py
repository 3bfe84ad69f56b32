# Databricks notebook source
# MAGIC %md
# MAGIC # A first look at the clusters of a lake
# MAGIC
# MAGIC This notebook shows which tables are published, how fresh and complete they are, and what is wrong now: one row per
# MAGIC symptom, then the partitions. It reads the last published census of each cluster, asks no broker and writes nothing.
# MAGIC
# MAGIC `lake` is the root path of the lake, or `catalog.schema`.

# COMMAND ----------

import kafka_census
import matplotlib.pyplot as plt

dbutils.widgets.text("lake", "build/demo/lake", "Root of the lake, or catalog.schema")
kafka_census.register(spark, dbutils.widgets.get("lake"))

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
# MAGIC Only tables of this lake are queried. `not_known` counts rows that could not be read; they do not count as healthy.

# COMMAND ----------

SYMPTOMS = {
    "partitions that refuse acks=all writes": ("under_min_isr_partitions", "NOT ready_for_acks_all"),
    "partitions at their minimum ISR": ("under_min_isr_partitions", "status = 'AT'"),
    "groups without a coordinator": ("group_coordinator_placement", "agreement = 'no_coordinator'"),
    "brokers that are not alive": ("brokers", "state <> 'alive'"),
    "log dirs that are offline": ("log_dir_usage", "CASE state WHEN 'not_read' THEN NULL ELSE state = 'offline' END"),
    "replicas still to be moved": ("reassignment_backlog", "kind <> 'remove' AND bytes_left > 0"),
    "partitions of groups with offsets outside their log": (
        "consumer_lag",
        "CASE range WHEN 'unknown' THEN NULL ELSE range IN ('before_start', 'after_end') END",
    ),
    "transactions that hang": (
        "hanging_transactions",
        "CASE verdict WHEN 'unknown' THEN NULL ELSE verdict = 'hanging' END",
    ),
}
there = {row.table_name for row in published.select("table_name").distinct().collect()}
wrong = spark.sql(
    " UNION ALL ".join(
        f"SELECT '{symptom}' AS symptom, count_if({holds}) AS found, count_if(({holds}) IS NULL) AS not_known, "
        f"'current_{table}' AS see FROM current_{table}"
        for symptom, (table, holds) in SYMPTOMS.items()
        if table in there
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
