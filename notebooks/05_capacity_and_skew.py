# Databricks notebook source
# MAGIC %md
# MAGIC # Capacity and skew
# MAGIC
# MAGIC This notebook shows how much each broker holds, leads and coordinates, how full its disks are, and how fast they fill.
# MAGIC The configuration must list `brokers`, `log_dir_usage` and `coordinator_load` among its tables.

# COMMAND ----------

import kafka_census
import matplotlib.pyplot as plt

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
# MAGIC ## Replicas and leaders
# MAGIC A skew of 1 is the mean of the brokers that are alive.

# COMMAND ----------

brokers = spark.sql("""
    SELECT broker_id, state, rack, replicas, leaders, replica_skew, leader_skew, preferred_elsewhere, out_of_sync_replicas,
           counts_reason
    FROM current_brokers
    ORDER BY cluster_id, broker_id
""")
display(brokers)
brokers.toPandas().plot.bar(x="broker_id", y=["replicas", "leaders"], title="Replicas and leaders by broker")
plt.show()

# COMMAND ----------

# MAGIC %md
# MAGIC ## Disks
# MAGIC `percent_free` is that of the volume, which several log dirs may share; null where a broker does not report it.

# COMMAND ----------

disks = spark.sql("""
    SELECT broker_id, log_dir, state, replica_bytes, leader_bytes, future_bytes, skew,
           round(100 * try_divide(usable_bytes, total_bytes), 1) AS percent_free, reason
    FROM current_log_dir_usage
    ORDER BY state = 'online', replica_bytes DESC
""")
display(disks)
held = (
    disks.where("state = 'online'")
    .toPandas()
    .pivot_table(index="broker_id", columns="log_dir", values="replica_bytes", aggfunc="sum")
)
held = held.astype(float) / 1e9
held.plot.bar(stacked=True, title="GB by broker and log dir", ylabel="GB").legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# COMMAND ----------

# MAGIC %md
# MAGIC ## Growth
# MAGIC Growth between the first and the last published census. A census counts for a broker only if all log dirs of the
# MAGIC broker were read. With a single census, growth is 0.

# COMMAND ----------

growth = spark.sql("""
    WITH held AS (
        SELECT cluster_id, broker_id, census_id, max(observed_at) AS observed_at, sum(replica_bytes) AS bytes
        FROM history_log_dir_usage
        GROUP BY cluster_id, broker_id, census_id
        HAVING count_if(state IN ('offline', 'not_read')) = 0
    )
    SELECT cluster_id, broker_id, count(*) AS censuses, max_by(bytes, census_id) AS bytes_now,
           max_by(bytes, census_id) - min_by(bytes, census_id) AS grew,
           try_divide(
               max_by(bytes, census_id) - min_by(bytes, census_id),
               unix_micros(max(observed_at)) - unix_micros(min(observed_at))
           ) * 86400e6 AS bytes_per_day
    FROM held
    GROUP BY cluster_id, broker_id
    ORDER BY grew DESC
""")
display(growth)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Coordinators
# MAGIC `groups_skew` says whether chance explains the spread: `fair`, `unlucky`, or `wrong`, when the names defeat the hash.

# COMMAND ----------

load = spark.sql("""
    SELECT broker_id, groups, groups_expected, groups_stranded, members, transactional_ids, transactional_ids_expected,
           groups_skew, coalesce(groups_reason, groups_skew_reason) AS reason
    FROM current_coordinator_load
    ORDER BY cluster_id, broker_id
""")
display(load)
load.toPandas().plot.bar(
    x="broker_id", y=["groups", "groups_expected"], title="Groups by coordinator, and the fair share of each"
)
plt.show()
