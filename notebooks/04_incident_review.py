# Databricks notebook source
# MAGIC %md
# MAGIC # Incident review
# MAGIC
# MAGIC This notebook compares the cluster at two times, each by the last census published at that time, and plots all
# MAGIC censuses.
# MAGIC
# MAGIC `before` and `during` are times (UTC), such as `2026-11-20 12:00`; empty: the times at which the last census but one
# MAGIC and the last census were published.

# COMMAND ----------

import kafka_census
import matplotlib.pyplot as plt
from kafka_census.spark.settings import set_all

dbutils.widgets.text("lake", "build/demo/lake", "Root of the lake, or catalog.schema")
dbutils.widgets.text("before", "", "A time before the incident; empty: the last census but one")
dbutils.widgets.text("during", "", "A time during the incident; empty: the last census")
kafka_census.register(spark, dbutils.widgets.get("lake"))
set_all(spark, {"spark.sql.session.timeZone": "UTC"})
published = spark.sql("""
    SELECT string(published_at) AS at FROM publications WHERE table_name = 'under_min_isr_partitions'
    ORDER BY published_at DESC LIMIT 2
""").collect()
moments = {
    "before": dbutils.widgets.get("before") or published[-1].at,
    "during": dbutils.widgets.get("during") or published[0].at,
}
print(f"before: {moments['before']}, during: {moments['during']}, UTC")

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
# MAGIC ## Development
# MAGIC Partitions whose status is not OK, by status, in every published census.

# COMMAND ----------

development = spark.sql("""
    SELECT census_id, min(observed_at) AS observed_at, cluster, status, count(*) AS partitions
    FROM history_under_min_isr_partitions
    WHERE status <> 'OK'
    GROUP BY census_id, cluster, status
    ORDER BY census_id, status
""")
display(development)
lines = development.toPandas().pivot_table(
    index="observed_at", columns="status", values="partitions", aggfunc="sum", fill_value=0
)
if len(lines):
    lines.plot(marker="o", title="Partitions whose status is not OK, by census")
    plt.show()

# COMMAND ----------

# MAGIC %md
# MAGIC ## Changes between the two times
# MAGIC Every partition whose status differs. Null means that the partition did not exist or was not read.

# COMMAND ----------

changed = spark.sql(
    """
    SELECT topic, partition, old.status AS before, new.status AS during, old.leader_id AS leader_before,
           new.leader_id AS leader_during, old.isr AS isr_before, new.isr AS isr_during, new.reason
    FROM under_min_isr_partitions_as_of(timestamp({before})) AS old
    FULL JOIN under_min_isr_partitions_as_of(timestamp({during})) AS new USING (cluster_id, topic, partition)
    WHERE old.status IS DISTINCT FROM new.status
    ORDER BY array_position(array('OFFLINE', 'UNDER', 'AT', 'UNDER_REPLICATED', 'UNKNOWN', 'OK'), new.status), topic, partition
    """,
    **moments,
)
display(changed)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Affected groups
# MAGIC Groups whose coordinator moved, or that had no coordinator.

# COMMAND ----------

moved = spark.sql(
    """
    SELECT group_id, old.found_coordinator AS before, new.found_coordinator AS during, new.agreement, new.reason
    FROM group_coordinator_placement_as_of(timestamp({before})) AS old
    FULL JOIN group_coordinator_placement_as_of(timestamp({during})) AS new USING (cluster_id, group_id)
    WHERE old.found_coordinator IS DISTINCT FROM new.found_coordinator OR new.agreement = 'no_coordinator'
    ORDER BY group_id
    """,
    **moments,
)
display(moved)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Events of the censuses
# MAGIC A gap in the plot above may be a refused census: the notebook `03_why_was_it_refused` says why.

# COMMAND ----------

runs = spark.sql("""
    SELECT census_id, cluster, min(at) AS began, max_by(event, at) AS ended_as, max_by(detail, at) AS detail
    FROM census_runs
    GROUP BY census_id, cluster
    ORDER BY census_id DESC
    LIMIT 100
""")
display(runs)
