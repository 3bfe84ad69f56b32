# Databricks notebook source
# MAGIC %md
# MAGIC # Why was a census refused?
# MAGIC
# MAGIC A census that is not complete, or whose rows break a rule, is not published: readers still see the previous census.
# MAGIC This notebook shows the verdicts of the gate, the missing answers, the wrong rows, and the rows of the refused census
# MAGIC (`candidate_<table>`, which serves no other purpose).
# MAGIC
# MAGIC `census` is the id of the census; empty: the last refused census.

# COMMAND ----------

import kafka_census
import matplotlib.pyplot as plt

dbutils.widgets.text("lake", "build/demo/lake", "Root of the lake, or catalog.schema")
dbutils.widgets.text("census", "", "Id of the census; empty: the last refused one")
kafka_census.register(spark, dbutils.widgets.get("lake"))
refused = spark.sql("SELECT max(census_id) FROM census_runs WHERE event = 'refused'").first()[0]
census = dbutils.widgets.get("census") or refused
asked = {"census": census or "none was refused"}

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
# MAGIC ## Events of the census

# COMMAND ----------

display(
    spark.sql("SELECT cluster, event, at, detail FROM census_runs WHERE census_id = {census} ORDER BY at", **asked)
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Verdicts of the gate
# MAGIC `message` says what is wrong, where, and what to do. One cause often affects several tables.

# COMMAND ----------

against = spark.sql(
    """
    SELECT table_name, rule, kind, failed_rows, checked_rows, failing_keys, message
    FROM verdicts
    WHERE census_id = {census} AND outcome = 'refuse'
    ORDER BY kind, rule, table_name
    """,
    **asked,
)
display(against)
failed = against.toPandas()
if len(failed):
    failed["what"] = failed["table_name"] + "\n" + failed["rule"]
    failed.plot.barh(
        x="what", y=["checked_rows", "failed_rows"], logx=True, title="Checked rows and failed rows"
    )
    plt.tight_layout()
    plt.show()

# COMMAND ----------

# MAGIC %md
# MAGIC ## Missing answers
# MAGIC Brokers that answered with an error, by RPC.

# COMMAND ----------

missing = spark.sql(
    """
    SELECT broker_id, rpc, scope, error, sum(errors) AS pages_with_error, max(note) AS note
    FROM calls
    WHERE census_id = {census} AND error IS NOT NULL
    GROUP BY broker_id, rpc, scope, error
    ORDER BY broker_id, rpc, scope
    """,
    **asked,
)
display(missing)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Wrong rows
# MAGIC The rows themselves, as JSON, up to `gate.quarantine_rows` for each rule.

# COMMAND ----------

wrong = spark.sql(
    """
    SELECT table_name, rule, severity, row_key, row
    FROM quarantine
    WHERE census_id = {census}
    ORDER BY severity, table_name, rule, row_key
    LIMIT 1000
    """,
    **asked,
)
display(wrong)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Findings of the refused census
# MAGIC Partitions by status, next to those of the census that readers see.

# COMMAND ----------

found = spark.sql(
    """
    SELECT status, count_if(seen = 'refused') AS refused, count_if(seen = 'current') AS current
    FROM (
        SELECT 'refused' AS seen, status FROM candidate_under_min_isr_partitions WHERE census_id = {census}
        UNION ALL
        SELECT 'current' AS seen, status FROM current_under_min_isr_partitions
    )
    GROUP BY status
    ORDER BY array_position(array('OFFLINE', 'UNDER', 'AT', 'UNDER_REPLICATED', 'UNKNOWN', 'OK'), status)
    """,
    **asked,
)
display(found)
