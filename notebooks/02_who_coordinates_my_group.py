# Databricks notebook source
# MAGIC %md
# MAGIC # Who coordinates my group?
# MAGIC
# MAGIC The coordinator of a group is the leader of the partition of `__consumer_offsets` to which the group id hashes. This
# MAGIC notebook shows that broker by the formula, by the brokers' listings and by FindCoordinator, whether the group can
# MAGIC commit now, and which broker would take over.
# MAGIC
# MAGIC `group` is the id of the group, or a part of it.

# COMMAND ----------

import kafka_census
import matplotlib.pyplot as plt

dbutils.widgets.text("lake", "build/demo/lake", "Root of the lake, or catalog.schema")
dbutils.widgets.text("group", "live-0", "Group id, or a part of it")
kafka_census.register(spark, dbutils.widgets.get("lake"))
group = dbutils.widgets.get("group")

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
# MAGIC ## The coordinator
# MAGIC `agreement` is `agree` when formula, listing and FindCoordinator name the same broker; otherwise `reason` says what
# MAGIC differs.

# COMMAND ----------

placed = spark.sql(
    """
    SELECT group_id, group_type, group_state, found_coordinator, found_host, offsets_partition, expected_coordinator,
           listed_by, agreement, coalesce(reason, found_error, expected_reason) AS reason
    FROM current_group_coordinator_placement
    WHERE contains(group_id, {group})
    ORDER BY group_id <> {group}, group_id
    LIMIT 100
    """,
    group=group,
)
display(placed)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Can the group commit?
# MAGIC The partition with the group's offsets takes commits while it has a leader and enough replicas in sync.

# COMMAND ----------

commits = spark.sql(
    """
    SELECT groups.group_id, partitions.partition, partitions.ready_for_acks_all AS can_commit, partitions.status,
           partitions.isr, partitions.replicas, partitions.min_isr_effective, partitions.reason
    FROM current_group_coordinator_placement AS groups
    LEFT JOIN current_under_min_isr_partitions AS partitions
      ON partitions.cluster_id = groups.cluster_id AND partitions.topic = '__consumer_offsets'
     AND partitions.partition = groups.offsets_partition
    WHERE contains(groups.group_id, {group})
    ORDER BY groups.group_id <> {group}, groups.group_id
    LIMIT 100
    """,
    group=group,
)
display(commits)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which broker would take over?
# MAGIC If the coordinator were lost, the next in-sync replica of that partition would become its leader. `takes_over` is null
# MAGIC when there is no such replica: then the group would wait.

# COMMAND ----------

heirs = spark.sql(
    """
    SELECT groups.group_id, groups.found_coordinator,
           try_element_at(
               filter(partitions.replicas, one -> one <> partitions.leader_id AND array_contains(partitions.isr, one)), 1
           ) AS takes_over
    FROM current_group_coordinator_placement AS groups
    JOIN current_under_min_isr_partitions AS partitions
      ON partitions.cluster_id = groups.cluster_id AND partitions.topic = '__consumer_offsets'
     AND partitions.partition = groups.offsets_partition
    WHERE contains(groups.group_id, {group})
    ORDER BY groups.group_id <> {group}, groups.group_id
    LIMIT 100
    """,
    group=group,
)
display(heirs)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Is that broker busier than the others?

# COMMAND ----------

load = spark.sql("""
    SELECT cluster, found_coordinator AS broker_id, count(*) AS groups
    FROM current_group_coordinator_placement
    GROUP BY cluster_id, cluster, found_coordinator
    ORDER BY cluster, broker_id
""")
display(load)
mine = {row.found_coordinator for row in placed.select("found_coordinator").collect()}
counted = load.where("broker_id IS NOT NULL").toPandas()
colours = ["tab:orange" if broker in mine else "tab:blue" for broker in counted["broker_id"]]
counted.plot.bar(x="broker_id", y="groups", color=colours, legend=False, title="Groups by coordinator; orange: those above")
plt.show()
