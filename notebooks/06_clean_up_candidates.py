# Databricks notebook source
# MAGIC %md
# MAGIC # Clean-up candidates
# MAGIC
# MAGIC This notebook lists groups that nobody needs any more by the evidence so far, topics that no group reads, and offsets
# MAGIC of deleted topics. It deletes nothing: `kafka-census delete-groups plan` makes a plan that people review.
# MAGIC The configuration must list `deletable_groups` and `consumer_lag` among its tables.

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
# MAGIC ## Groups by verdict
# MAGIC For `undecided` groups there is no evidence yet: an empty group may belong to a consumer that only commits. `unknown`
# MAGIC groups were not read.

# COMMAND ----------

verdicts = spark.sql("""
    SELECT verdict, group_type, count(*) AS groups
    FROM current_deletable_groups
    GROUP BY verdict, group_type
    ORDER BY verdict, group_type
""")
display(verdicts)
counted = verdicts.na.fill("not reported", ["group_type"]).toPandas()
counted.pivot_table(index="verdict", columns="group_type", values="groups", aggfunc="sum", fill_value=0).plot.barh(
    stacked=True, title="Groups by verdict and type"
)
plt.show()

# COMMAND ----------

# MAGIC %md
# MAGIC ## Deletable groups
# MAGIC Groups that have been empty for the longest time come first. The plan decides which time is long enough.

# COMMAND ----------

candidates = spark.sql("""
    SELECT group_id, group_type, evidence, empty_since, censuses_empty, censuses_left_behind, committed_partitions
    FROM current_deletable_groups
    WHERE deletable
    ORDER BY empty_since, censuses_left_behind DESC, group_id
""")
display(candidates)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Offsets of deleted topics
# MAGIC Offsets of deleted topics, and of earlier topics of the same name, stay in the lag of monitoring tools for ever.

# COMMAND ----------

left_over = spark.sql("""
    SELECT topic, topic_state, count(DISTINCT group_id) AS groups, count(*) AS offsets
    FROM current_consumer_lag
    WHERE topic_state IN ('gone', 'recreated')
    GROUP BY cluster_id, topic, topic_state
    ORDER BY offsets DESC, topic
""")
display(left_over)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Topics that no group reads
# MAGIC No answer of Kafka shows consumers that neither commit nor are members of a group. While `groups_not_read` is above 0,
# MAGIC one of these groups may read the topic.

# COMMAND ----------

unread = spark.sql("""
    WITH not_read AS (
        SELECT cluster_id, count_if(offsets_reason IS NOT NULL OR members_reason IS NOT NULL) AS groups
        FROM current_group_lag
        GROUP BY cluster_id
    )
    SELECT topics.topic, count(*) AS partitions, max(not_read.groups) AS groups_not_read
    FROM current_under_min_isr_partitions AS topics
    LEFT ANTI JOIN current_consumer_lag AS read ON read.cluster_id = topics.cluster_id AND read.topic = topics.topic
    LEFT JOIN not_read ON not_read.cluster_id = topics.cluster_id
    WHERE NOT topics.is_internal
    GROUP BY topics.cluster_id, topics.topic
    ORDER BY partitions DESC, topics.topic
""")
display(unread)
